"""The C++ compiler of tests that compile."""

from __future__ import annotations

import os
import shutil


def find_compiler() -> str:
    """The C++ compiler to use."""
    names = [os.environ["CXX"]] if os.environ.get("CXX") else ["c++", "g++"]
    found = next((path for name in names if (path := shutil.which(name))), None)
    assert found is not None, f"no C++20 compiler: tried {', '.join(names)}; install g++ or set CXX"
    return found
