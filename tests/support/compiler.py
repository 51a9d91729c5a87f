"""The compilers of tests that compile."""

from __future__ import annotations

import os
import shutil


def find_compiler(variable: str = "CXX", *names: str) -> str:
    """The program that the environment's variable names, else the first of these that is here."""
    tried = [os.environ[variable]] if os.environ.get(variable) else (names or ("c++", "g++"))
    found = next((path for name in tried if (path := shutil.which(name))), None)
    missing = f"no compiler: tried {', '.join(tried)}; install g++ or set {variable}"
    assert found is not None, missing
    return found
