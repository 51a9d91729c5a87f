"""gpukit.compile: a function's operators recorded once, and groups of them run as one pass."""
