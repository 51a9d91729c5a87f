"""Which way copies go: the bytes that cross the link, as the simulated driver counts them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gpukit
from support.simulation import simulation

COUNT = 1000
LINK = {"copy to device", "copy to host"}


def crossing(call: Callable[[], object]) -> list[int]:
    """The bytes of each copy between host and device during the call."""
    with simulation(2) as sim:
        call()
        gpukit.cuda.synchronize()
        return [event.bytes for event in sim.events() if event.what in LINK]


def there(dtype: str) -> gpukit.Tensor:
    """Ones that were made on the device: nothing crosses for them."""
    return gpukit.ones(COUNT, dtype=dtype, device="cuda:0")


@pytest.mark.parametrize(
    ("call", "itemsize"),
    [
        (lambda: gpukit.ones(COUNT, dtype="float16").to("cuda:0", "float64"), 2),
        (lambda: gpukit.ones(COUNT, dtype="float64").to("cuda:0", "float16"), 2),
        (lambda: there("float16").to("cpu", "float32"), 2),
        (lambda: there("float64").to("cpu", "float32"), 4),
        # Nobody waits for it, so that the host cannot convert it.
        (lambda: there("float16").to("cpu", "float32", non_blocking=True), 4),
    ],
)
def test_the_smaller_dtype_crosses(call: Callable[[], gpukit.Tensor], itemsize: int) -> None:
    assert crossing(call) == [COUNT * itemsize]


def test_values_are_those_of_a_cast_before() -> None:
    with simulation(1):
        halves = gpukit.linspace(-3, 3, COUNT).half()
        up = halves.to("cuda:0", "float32")
        assert up.dtype == gpukit.float32
        assert (up.cpu() == halves.float()).all().item()
        back = up.half().to("cpu", "float64")
        assert (back == halves.double()).all().item()


def test_the_gradient_comes_back_in_the_dtype_of_the_source() -> None:
    with simulation(1):
        x = gpukit.ones(4, dtype="float16", requires_grad=True)
        (x.to("cuda:0", "float32") * 3).sum().backward()
        assert x.grad is not None
        assert x.grad.dtype == gpukit.float16
        assert x.grad.tolist() == [3] * 4
