"""Another program with every gradient reduced where it lies, as only large ones are.

`in_place.py PROGRAM ARGUMENTS...`
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from gpukit.distributed import _channel

_channel._ALONE_BYTES = 0
del sys.argv[0]
runpy.run_path(str(Path(__file__).with_name(sys.argv[0])), run_name="__main__")
