"""How a pytest of its own loads gpukit's plugin: an installed gpukit brings it along."""

from __future__ import annotations

from importlib.metadata import entry_points

_INSTALLED = any(entry.name == "gpukit" for entry in entry_points(group="pytest11"))
# Other packages' plugins, such as hypothesis's, take most of the time of a small run: leave them.
ALONE_OPTIONS = ["-p", "gpukit.testing.plugin"]
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
PLUGIN_OPTIONS = [] if _INSTALLED else ["-p", "gpukit.testing.plugin"]
