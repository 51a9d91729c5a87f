"""The programs of tools/, as modules."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from support.mode import PROJECT


def load_tool(name: str) -> ModuleType:
    """The module tools/<name>.py."""
    folder = str(PROJECT / "tools")
    if folder not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(name, PROJECT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
