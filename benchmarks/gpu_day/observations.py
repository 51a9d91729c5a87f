"""Prints what a program sees of a device, as JSON: what must not depend on the device."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import gpukit


def error_of(action: Callable[[], Any]) -> str:
    """The class of what it raises, with the built-in it also is."""
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}({', '.join(b.__name__ for b in type(error).__bases__)})"
    return "nothing raised"


def bits(tensor: gpukit.Tensor) -> str:
    return hashlib.sha256(tensor.cpu().numpy().tobytes()).hexdigest()[:16]


def seeded(draw: Callable[[], gpukit.Tensor]) -> str:
    gpukit.manual_seed(11)
    return bits(draw())


def two_streams() -> bool:
    """A copy on one stream is seen by another that waited for its event."""
    first, second = gpukit.cuda.Stream(), gpukit.cuda.Stream()
    with gpukit.cuda.stream(first):
        x = gpukit.ones(1 << 20, device="cuda") * 3
        event = first.record_event()
    second.wait_event(event)
    with gpukit.cuda.stream(second):
        return (x + 1).sum().item() == 4 * (1 << 20)


def events() -> bool:
    start, end = (gpukit.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    gpukit.ones(8, device="cuda").sum()
    end.record()
    end.synchronize()
    return start.query() and end.query() and start.elapsed_time(end) >= 0


def observations() -> dict[str, str]:
    huge = 1 << 50
    count = gpukit.cuda.device_count()
    seen: dict[str, Any] = {
        "out of memory": error_of(lambda: gpukit.empty(huge, device="cuda")),
        "works after out of memory": gpukit.ones(3, device="cuda").sum().item(),
        "absent device": error_of(lambda: gpukit.ones(1, device=f"cuda:{count + 7}")),
        "two devices": error_of(lambda: gpukit.ones(1, device="cuda") + gpukit.ones(1)),
        "event without timing": error_of(
            lambda: gpukit.cuda.Event().elapsed_time(gpukit.cuda.Event())
        ),
        "events": events(),
        "streams": two_streams(),
        "uniform bits": seeded(lambda: gpukit.rand(1000, device="cuda")),
        "integer bits": seeded(lambda: gpukit.randint(0, 1 << 20, (1000,), device="cuda")),
        "permutation": seeded(lambda: gpukit.randperm(257, device="cuda")),
        "add bits": bits(gpukit.arange(999, device="cuda") * 0.1 + 0.7),
        "sum bits": bits(gpukit.arange(100_000, device="cuda", dtype="float32").sqrt().sum()),
        "sort bits": bits(gpukit.sort(gpukit.arange(5000, device="cuda") * 7919 % 5003)[0]),
        "fresh stream is idle": gpukit.cuda.Stream().query(),
    }
    return {name: str(value) for name, value in seen.items()}


if __name__ == "__main__":
    print(json.dumps(observations()))
