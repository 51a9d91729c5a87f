"""The rules, a file per group; importing this package fills the table of rules."""

from gpukit.lint.rules import calls, devices, layers, names, shell, timing, training, transfers

__all__ = ["calls", "devices", "layers", "names", "shell", "timing", "training", "transfers"]
