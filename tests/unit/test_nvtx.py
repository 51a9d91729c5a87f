"""gpukit.cuda.nvtx with a library that notes its calls, and without one."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gpukit
from gpukit.cuda import nvtx
from support.compiler import find_compiler

NOTES = """
#include <stdint.h>
#include <stdio.h>
static int depth = 0;
int nvtxRangePushA(const char* m) { printf("push %s\\n", m); fflush(stdout); return depth++; }
int nvtxRangePop(void) { printf("pop\\n"); fflush(stdout); return --depth; }
uint64_t nvtxRangeStartA(const char* m) { printf("start %s\\n", m); return 5000000000u; }
void nvtxRangeEnd(uint64_t i) { printf("end %llu\\n", (unsigned long long)i); fflush(stdout); }
void nvtxMarkA(const char* m) { printf("mark %s\\n", m); fflush(stdout); }
"""
PROGRAM = """
import sys
from gpukit.cuda import nvtx
nvtx._candidates = lambda: iter(sys.argv[1:])
assert nvtx.range_push("outer") == 0
with nvtx.range("step {}", 3):
    nvtx.mark("here")
assert nvtx.range_pop() == 0
nvtx.range_end(nvtx.range_start("copy"))
"""


def test_the_calls_reach_the_library(tmp_path):
    (tmp_path / "notes.c").write_text(NOTES)
    library = tmp_path / "libnotes.so"
    compiler = find_compiler("CC", "cc", "gcc")
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(tmp_path / "notes.c")]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "missing.so"), str(library)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:-1] == [
        "push outer",
        "push step 3",
        "mark here",
        "pop",
        "pop",
        "start copy",
        "end 5000000000",
    ]


def test_without_the_library_nothing_happens(monkeypatch):
    monkeypatch.setattr(nvtx, "_library", lambda: None)
    assert nvtx.range_push("a") == nvtx.range_pop() == -2
    assert nvtx.range_start("a") == 0
    nvtx.range_end(0)
    nvtx.mark("a")

    @nvtx.range("again")
    def twice(x):
        return 2 * x

    assert twice(2) == 4


def test_text_is_asked_for():
    for function in (nvtx.range_push, nvtx.range_start, nvtx.mark):
        with pytest.raises(TypeError, match="msg must be a str, got int"):
            function(3)
    with pytest.raises(TypeError, match="range_id must be an int"):
        nvtx.range_end("3")
    assert gpukit.cuda.nvtx is nvtx
