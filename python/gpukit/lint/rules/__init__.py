"""The lint rules, one file per group. Importing this package registers them."""

from gpukit.lint.rules import calls, devices, layers, names, shell, timing, training, transfers

__all__ = ["calls", "devices", "layers", "names", "shell", "timing", "training", "transfers"]
