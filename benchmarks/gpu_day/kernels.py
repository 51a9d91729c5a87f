"""Stage kernels: every kernel family's answer on the GPU beside the CPU's."""

from __future__ import annotations

import sys

from gpu_day.every_kernel import cases, differs
from gpu_day.sheet import Sheet


def main() -> int:
    sheet = Sheet()
    faults = [fault for case in cases() if (fault := differs(*case))]
    sheet.add(calls=len(cases()), differ=len(faults))
    for fault in faults:
        sheet.add(fault=fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
