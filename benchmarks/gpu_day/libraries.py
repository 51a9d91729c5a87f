"""gpukit and the libraries it is measured beside, as the stage `peers` uses them."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import gpukit
from gpu_day.sheet import simulated

Array = np.ndarray[Any, Any]
COMPARED = 1 << 20  # elements of an answer


@dataclass(frozen=True)
class Library:
    """One library: how to bring an array to the GPU and back, and how to wait."""

    name: str
    module: Any
    upload: Callable[[Array], Any]
    download: Callable[[Any], Array]
    wait: Callable[[], Any]

    def cast(self, x: Any, dtype: str) -> Any:
        if self.name == "cupy":
            return x.astype(dtype)
        return x.to(getattr(self.module, dtype))

    def clone(self, x: Any) -> Any:
        return x.copy() if self.name == "cupy" else x.clone()

    def few(self, x: Any) -> Any:
        """At most some elements of a (first) answer, evenly spaced: comparing all takes long."""
        x = x[0] if isinstance(x, tuple) else x
        count = math.prod(x.shape)
        return x.reshape(-1)[:: max(1, count // COMPARED) | 1]

    @property
    def has_tensors(self) -> bool:
        """Whether it has torch's names: modules, optimizers, pinned tensors, precision modes."""
        return self.name != "cupy"


def gpukit_itself() -> Library:
    return Library(
        "gpukit",
        gpukit,
        lambda a: gpukit.tensor(a).to("cuda"),
        lambda t: t.to("cpu", dtype="float64").numpy(),
        lambda: gpukit.synchronize("cuda"),
    )


def torch_library(torch: Any) -> Library:
    torch.zeros(1, device="cuda")
    return Library(
        "torch",
        torch,
        lambda a: torch.from_numpy(a).cuda(),
        lambda t: t.to("cpu", dtype=torch.float64).numpy(),
        torch.cuda.synchronize,
    )


def cupy_library(cupy: Any) -> Library:
    wait = cupy.cuda.Device(0).synchronize
    return Library("cupy", cupy, cupy.asarray, cupy.asnumpy, wait)


def find_libraries() -> tuple[list[Library], list[str]]:
    """The libraries that are here and see the GPU, gpukit first, and why another is not."""
    found, missing = [gpukit_itself()], []
    if simulated():
        return found, ["torch and CuPy cannot use a simulated GPU"]
    for name, make in {"torch": torch_library, "cupy": cupy_library}.items():
        try:
            found.append(make(importlib.import_module(name)))
        except Exception as error:  # noqa: PERF203 (whatever a peer raises is its reason)
            missing.append(f"{name}: {type(error).__name__}: {error}")
    return found, missing


def random(*shape: int) -> Array:
    return np.random.default_rng(7).standard_normal(shape, dtype=np.float32)
