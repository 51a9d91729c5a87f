"""Kernels of one's own with wrong arguments: each error names argument, value and what would do."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit.cuda import RawKernel, RawModule

SAXPY = r"""
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


@pytest.fixture(scope="module")
def saxpy() -> RawKernel:
    return RawKernel(SAXPY, "saxpy")


@pytest.fixture(scope="module")
def module() -> RawModule:
    return RawModule(code='extern "C" __global__ void nothing() {}')


def on_gpu(*sizes: int) -> gpukit.Tensor:
    return gpukit.ones(*sizes, device="cuda:0")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((), TypeError, "saxpy takes 4 arguments, got 0: an integer of 4 bytes; a float of 4"),
        ((1, 2, 3), TypeError, "takes 4 arguments, got 3"),
        ((1.5, 2.0, "x", "y"), TypeError, r"args\[0\] must be an integer of 4 bytes, got 1.5"),
        ((np.float32(1), 2.0, "x", "y"), TypeError, r"args\[0\] must be .* Pass int"),
        ((2**32, 2.0, "x", "y"), gpukit.RangeError, r"args\[0\] is 4294967296 \(int\), which"),
        ((-(2**31) - 1, 2.0, "x", "y"), gpukit.RangeError, r"args\[0\]"),
        ((2**70, 2.0, "x", "y"), gpukit.RangeError, r"args\[0\]"),
        (("4", 2.0, "x", "y"), TypeError, r"args\[0\] must be .*got '4' \(str\)"),
        ((None, 2.0, "x", "y"), TypeError, r"args\[0\] must be .*got None"),
        ((4, 2j, "x", "y"), TypeError, r"args\[1\] must be a float of 4 bytes, got 2j"),
        ((4, 1e39, "x", "y"), gpukit.RangeError, r"args\[1\] is 1e\+39"),
        ((4, 10**400, "x", "y"), (OverflowError, ValueError), "too large|fit"),
        ((4, 2.0, 1.5, "y"), TypeError, r"args\[2\] must be a tensor or an integer"),
        ((4, 2.0, "x", np.ones(4)), TypeError, r"args\[3\] must be a tensor"),
        ((4, 2.0, "x", [1.0]), TypeError, r"args\[3\] must be a tensor"),
        ((4, "x", "x", "y"), TypeError, r"args\[1\] must be a float of 4 bytes, got a tensor"),
        (("one", 2.0, "x", "y"), TypeError, r"args\[0\] .*got a tensor.*\.item\(\)"),
        ((4, 2.0, "cpu", "y"), gpukit.DeviceMismatchError, r"args\[2\] is on cpu, .*cuda:0.*16 B"),
        ((4, 2.0, "x", "strided"), gpukit.ShapeError, r"args\[3\] is a view of shape \(4,\)"),
        ((4, 2.0, "x", "grad"), gpukit.AutogradError, r"args\[3\] requires grad.*detach"),
        ([4, 2.0, "x"], TypeError, "got 3"),
        ("wxyz", TypeError, "args must be a tuple"),
        (None, TypeError, "args must be a tuple"),
    ],
)
def test_a_wrong_argument_is_named(arguments, error, words, saxpy):
    made = {
        "x": on_gpu(4),
        "y": on_gpu(4),
        "one": on_gpu(1),
        "cpu": gpukit.ones(4),
        "strided": on_gpu(8)[::2],
        "grad": gpukit.ones(4, device="cuda", requires_grad=True),
    }
    if isinstance(arguments, (tuple, list)):
        arguments = type(arguments)(
            made.get(one, one) if isinstance(one, str) else one for one in arguments
        )
    with pytest.raises(error, match=words) as caught:
        saxpy((1,), (4,), arguments)
    assert str(caught.value).startswith("saxpy") or error == (OverflowError, ValueError)
    assert made["y"].tolist() == [1.0] * 4
    saxpy((1,), (4,), (4, 1.0, made["x"], made["y"]))
    assert made["y"].tolist() == [2.0] * 4


