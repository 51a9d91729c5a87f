"""For tests: comparing tensors, drawn ones, and a pytest plugin that measures devices truly.

Example:
    >>> import gpukit
    >>> from gpukit.testing import assert_close
    >>> assert_close(gpukit.ones(3), [1.0, 1.0, 1.0])
"""

from gpukit.testing._made import make_tensor
from gpukit.testing.closeness import assert_close

__all__ = ["assert_close", "make_tensor"]
