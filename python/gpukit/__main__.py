"""`python -m gpukit` is the command `gpukit`."""

import sys

from gpukit.cli import main

sys.exit(main())