@pytest.mark.parametrize(
    ("grid", "block", "words"),
    [
        (0, 1, r"grid\[0\] must be 1 to 2147483647, got 0"),
        (-1, 1, r"grid\[0\].*got -1"),
        (2**31, 1, r"grid\[0\].*got 2147483648"),
        ((1, 65536), 1, r"grid\[1\] must be 1 to 65535, got 65536"),
        ((1, 1, 65536), 1, r"grid\[2\]"),
        (1, 1025, r"block\[0\] must be 1 to 1024, got 1025"),
        (1, (1, 1, 65), r"block\[2\] must be 1 to 64, got 65"),
        (1, (64, 32), r"block has 2048 threads, .* at most 1024"),
        ((), 1, "grid must be an int or one to three ints"),
        (1, (1, 1, 1, 1), "block must be an int or one to three ints"),
        ("1", 1, "grid"),
        (1, None, "block"),
        (1.5, 1, "grid"),
        (1, (1, 2.5), "block"),
        (True, 1, "grid"),
    ],
)
def test_a_wrong_shape_is_named(grid, block, words, module):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        module.get_function("nothing")(grid, block, ())
    assert "nothing: " in str(caught.value)


def test_wrong_configurations(module):
    kernel = module.get_function("nothing")
    for wrong in (1, (1,), (1, 1, None, 0, 0)):
        with pytest.raises(TypeError, match=r"write nothing\[grid, block\]"):
            kernel[wrong]
    with pytest.raises(TypeError, match="stream must be a Stream"):
        kernel[1, 1, "fast"]()
    with pytest.raises(TypeError, match="shared_mem"):
        kernel[1, 1, None, 1.5]()


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: RawKernel(5, "f"), TypeError, "code must be"),
        (lambda: RawKernel("", "f"), ValueError, "code is empty"),
        (lambda: RawKernel("a\0b", "f"), ValueError, "zero character"),
        (lambda: RawKernel("\ud800", "f"), ValueError, "not valid UTF-8"),
        (lambda: RawKernel(b"\xff\xfe", "f"), ValueError, "neither a cubin"),
        (lambda: RawKernel(b"\x7fELF" + b"\2\1" + b"\0" * 8, "f"), ValueError, "cut off"),
        (lambda: RawKernel(b"\x50\xed\x55\xba\1\0\x10\0" + b"\xff" * 8, "f"), ValueError, "cut"),
        (lambda: RawKernel(SAXPY, ""), TypeError, "name must be"),
        (lambda: RawKernel(SAXPY, 3), TypeError, "name must be"),
        (lambda: RawKernel(SAXPY, "f", "-DN"), TypeError, "options must be a tuple"),
        (lambda: RawKernel(SAXPY, "f", (3,)), TypeError, "options must be of str"),
        (lambda: RawKernel(SAXPY, "f", ("-arch=sm_75",)), ValueError, "leave '-arch=sm_75' out"),
        (lambda: RawKernel(SAXPY, "f", backend="nvcc"), ValueError, "'nvrtc', got 'nvcc'"),
        (lambda: RawKernel(SAXPY, "f", jitify=True), NotImplementedError, "jitify"),
        (RawModule, TypeError, "either code or path"),
        (lambda: RawModule(code=SAXPY, path="x"), TypeError, "either code or path"),
        (lambda: RawModule(path="not/there.ptx"), FileNotFoundError, "not/there"),
        (lambda: RawModule(path="/dev/zero"), ValueError, "must name a file"),
        (lambda: RawModule(path=3), TypeError, "path must be"),
        (lambda: RawModule(code=SAXPY, name_expressions="f<int>"), TypeError, "list of str"),
        (lambda: RawModule(code=SAXPY, name_expressions=[""]), TypeError, "C\\+\\+ names"),
        (
            lambda: RawModule(code=".version 7.0", name_expressions=["f"]),
            ValueError,
            "compiled code",
        ),
    ],
)
def test_a_wrong_description_is_named(make, error, words):
    with pytest.raises(error, match=words):
        make()
