"""The energy that a piece of work takes: the card's own counter, or its power over time."""

from __future__ import annotations

import itertools
import threading
import time
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._arguments import number_of
from gpukit.errors import GpukitError, InvalidDeviceError
from gpukit.monitor._scope import Scope
from gpukit.monitor._snapshot import Snapshot, snapshot

if TYPE_CHECKING:
    from typing_extensions import Self

_MIN_INTERVAL = 0.05
# Cards update the counter and the power some ten times a second.
_COARSE_BELOW_SECONDS = 1.0


class Energy(Scope):
    """Joules of one GPU between `start()` and `stop()`, or inside a `with`.

    Both ends wait for the work that is queued on the device. The card's counter is read where it
    has one (Volta and newer); on older cards the power is sampled and integrated, and `source` says
    which. It is the card's whole energy: of idling and of other processes too. A card updates
    its readings about ten times a second, so work of less than a second is measured coarsely:
    repeat it.

    Args:
        device: a CUDA device; None means the current one.
        interval: seconds between samples of the power, for cards without a counter.

    Attributes:
        joules: energy in J, None until the end and if NVML does not report it.
        seconds: time in s; on a simulated device the clock of the simulation.
        source: "counter" or "power"; None where there is neither.
        reason: why `joules` is None.
        simulated: the joules are of a model, not of a card.

    Raises:
        InvalidDeviceError: `device` is not a CUDA device. DeviceNotFoundError: it does not exist.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     x = gpukit.ones(256, 256, device="cuda")
        ...     with gpukit.monitor.energy() as used:
        ...         y = x @ x
        >>> used.joules > 0, used.source, used.simulated
        (True, 'counter', True)
    """

    def __init__(self, device: Any = None, interval: float = 0.1) -> None:
        self.interval = float(number_of("energy", "interval", interval, "a number of seconds"))
        if not _MIN_INTERVAL <= self.interval < float("inf"):
            raise ValueError(
                f"energy: interval must be at least {_MIN_INTERVAL} seconds, got {interval!r}"
            )
        self.device = _core.device("cuda" if device is None else device).resolve()
        if self.device.type != "cuda" or self.device.index is None:
            raise InvalidDeviceError(
                f"energy: {self.device} has no counter; it takes a CUDA device, such as 'cuda:0'"
            )
        self._index = self.device.index
        _core.device_properties(self._index)  # its own errors
        self.joules: float | None = None
        self.seconds: float | None = None
        self.source: str | None = None
        self.reason = ""
        self.simulated = bool(_core.cuda_is_simulated())
        self._samples: list[tuple[float, float | None]] = []
        self._begin: tuple[float, float | None] | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def watts(self) -> float | None:
        """The mean power in W."""
        return self.joules / self.seconds if self.joules is not None and self.seconds else None

    def start(self) -> Self:
        """Wait for the device, and begin."""
        if self._begin is not None:
            raise GpukitError("energy: it has been started already; make a new one")
        counter = self._now()
        self._begin = (self._clock(), counter)
        if counter is None:
            self._thread = threading.Thread(target=self._run, name="gpukit-energy", daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Wait for the device, and end. Calling it twice is fine."""
        if self._begin is None or self.seconds is not None:
            return
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        counter = self._now()
        began, before = self._begin
        self.seconds = max(0.0, self._clock() - began)
        if before is not None and counter is not None:
            self.joules, self.source = max(0.0, counter - before), "counter"
        else:
            self._integrate()

    def _clock(self) -> float:
        if self.simulated:
            from gpukit._simulation.library import virtual_clock_ms

            return virtual_clock_ms(self._index) / 1000
        return time.perf_counter()

    def _now(self) -> float | None:
        """The counter in J, when all work is done; a sample of the power where there is none."""
        _core.synchronize(self.device)
        return self._sample()

    def _sample(self) -> float | None:
        taken: Snapshot = snapshot()
        try:
            gpu = taken.of(self.device)
        except GpukitError as error:
            self.reason = str(error)
            return None
        self._samples.append((time.perf_counter(), gpu.power_draw))
        if gpu.energy is None:
            self.reason = gpu.missing.get("power_draw", "") or gpu.missing.get("energy", "")
        return gpu.energy

    def _run(self) -> None:
        while not self._stop.wait(self.interval):
            self._sample()

    def _integrate(self) -> None:
        """The area under the sampled power, by trapezia."""
        known = [(at, watts) for at, watts in self._samples if watts is not None]
        if len(known) < 2 or self.simulated:
            self.reason = self.reason or "the GPU tells neither energy nor power"
            return
        pairs = itertools.pairwise(known)
        self.joules = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairs)
        self.source, self.reason = "power", ""

    def __repr__(self) -> str:
        if self.joules is None or self.seconds is None:
            return f"Energy(device={str(self.device)!r}, joules=None: {self.reason or 'not ended'})"
        mark = ", simulated" if self.simulated else ""
        is_short = self.seconds < _COARSE_BELOW_SECONDS and not self.simulated
        coarse = "; short, so coarse" if is_short else ""
        return (
            f"{self.joules:.3g} J in {self.seconds:.3g} s ({self.watts or 0:.0f} W) on "
            f"{self.device}, by {self.source}{mark}{coarse}"
        )


def energy(device: Any = None, interval: float = 0.1) -> Energy:
    """Return what measures the energy of a `with` block, in joules. See `Energy`.

    Args:
        device: a CUDA device; None means the current one.
        interval: seconds between samples of the power, for cards without a counter.

    Raises:
        InvalidDeviceError: `device` is not a CUDA device. DeviceNotFoundError: it does not exist.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"), gpukit.monitor.energy() as used:
        ...     _ = gpukit.ones(64, 64, device="cuda").sum()
        >>> used.joules > 0
        True
    """
    return Energy(device, interval)
