"""Kernel images come back from the order they are stored in: tools/order_images.py and csrc."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.compiler import find_compiler
from support.cubin import make_cubin
from support.mode import PROJECT
from support.tools import load_tool

compile_kernels = load_tool("compile_kernels")
order_images = load_tool("order_images")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are kernel images on Linux")

CSRC = PROJECT / "csrc"
SOURCES = ("image_order", "cubin_order", "ptx_order")
# As in image_order.h.
ORDERS = ("kAsIs", "kPtx", "kControlWords", "kInstructionsOf16")
KERNELS = """
__constant__ float weights[7] = {1, 2, 3};
__device__ int counter = 5;
extern "C" __global__ void scan(float* x, int n) {
  __shared__ float tile[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += weights[i % 7] / x[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (int i = 0; i < 200; i += 3) sum = sum * tile[i] + sqrtf(tile[i + 1]);
  x[threadIdx.x] = sum;
}
extern "C" __global__ void count(double* x) { x[atomicAdd(&counter, 1)] = counter; }
"""
TEXTS = {
    "empty": b"",
    "names": b"%f1 %f2 %f2 %f1 %f9 %f10 $L__BB0_3 $L__BB0_4 %tid.x %SP $ % %% foo%r3$1_2",
    "declared": b".reg .f32 %f<4>;\nadd %f3, %f2, %f1;\n.reg .f32 %f<9>;\nadd %f1, %f2, %f3;",
    "padded": b"%r00 %r0 %r007 %r7 %r08 %r123456789 %r1234567890 %r4294967296",
    "many": b" ".join(b"%%r%d" % (i * 7 % 400) for i in range(2000)),
    "several": b"mov %r1, %r2;\n\0// next\nmov %r1, %r2;\n\0",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    built = tmp_path_factory.mktemp("image_order") / "image_order"
    sources = [Path(__file__).with_name("image_order.cpp")]
    sources += [CSRC / "kernels" / f"{name}.cpp" for name in SOURCES]
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{CSRC}"]
    command = [find_compiler(), *flags, f"-I{Path(__file__).parent}", *map(str, sources)]
    done = subprocess.run([*command, "-o", str(built)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return built


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The images of KERNELS for an architecture."""
    library = compile_kernels.wheel_path("cuda_nvrtc", "lib", "libnvrtc.so.12")
    nvrtc = compile_kernels.Nvrtc(library)
    source = tmp_path_factory.mktemp("kernels") / "both.cu"
    source.write_text(KERNELS, encoding="utf-8")

    def images(arch: int, *, ptx: bool) -> list[bytes]:
        kind = "PTX" if ptx else "CUBIN"
        return compile_kernels.compile_images(nvrtc, source, [], arch, kind) * 2

    return images


def restored(program: Path, folder: Path, order: str, stored: bytes, size: int) -> bytes:
    (folder / "stored").write_bytes(stored)
    arguments = [str(ORDERS.index(order)), str(folder / "stored"), str(size)]
    subprocess.run([program, *arguments, str(folder / "restored")], check=True)
    if stored:
        subprocess.run([program, *arguments], check=True)
    return (folder / "restored").read_bytes()


@pytest.mark.parametrize("arch", [60, 70, 75, 80, 87, 90, 100, 120])
def test_cubins_come_back(program: Path, compiled, tmp_path: Path, arch: int) -> None:
    cubins = compiled(arch, ptx=False)
    order, stored = order_images.order_images(cubins, arch, ptx=False)
    assert order == ("kControlWords" if arch == 60 else "kInstructionsOf16")
    whole = b"".join(cubins)
    assert restored(program, tmp_path, order, stored, len(whole)) == whole


def test_ptx_comes_back(program: Path, compiled, tmp_path: Path) -> None:
    images = compiled(100, ptx=True)
    order, stored = order_images.order_images(images, 100, ptx=True)
    whole = b"".join(images)
    assert order == "kPtx"
    assert len(stored) < len(whole)
    assert restored(program, tmp_path, order, stored, len(whole)) == whole


@pytest.mark.parametrize("name", TEXTS)
def test_any_text_comes_back(program: Path, tmp_path: Path, name: str) -> None:
    text = TEXTS[name]
    order, stored = order_images.order_images([text], 100, ptx=True)
    assert restored(program, tmp_path, order, stored, len(text)) == text


@pytest.mark.parametrize(
    ("images", "ptx"),
    [
        ([b"// \xc3\xa9\n%r1"], True),
        ([b"no ELF"], False),
        ([make_cubin(75, "k", [4]), b"\x7fELF\x02\x01" + b"\xff" * 80], False),
    ],
    ids=["not ASCII", "not ELF", "damaged ELF"],
)
def test_what_has_another_form_stays_as_it_is(
    program: Path, tmp_path: Path, images: list[bytes], ptx: bool
) -> None:
    whole = b"".join(images)
    assert order_images.order_images(images, 75, ptx=ptx) == ("kAsIs", whole)
    assert restored(program, tmp_path, "kAsIs", whole, len(whole)) == whole
