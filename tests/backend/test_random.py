"""Random numbers: ranges, moments, seeds, and the same bits on every device."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import FLOATING, INTEGERS, fetch


def draw(function, device, *arguments, seed=7, **options):
    return fetch(function(*arguments, device=device, generator=seeded(seed), **options))


def seeded(seed):
    generator = gpukit.Generator()
    generator.manual_seed(seed)
    return generator


def test_uniform_and_integer_bits_are_those_of_the_cpu(device):
    for dtype in FLOATING:
        for count in (1, 3, 1001):
            here, there = (
                draw(gpukit.rand, device, count, dtype=dtype),
                draw(gpukit.rand, "cpu", count, dtype=dtype),
            )
            np.testing.assert_array_equal(here, there)
    for dtype in INTEGERS:
        here = draw(gpukit.randint, device, 3, 90, (257,), dtype=dtype)
        np.testing.assert_array_equal(here, draw(gpukit.randint, "cpu", 3, 90, (257,), dtype=dtype))
    np.testing.assert_array_equal(
        draw(gpukit.randperm, device, 100), draw(gpukit.randperm, "cpu", 100)
    )


@pytest.mark.parametrize("dtype", [*FLOATING, *INTEGERS, "bool"])
def test_ends_and_odd_places_are_those_of_the_cpu(dtype, device):
    """A thread stores 16 bytes, but at the end and at addresses that vectors may not have."""
    call = (
        (lambda x, g: x.uniform_(generator=g))
        if dtype in FLOATING
        else (lambda x, g: x.random_(0, 2, generator=g))
    )
    for first, count in ((0, 8), (0, 15), (0, 16), (0, 17), (1, 16), (3, 40), (8, 24)):
        here, there = (
            gpukit.zeros(first + count + 5, dtype=dtype, device=where) for where in (device, "cpu")
        )
        for x in (here, there):
            call(x[first : first + count], seeded(11))
        np.testing.assert_array_equal(fetch(here), fetch(there), f"{first} {count}")
        assert not fetch(here)[first + count :].any() and not fetch(here)[:first].any()


def test_normals_are_within_four_ulp_of_the_cpu(device):
    for dtype in FLOATING:
        here, there = (
            draw(gpukit.randn, device, 1001, dtype=dtype),
            draw(gpukit.randn, "cpu", 1001, dtype=dtype),
        )
        assert (
            np.abs(here.astype(np.float64) - there)
            <= 4 * np.spacing(np.abs(there)).astype(np.float64)
        ).all()


def test_distributions(device):
    uniform = draw(gpukit.rand, device, 20_000)
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.01
    assert abs(uniform.var() - 1 / 12) < 0.005
    normal = draw(gpukit.randn, device, 20_000)
    assert abs(normal.mean()) < 0.03
    assert abs(normal.std() - 1) < 0.03
    assert abs((normal**3).mean()) < 0.15
    whole = draw(gpukit.randint, device, -2, 3, (5000,))
    assert sorted(set(whole.tolist())) == [-2, -1, 0, 1, 2]


def test_seeds(device):
    gpukit.manual_seed(3)
    first, second = fetch(gpukit.rand(5, device=device)), fetch(gpukit.rand(5, device=device))
    gpukit.manual_seed(3)
    assert (fetch(gpukit.rand(5, device=device)) == first).all()
    assert not (first == second).any()
    generator = seeded(1)
    gpukit.rand(3, generator=generator, device=device)
    state = generator.get_state()
    after = fetch(gpukit.randn(4, generator=generator, device=device))
    generator.set_state(state)
    assert (fetch(gpukit.randn(4, generator=generator, device=device)) == after).all()


def test_permutations(device):
    for count in (0, 1, 2, 1000):
        assert sorted(fetch(gpukit.randperm(count, device=device)).tolist()) == list(range(count))
    assert fetch(gpukit.randperm(100, device=device)).tolist() != list(range(100))


def test_in_place(device):
    x = gpukit.zeros(100, 50, device=device)
    x.uniform_(-3, -2)
    values = fetch(x)
    assert values.min() >= -3
    assert values.max() < -2
    x[:, ::2].normal_(10, 0.5)
    values = fetch(x)
    assert abs(values[:, ::2].mean() - 10) < 0.1
    assert values[:, 1::2].max() < -2


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda d: gpukit.rand(2, dtype="int64", device=d),
            gpukit.DTypeError,
            "rand: dtype int64 is not a floating type. Use randint.",
        ),
        (lambda d: gpukit.randint(5, 5, (2,), device=d), ValueError, "randint: low"),
        (
            lambda d: gpukit.randint(0, 300, (2,), dtype="uint8", device=d),
            ValueError,
            "uint8 holds whole numbers from 0 to 255",
        ),
        (lambda d: gpukit.randperm(-1, device=d), ValueError, "randperm: n"),
        (lambda d: gpukit.zeros(2, device=d).uniform_(2, 1), ValueError, "uniform_: from"),
        (
            lambda d: gpukit.zeros(2, device=d).uniform_(-3e38, 3e38),
            ValueError,
            "to - from is beyond float32",
        ),
        (
            lambda d: gpukit.zeros(2, dtype="float16", device=d).uniform_(-4e4, 4e4),
            ValueError,
            "to - from is beyond float16",
        ),
        (
            lambda d: gpukit.zeros(2, dtype="float64", device=d).uniform_(-1.7e308, 1.7e308),
            ValueError,
            "to - from is beyond float64",
        ),
        (lambda d: gpukit.zeros(2, device=d).normal_(0, -1), ValueError, "normal_: std"),
    ],
)
def test_refusals(call, error, text, device):
    with pytest.raises(error) as caught:
        call(device)
    assert text in str(caught.value)
