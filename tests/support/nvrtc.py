"""CUDA C++ made into PTX by NVRTC, for tests of programs that are not gpukit's."""

from __future__ import annotations

import ctypes
import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def library_path() -> Path:
    """NVRTC of the test extra, or of CUDA 13's packages, which come with PyTorch."""
    for package in ("nvidia.cuda_nvrtc", "nvidia.cu13"):
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            if found := sorted(Path(folder, "lib").glob("libnvrtc.so.*")):
                return found[0]
    raise AssertionError('NVRTC is missing: pip install ".[test]"')


def builtins_path() -> Path:
    """The library that NVRTC opens at its first compilation."""
    (path,) = library_path().parent.glob("libnvrtc-builtins.so.*")
    return path


@functools.cache
def _library() -> Any:
    # Loaded first, since dlopen of the address sanitizer does not look into the caller's RUNPATH.
    ctypes.CDLL(str(builtins_path()))
    return ctypes.CDLL(str(library_path()))


@functools.cache
def compile_ptx(source: str, arch: int = 75, options: tuple[str, ...] = ()) -> bytes:
    """The PTX of a source called kernel.cu, with lines."""
    nvrtc, program, size = _library(), ctypes.c_void_p(), ctypes.c_size_t()
    arguments = [f"--gpu-architecture=compute_{arch}", "-lineinfo", "--no-cache", *options]
    assert (
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None
        )
        == 0
    )
    encoded = (ctypes.c_char_p * len(arguments))(*(text.encode() for text in arguments))
    status = nvrtc.nvrtcCompileProgram(program, len(arguments), encoded)
    assert nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)) == 0
    log = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetProgramLog(program, log) == 0
    assert status == 0, log.value.decode()
    assert nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
    text = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetPTX(program, text) == 0
    assert nvrtc.nvrtcDestroyProgram(ctypes.byref(program)) == 0
    return text.value
