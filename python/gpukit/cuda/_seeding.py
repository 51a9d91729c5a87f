"""Seeds and states of random numbers in torch.cuda's names: one generator serves all devices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gpukit import random
from gpukit._core import Tensor
from gpukit._system import counting
from gpukit.cuda._context import present_index
from gpukit.errors import ArgumentError


def manual_seed(seed: int) -> None:
    """Set the seed of the process-wide generator, which is that of all devices.

    Args:
        seed: An int.

    Raises:
        TypeError: seed is not an int.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.manual_seed(0)
    """
    random.manual_seed(seed)


manual_seed_all = manual_seed


def seed_all() -> None:
    """Give the process-wide generator, which is that of all devices, a seed of the system's.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.seed_all()
    """
    random.seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """Return seed and position of the generator, as a tensor of bytes on the CPU.

    Args:
        device: A device, its name or its index. All devices draw from one generator, the CPU too.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     state = gpukit.cuda.get_rng_state()
        ...     first = gpukit.rand(2, device="cuda")
        ...     gpukit.cuda.set_rng_state(state)
        ...     gpukit.equal(gpukit.rand(2, device="cuda"), first)
        True
    """
    present_index("get_rng_state", device)
    return random.get_rng_state()


def get_rng_state_all() -> list[Tensor]:
    """Return the generator's state once for each device; without a GPU the list is empty.

    Example:
        >>> import gpukit
        >>> len(gpukit.cuda.get_rng_state_all()) == gpukit.cuda.device_count()
        True
    """
    return [random.get_rng_state() for _ in range(counting.device_count())]


def set_rng_state(new_state: Tensor | bytes, device: Any = "cuda") -> None:
    """Go back to what get_rng_state returned, on all devices: one generator serves them.

    Args:
        new_state: What `get_rng_state` returned.
        device: A device, its name or its index.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.
        TypeError: new_state is something else.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.set_rng_state(gpukit.cuda.get_rng_state())
    """
    present_index("set_rng_state", device)
    random.set_rng_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor | bytes]) -> None:
    """Go back to what get_rng_state_all returned.

    Args:
        new_states: One state for each device. All devices draw from one generator, so the states
            have to be equal.

    Raises:
        ArgumentError: The states differ; nothing is changed.
        TypeError: One is no state.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.set_rng_state_all(gpukit.cuda.get_rng_state_all())
    """
    states = list(new_states)
    if len({_bytes_of(state) for state in states}) > 1:
        raise ArgumentError(
            f"set_rng_state_all: new_states has {len(states)} states that differ, and one "
            "generator serves all devices: pass the list that get_rng_state_all() returned"
        )
    for state in states[:1]:
        random.set_rng_state(state)


def _bytes_of(state: Any) -> bytes:
    if isinstance(state, bytes):
        return state
    if isinstance(state, Tensor):
        return repr(state.tolist()).encode()
    raise TypeError(
        f"set_rng_state_all: new_states holds a {type(state).__name__}; a state is what "
        "get_rng_state() returned, a tensor of bytes"
    )
