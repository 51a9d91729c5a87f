"""What gpukit adds to IPython: magics, and near names in tracebacks."""
