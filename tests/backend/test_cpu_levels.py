"""The CPU's answers with narrower vector instructions than this processor has."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

LEVELS = ("baseline", "avx2", "avx512", "avx512bf16", "amx")
ARM = platform.machine() in {"aarch64", "arm64"}  # one level, neon, which all of them have
NARROWER = LEVELS[:1] if ARM else LEVELS[:-1]
# What each level adds to the one before it, in the words of /proc/cpuinfo.
NEEDS = (
    {"avx2", "fma", "f16c"},
    {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
    {"avx512_bf16"},
    {"amx_tile", "amx_bf16"},
)
PRODUCTS = (
    *("test_cpu_bfloat16.py", "test_cpu_vectors.py"),
    *("test_attention_in_one.py", "test_lstm_steps.py"),
)
FUNCTIONS = (
    *("test_cpu_math.py", "test_layer_norm.py", "test_convolution_paths.py"),
    *("test_pooling.py", "test_same_bits.py"),
)

# Prints the level, and what is left of x * x when its rounded value is taken off first: nothing,
# unless multiplication and addition are one instruction.
ASK = """
import numpy as np
import gpukit
x = np.float32(1 + 2**-12)
columns = np.broadcast_to(np.array([[-x * x], [x]], np.float32), (2, 1000))
rest = gpukit.tensor(np.array([1, x], np.float32)) @ gpukit.tensor(columns.copy())
print(gpukit.info(verify=False).cpu_simd, float(rest.max()))
"""


def child(level, *command, **environment):
    return subprocess.run(
        [sys.executable, *command],
        check=False,
        env={**os.environ, "GPUKIT_SIMD": level, **environment},
        capture_output=True,
        text=True,
    )


def run_at(level, files, **environment):
    paths = [str(Path(__file__).with_name(name)) for name in files]
    done = child(level, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths, **environment)
    assert done.returncode == 0, done.stdout


def best_level():
    if ARM:
        return "neon"
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text().split()) if info.exists() else set()
    best = 0
    while best < len(NEEDS) and NEEDS[best] <= flags:
        best += 1
    return LEVELS[best]


def level_and_rest(wanted):
    done = child(wanted, "-c", ASK, GPUKIT_TEST_MODE="cpu", GPUKIT_SIMULATE="", GPUKIT_BLAS="own")
    assert done.returncode == 0, done.stderr
    level, rest = done.stdout.split()
    return level, float(rest), done.stderr


@pytest.mark.parametrize("wanted", [*LEVELS, "AVX2", "auto", ""])
def test_the_variable_decides_what_runs(wanted):
    level, rest, said = level_and_rest(wanted)
    asked = wanted.lower() if wanted not in ("auto", "") else LEVELS[-1]
    assert level == ("neon" if ARM else min(asked, best_level(), key=LEVELS.index))
    fused = level != "baseline" or platform.machine() not in ("x86_64", "AMD64")
    assert rest == (2.0**-24 if fused else 0.0)
    assert "GPUKIT_SIMD" not in said


def test_an_unknown_level_is_said_and_not_used():
    level, _, said = level_and_rest("sse9")
    assert level == best_level()
    assert said.count("GPUKIT_SIMD='sse9' is not one of auto|baseline|avx2|avx512") == 1


@pytest.mark.parametrize("level", NARROWER)
def test_products_at_every_level(level):
    run_at(level, PRODUCTS)


@pytest.mark.parametrize("level", NARROWER)
def test_functions_and_rows_at_every_level(level):
    run_at(level, FUNCTIONS, GPUKIT_TEST_MODE="cpu")
