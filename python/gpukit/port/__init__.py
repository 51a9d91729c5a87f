r"""Turns code for torch into code for gpukit, and lists what gpukit will not run.

Imports are changed and nothing else; the text is neither imported nor run. Names are looked up in
the installed gpukit.

Example:
    >>> from gpukit import port
    >>> done = port.port_text("import torch\nx = torch.ones(2)\ny = torch.export(x.sum)\n", "a.py")
    >>> done.text.splitlines()[0]
    'import gpukit as torch'
    >>> for left in done.leftovers:
    ...     print(left.place, left.message)
    a.py:3:5 gpukit has no export: it is not part of gpukit; see docs/limits
"""

from gpukit.errors import LintError
from gpukit.port.found import Leftover
from gpukit.port.porting import Ported, port_file, port_text

__all__ = ["Leftover", "LintError", "Ported", "port_file", "port_text"]
