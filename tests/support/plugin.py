"""How a pytest of its own loads gpukit's plugin: an installed gpukit brings it along."""

from __future__ import annotations

from importlib.metadata import entry_points

_INSTALLED = any(entry.value == "gpukit.testing.plugin" for entry in entry_points(group="pytest11"))
PLUGIN_OPTIONS = [] if _INSTALLED else ["-p", "gpukit.testing.plugin"]
