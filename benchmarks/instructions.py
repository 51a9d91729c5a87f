"""Instructions from Python to the driver, a call: what gpukit and the interpreter execute.

    python benchmarks/instructions.py            all rows
    python benchmarks/instructions.py gpu_add    rows by name; `list` prints the names

Runs itself under valgrind's callgrind, which must be installed. Counted is the calling thread, from
one call of getloadavg, which nothing else makes, to the next one. What the simulated driver and its
kernels execute is left out: everything below a call into their libraries. The counts do not depend
on what else the machine does, and differ by a few from run to run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

WARM, COUNTED = 200, 2000
MARK = "getloadavg"
SIMULATED = "libgpukit_sim"
ROWS = {
    "cpu_add": "a + b",
    "cpu_sum": "a.sum()",
    "cpu_reshape": "a.reshape(2, 2)",
    "cpu_zeros": "zeros((2, 3))",
    "cpu_matmul": "m @ m",
    "cpu_backward": "((w * w).exp() @ w).sum().backward()",
    "gpu_add": "a + b",
    "gpu_add_number": "a + 1.0",
    "gpu_add_in_place": "a += b",
    "gpu_add_strided": "t + b",
    "gpu_exp": "a.exp()",
    "gpu_sum": "a.sum()",
    "gpu_zeros": "zeros((2, 3), device=a.device)",
    "gpu_matmul": "m @ m",
    "gpu_linear": "linear(m, m, v)",
}


def body_of(name: str) -> Callable[[int], None]:
    """A function that makes the row's call n times."""
    import gpukit

    device = "cpu"
    gpukit.set_num_threads(1)
    if name.startswith("gpu"):
        gpukit.simulate(1, "T4")
        device = "cuda:0"
    numbers = [float(i) for i in range(4)]
    a = gpukit.tensor(numbers, device=device)
    m = a.reshape(2, 2)
    space = {
        "a": a,
        "b": gpukit.tensor(numbers, device=device),
        "m": m,
        "t": gpukit.zeros(4, 3, device=device)[:, 1],
        "v": m[0].clone(),
        "w": gpukit.ones(4, 4, device=device, requires_grad=True),
        "zeros": gpukit.zeros,
        "linear": gpukit.nn.functional.linear,
    }
    source = f"def body(n):\n for _ in range(n):\n  {ROWS[name]}"
    # a += b assigns to a name, which must be the function's own
    if "=" in ROWS[name].split("(")[0]:
        source = source.replace("(n):\n", "(n, a=a):\n", 1)
    exec(source, space)
    return space["body"]  # type: ignore[return-value]


def instructions_by_object(profile: Path) -> dict[str, int]:
    """Instructions of each library below no call into the simulator, from one of callgrind's files.

    The simulator's own part is what its callers outside spent in it.
    """
    names: dict[tuple[str, str], str] = {}

    def named(kind: str, text: str) -> str:
        number, _, name = text.partition(" ")
        if name:
            names[kind, number] = name
        return names.get((kind, number), number)

    own: dict[str, int] = {}
    here = callee = ""
    called = False
    below = 0
    for line in profile.read_text().splitlines():
        if match := re.match(r"(ob|cob)=(.*)", line):
            name = named("ob", match[2])
            if match[1] == "ob":
                here = name
            else:
                callee = name
        elif line.startswith("fn="):
            callee = ""
        elif line.startswith("calls="):
            called = True
        elif line[:1] in "+-*0123456789" and line:
            cost = int(line.split()[-1])
            if called:
                target = callee or here
                if SIMULATED in target and SIMULATED not in here:
                    below += cost
                called, callee = False, ""
            else:
                own[here] = own.get(here, 0) + cost
    whole = sum(own.values())
    return {**own, "": whole - below}


def run(name: str, folder: Path) -> dict[str, int]:
    """The profile between the two marks: the second of those that callgrind writes."""
    command = ["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--dump-before={MARK}"]
    command += [f"--callgrind-out-file={folder / name}", sys.executable, __file__, "--body", name]
    subprocess.run(command, check=True, capture_output=True)
    return instructions_by_object(folder / f"{name}.2-01")


def report(name: str, folder: Path) -> str:
    by_object = run(name, folder)
    whole = by_object.pop("")
    ours = [cost for library, cost in by_object.items() if "/_core." in library]
    cells = [count / COUNTED for count in (whole, sum(ours), whole - sum(ours))]
    return f"{name:18}{ROWS[name]:32}" + "".join(f"{cell:10.0f}" for cell in cells)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--body"]:
        body = body_of(arguments[1])
        body(WARM)
        os.getloadavg()
        body(COUNTED)
        os.getloadavg()
        return
    if arguments == ["list"]:
        print("\n".join(ROWS))
        return
    print(f"{'row':18}{'call':32}{'all':>10}{'_core':>10}{'others':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments or ROWS:
            print(report(name, Path(folder)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
