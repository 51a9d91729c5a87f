r"""Finds the usual mistakes of GPU programs in their text, without importing or running it.

Example:
    >>> from gpukit import lint
    >>> [finding] = lint.check_text("import torch\nx = torch.device('cude:0')\n")
    >>> print(finding.code, finding.line, finding.message)
    GPK109 2 no such device type: did you mean 'cuda:0'?
"""

from gpukit.errors import LintError
from gpukit.lint.checking import check_file, check_text
from gpukit.lint.findings import Finding

__all__ = ["Finding", "LintError", "check_file", "check_text"]
