"""gpukit's additions to IPython: magics, and suggestions in tracebacks."""
