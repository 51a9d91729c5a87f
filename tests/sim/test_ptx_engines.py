"""gpukit's kernels by both engines: the host build, and the PTX that NVRTC makes of the sources.

Whole numbers, comparisons and moves agree bit for bit, floating point within the few last bits in
which functions and fused multiply-adds differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = """
import sys, numpy as np, gpukit
random = np.random.default_rng(3)
out = {}

def keep(name, tensor):
    out[name] = np.asarray(tensor.cpu().numpy())

floats = {
    "float32": random.normal(size=(37, 45)).astype("f4"),
    "float64": random.normal(size=(37, 45)),
    "float16": random.normal(size=(37, 45)).astype("f2"),
}
for dtype, x in floats.items():
    a, b = gpukit.tensor(x, device="cuda:0"), gpukit.tensor(np.abs(x[::-1]) + 1, device="cuda:0")
    b = b.to(getattr(gpukit, dtype))
    for name in ("exp", "sin", "cos", "tanh", "sigmoid", "relu", "floor", "abs", "erf", "expm1"):
        keep(f"{name} {dtype}", getattr(gpukit, name)(a))
    for name in ("log", "sqrt", "rsqrt", "log1p"):
        keep(f"{name} {dtype}", getattr(gpukit, name)(b))
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "atan2", "remainder"):
        keep(f"{name} {dtype}", getattr(gpukit, name)(b, b.flip(0)))
    for name in ("lt", "ge", "eq"):
        keep(f"{name} {dtype}", getattr(gpukit, name)(a, b))
    keep(f"sum {dtype}", a.sum(0))
    keep(f"max {dtype}", a.max(1)[0])
    keep(f"argmax {dtype}", a.argmax(1))
    keep(f"cumsum {dtype}", b.cumsum(1))
    keep(f"softmax {dtype}", gpukit.softmax(a, 1))
    keep(f"sort {dtype}", a.sort(1)[0])
    keep(f"transposed {dtype}", a.t().contiguous())
    keep(f"where {dtype}", gpukit.where(a > 0, a, b))
    for other in ("int32", "uint8", "float16", "bfloat16", "float64", "bool"):
        keep(f"to {other} {dtype}", (b * 10).to(getattr(gpukit, other)).to(gpukit.float64))
for dtype in ("int8", "uint8", "int16", "int32", "int64", "uint32"):
    x = gpukit.tensor(random.integers(1, 100, (33, 21)).astype(dtype), device="cuda:0")
    y = gpukit.tensor(random.integers(1, 100, (33, 21)).astype(dtype), device="cuda:0")
    for name in ("add", "sub", "mul", "maximum", "remainder", "floor_divide", "eq", "lt"):
        keep(f"{name} {dtype}", getattr(gpukit, name)(x, y))
    keep(f"sum {dtype}", x.sum(1))
    keep(f"sort {dtype}", x.sort(0)[0])
    keep(f"gather {dtype}", x[gpukit.tensor([3, 1, 32], device="cuda:0")])
gpukit.manual_seed(5)
keep("uniform", gpukit.rand(1000, device="cuda:0"))
keep("integers", gpukit.randint(0, 1000, (1000,), device="cuda:0"))
np.savez(sys.argv[1], **out)
"""
# Of the results' dtype: what one fused multiply-add less, or another exp, may change.
MOST_ULP = {"float16": 1, "float32": 8, "float64": 8}


def outputs(simulation: str, path: Path) -> dict[str, np.ndarray]:
    env = {**os.environ, "GPUKIT_SIMULATE": simulation}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(path) as arrays:
        return dict(arrays)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_both_engines_agree(tmp_path: Path, own_ptx: Path) -> None:
    host = outputs("1xT4", tmp_path / "host.npz")
    ptx = outputs(f"1xT4,engine=ptx,ptx={own_ptx}", tmp_path / "ptx.npz")
    assert set(host) == set(ptx) and len(host) > 100
    apart = {}
    for name, want in host.items():
        got = ptx[name]
        assert got.dtype == want.dtype and got.shape == want.shape
        exact = want.dtype.kind != "f" or name.startswith(
            ("to ", "where", "transposed", "sort", "max ", "floor", "relu", "abs", "uniform")
        )
        scale = np.abs(want).max() if name.startswith(("sum", "cumsum")) else np.abs(want)
        room = 0 if exact else MOST_ULP[str(want.dtype)]
        if want.dtype.kind == "f":
            far = np.abs(got.astype("f8") - want.astype("f8")) > room * np.spacing(scale)
        else:
            far = got != want
        if far.any():
            apart[name] = (got[far][:3], want[far][:3])
    assert not apart


def test_a_folder_without_the_kernels_is_named(tmp_path: Path) -> None:
    program = "import gpukit; gpukit.ones(3, device='cuda:0').exp()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "GPUKIT_SIMULATE": f"T4,engine=ptx,ptx={tmp_path}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "DriverError" in done.stderr or "DeviceError" in done.stderr


def test_an_engine_that_is_not_there_is_refused() -> None:
    import gpukit

    with pytest.raises(ValueError, match="engine must be 'host' or 'ptx', got 'quick'"):
        gpukit.simulate(engine="quick")
