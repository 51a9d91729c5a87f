"""Products of drawn numbers have the same bits by the host's build of the kernels and by their PTX.

Both use fused multiplications and additions, as machine code does, and tensor cores' sums.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.own_kernels import run, texts_of

PROGRAM = """
import hashlib, sys
import numpy as np
import gpukit

many = gpukit.cuda.get_device_properties(0).multi_processor_count
random = np.random.default_rng(1)
for m, n, k, batch in [(70, 66, 50, 1), (65, 130, 33, many // 2)]:
    shapes = [(batch, m, n), (batch, m, k), (batch, k, n)]
    c, a, b = (gpukit.tensor(random.standard_normal(s), dtype=sys.argv[1]) for s in shapes)
    c, a, b = c.to("cuda:0"), a.to("cuda:0"), b.to("cuda:0")
    for made in (a @ b, gpukit.baddbmm(c, a, b, beta=0.3, alpha=1.7)):
        print(hashlib.sha256(made.cpu().view(gpukit.uint8).numpy().tobytes()).hexdigest())
"""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    families = (
        "matmul_tiled",
        "matmul_thin",
        "matmul_wide",
        "matmul_mma",
        "copy",
        "fill",
        "hot",
        "binary",
    )
    return texts_of(tmp_path_factory, 80, *families)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_both_engines_give_the_same_bits(texts: Path, dtype: str) -> None:
    host = run(PROGRAM, dtype, GPUKIT_SIMULATE="1xB200")
    assert run(PROGRAM, dtype, GPUKIT_SIMULATE=f"1xB200,engine=ptx,ptx={texts}") == host
