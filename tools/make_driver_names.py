"""csrc/sim/driver_names.h: every function of the driver's header, with the CUDA version it is of.

    python tools/make_driver_names.py /usr/local/cuda-13.0/include

The names come from cuda.h and its like for graphics and the profiler, the versions from
cudaTypedefs.h and its like beside them: the n-th version of a name is that of its n-th literal
(cuMemAlloc, cuMemAlloc_v2, ...). Run it with a newer header when one comes out; names of older
headers are kept by the newer ones.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "csrc" / "sim" / "driver_names.h"
HEAD = """\
// Written by tools/make_driver_names.py from the headers of CUDA {release}: every function that a
// driver's library exports, and the CUDA version with which it came. This file includes nothing.
#pragma once

// X(literal, first CUDA version)
#define GPUKIT_SIM_DRIVER_NAMES(X) \\
"""
HEADERS = ("cuda", "cudaProfiler", "cudaGL", "cudaEGL", "cudaVDPAU")
# Where the literal of a version is no counted suffix of its name, and what no typedef has.
NAMED_OTHERWISE = {"cuGraphInstantiate": {12000: "cuGraphInstantiateWithFlags"}}
WITHOUT_TYPE = {"cuGetProcAddress_v2_ptsz": 12000}


def literals(header: str) -> set[str]:
    """Every name that the library exports, suffix included."""
    bare = re.sub(r"//.*", "", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL))
    names = set(re.findall(r"CUresult\s+CUDAAPI\s+(cu[A-Z]\w*)\s*\(", bare))
    for value in re.findall(r"#\s*define\s+cu[A-Z]\w*\s+(\S+)", bare):
        per_thread = re.fullmatch(r"__CUDA_API_PT(DS|SZ)\((\w+)\)", value)
        if per_thread:
            names |= {per_thread[2], f"{per_thread[2]}_pt{per_thread[1].lower()}"}
        elif re.fullmatch(r"cu[A-Z]\w*", value):
            names.add(value)
    return names


def suffix_number(literal: str) -> int:
    """2 for cuMemAlloc_v2, 1 without a suffix."""
    found = re.search(r"_v(\d+)(_pt\w\w)?$", literal)
    return int(found[1]) if found else 1


def table(header: str, typedefs: str) -> dict[str, int]:
    """The CUDA version of each literal."""
    exported = literals(header)
    versions: dict[tuple[str, str], list[int]] = defaultdict(list)
    types = re.findall(r"\(CUDAAPI \*PFN_(cu[A-Z]\w*?)_v(\d+)((?:_ptsz|_ptds)?)\)", typedefs)
    for name, version, suffix in types:
        versions[name, suffix].append(int(version))
    since = dict(WITHOUT_TYPE)
    for (name, suffix), numbers in versions.items():
        of_name = re.compile(rf"{name}(_v\d+)?{suffix}")
        forms = sorted(filter(of_name.fullmatch, exported), key=suffix_number)
        counted = [n for n in sorted(numbers) if n not in NAMED_OTHERWISE.get(name, {})]
        since.update(zip(forms, counted, strict=True))
    missing = sorted(exported - set(since))
    if missing:
        raise SystemExit(f"no version is known of {', '.join(missing)}")
    return since


def main() -> int:
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("include", type=Path, help="folder of cuda.h and cudaTypedefs.h")
    folder = parser.parse_args().include
    header, typedefs = (
        "".join((folder / f"{name}{end}").read_text(encoding="utf-8") for name in HEADERS)
        for end in (".h", "Typedefs.h")
    )
    names = table(header, typedefs)
    release = re.search(r"#define CUDA_VERSION (\d+)", header)
    assert release is not None
    number = int(release[1])
    rows = [f"  X({name}, {names[name]})" for name in sorted(names)]
    text = HEAD.format(release=f"{number // 1000}.{number % 1000 // 10}")
    widest = max(map(len, rows))
    text += "\n".join(f"{row:{widest}} \\" for row in rows[:-1]) + f"\n{rows[-1]}\n"
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
