"""`gpukit.simulate()`: CUDA devices that hold real values and run real kernels, on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from gpukit import _core, _env
from gpukit._arguments import int_of
from gpukit._simulation.arguments import memory_of, text_of
from gpukit._simulation.library import library_path, simulator, virtual_clock_ms
from gpukit.errors import GpukitError, SimulationError

if TYPE_CHECKING:
    from typing_extensions import Self

    from gpukit._simulation.launch_counts import LaunchCounts

_ENDED = "its simulation has ended"
_active: Simulation | None = None


class SimulatedEvent(NamedTuple):
    """One piece of work on the virtual clock. Milliseconds since the simulation began.

    `counts` is what a launch of PTX was counted by, once it has ended; only with `counts=True`.
    """

    device: str
    stream: int
    what: str
    start_ms: float
    end_ms: float
    bytes: int
    counts: LaunchCounts | None = None


class Simulation:
    """A running simulation. `stop()` or the end of a `with` block ends it; its tensors raise then.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.is_initialized()  # doctest: +SKIP
        False
    """

    def __init__(self, text: str, *, virtual: bool = True) -> None:
        self.text = text
        self._virtual = virtual  # False: logical devices over a real one
        self._stopped = False

    @property
    def devices(self) -> list[_core.device]:
        """The simulated devices; [] once the simulation has ended."""
        if self._stopped:
            return []
        return [_core.device("cuda", index) for index in range(_core.cuda_device_count())]

    def clock_ms(self, device: Any = 0) -> float:
        """Milliseconds of a device's virtual clock: the end of its latest work.

        Args:
            device: A simulated CUDA device, its name or its index.

        Returns:
            Milliseconds since the simulation began.

        Raises:
            SimulationError: The simulation has ended, or the device is not simulated.
        """
        if self._stopped:
            raise SimulationError("clock_ms: the simulation has ended")
        if not self._virtual:
            raise SimulationError("clock_ms: on a real device there is no virtual clock")
        index = _core.device(device).resolve().index
        if index is None:
            raise SimulationError(
                "clock_ms: the CPU is not simulated; name a CUDA device, e.g. 'cuda:0'"
            )
        _core.device_properties(index)  # refuses an index that does not exist
        return virtual_clock_ms(index)

    def events(self) -> list[SimulatedEvent]:
        """The work charged to the virtual clock, oldest first: the last 100 000 items.

        Times are the model's: link, latency, launch, and what moving the bytes or doing the
        arithmetic takes at the card's best. They are not measurements. Counts are exact; those of a
        launch are there when it has ended: call `gpukit.cuda.synchronize()` before.
        """
        if self._stopped:
            raise SimulationError("events: the simulation has ended")
        if not self._virtual:
            raise SimulationError("events: on a real device there is no virtual clock")
        return _read_events()

    def last_message(self) -> str:
        """The simulated driver's last message: why a kernel failed or code was refused, or "".

        It is the text printed to stderr, which a notebook does not show: kernel, block, thread,
        index and the line of the source.
        """
        if self._stopped:
            raise SimulationError("last_message: the simulation has ended")
        if self.text.startswith("count="):
            raise SimulationError("last_message: a real device does not monitor kernels")
        message: bytes = simulator().gpukitSimLastMessage()
        return message.decode(errors="replace")

    def stop(self) -> None:
        """End the simulation. Its tensors raise DeviceError when used. Calling it twice is fine."""
        global _active
        if self._stopped:
            return
        self._stopped = True
        if _active is self:
            _active = None
        _core.reset_session(_ENDED)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "ended" if self._stopped else "running"
        return f"<gpukit.Simulation {self.text} ({state})>"


def active_text() -> str:
    """What describes the running simulation, "" when there is none."""
    return _active.text if _active is not None else ""


def stop_active() -> None:
    """End the running simulation, if there is one."""
    if _active is not None:
        _active.stop()


def restart(text: str) -> Simulation:
    """Start what a text such as "2xT4" describes, in place of the simulation that runs."""
    check_text(text)
    stop_active()
    _refuse_overlap()
    return _start(text)


def _raw_events() -> list[Any]:
    """The log as the simulator hands it over, oldest first."""
    import ctypes

    class Event(ctypes.Structure):
        _fields_ = (
            ("what", ctypes.c_char_p),
            ("device", ctypes.c_int),
            ("stream", ctypes.c_int),
            ("start_ms", ctypes.c_double),
            ("end_ms", ctypes.c_double),
            ("bytes", ctypes.c_uint64),
            ("number", ctypes.c_uint64),
            ("is_counted", ctypes.c_int),
        )

    read = simulator().gpukitSimEvents
    read.restype = ctypes.c_uint64
    room = int(read(None, ctypes.c_uint64(0)))
    events = (Event * room)()
    count = min(room, int(read(events, ctypes.c_uint64(room))))
    return list(events[:count])


def logged_events() -> list[SimulatedEvent]:
    """The running simulation's log, oldest first, without counts."""
    return [
        SimulatedEvent(
            f"cuda:{event.device}",
            event.stream,
            event.what.decode(),
            event.start_ms,
            event.end_ms,
            event.bytes,
        )
        for event in _raw_events()
    ]


def _read_events() -> list[SimulatedEvent]:
    from gpukit._simulation import launch_counts

    return [
        SimulatedEvent(
            f"cuda:{event.device}",
            event.stream,
            event.what.decode(),
            event.start_ms,
            event.end_ms,
            event.bytes,
            launch_counts.read(simulator(), event.number) if event.is_counted else None,
        )
        for event in _raw_events()
    ]


def counted(call: Callable[[], Any]) -> LaunchCounts | None:
    """Calls, waits, and sums what the running simulation counted meanwhile; None where nothing."""
    if _active is None or not simulator().gpukitSimIsCounting():
        call()
        return None
    from gpukit import cuda
    from gpukit._simulation import launch_counts

    before = max((event.number for event in _raw_events()), default=-1)
    call()
    for device in _active.devices:
        cuda.synchronize(device)
    return launch_counts.total(
        [
            launch
            for event in _raw_events()
            if event.number > before and event.is_counted
            if (launch := launch_counts.read(simulator(), event.number)) is not None
        ]
    )


def _reinstall() -> str:
    return str(_core.install_command()).replace("install", "install --force-reinstall", 1)


def _check_available() -> None:
    if not _core.build_info()["cuda"]:
        raise SimulationError(
            "simulate: this gpukit was built without its CUDA part (GPUKIT_CUDA=0), and so without "
            f"the simulator. Install a build with CUDA: {_reinstall()}"
        )
    if not library_path().is_file():
        raise SimulationError(
            "simulate: the simulator's library is missing from this installation. "
            f"Use {_reinstall()}"
        )


def known_cards() -> list[str]:
    """Names of the cards that can be simulated."""
    _check_available()
    names: bytes = simulator().gpukitSimCards()
    return names.decode().split("\n")


def check_text(text: str) -> None:
    """Check a text such as "2xT4,mem=4GiB" without starting anything; the simulator parses it.

    Raises:
        ValueError: The text names no device, an unknown card or setting, or a wrong value.
        SimulationError: This gpukit has no simulator.
    """
    _check_available()
    if not text.strip():
        raise ValueError("simulate: name the devices, e.g. '2xT4'")
    fault = simulator().gpukitSimFaultOf(text.encode()).decode()
    if fault:
        raise ValueError(f"simulate: {fault}")


def _start(text: str, library: Path | None = None) -> Simulation:
    """Replace the driver by the simulated one and open it."""
    global _active
    _core.replace_session(str(library or library_path()), text, _ENDED)
    try:
        _core.driver_report()
    except GpukitError as error:
        _core.reset_session(_ENDED)
        raise ValueError(f"simulate: {error}") from error
    _active = Simulation(text, virtual=library is None)
    if library is None and simulator().gpukitSimIsChecking():
        # Then each tensor has its own allocation, so that its end can be checked.
        for index in range(_core.cuda_device_count()):
            _core.set_pool(_core.device("cuda", index), "none")
    return _active


@contextmanager
def replaced(text: str) -> Iterator[Simulation]:
    """Run the simulation that a text describes; the current one restarts afterwards."""
    check_text(text)
    _core.prepare_cuda()
    own = _active
    if own is not None:
        own.stop()
    _refuse_overlap()
    try:
        with _start(text) as running:
            yield running
    finally:
        if own is not None:
            _start(own.text)


def _start_on(real: _core.device, n: int, memory: Any) -> Simulation:
    """Logical devices over a real one: the bridge takes the place of its driver, and opens it."""
    card = real.resolve().index or 0
    _core.device_properties(card)  # DeviceNotFoundError when there is none
    below = _core.driver_report()["library"]
    limit = f"mem={memory_of(memory)}," if memory is not None else ""
    bridge = library_path().with_name("libgpukit_simbridge.so")
    return _start(f"count={n},card={card},{limit}driver={below}", bridge)


def start_from_environment() -> None:
    """Start the simulation of GPUKIT_SIMULATE; called once, before the first use of CUDA."""
    text = _env.text("GPUKIT_SIMULATE")
    if not text or _active is not None:
        return
    try:
        _check_available()
        check_text(text)
        _start(text)
    except (ValueError, SimulationError) as error:
        sys.stderr.write(f"gpukit: GPUKIT_SIMULATE={text!r} is not used. {error}\n")


def _refuse_overlap() -> None:
    if _active is not None:
        raise SimulationError(
            f"simulate: the simulation {_active.text} is running; end it with .stop() first"
        )
    # What cuBLAS works in is allocated, but no tensor: it goes with the session.
    if not _core.session_is_open() or not _core.live_counts()["device_buffers"]:
        return
    for index in range(_core.cuda_device_count()):
        held = _core.memory_stats(_core.device("cuda", index))["allocated_bytes"]
        if held:
            raise SimulationError(
                f"simulate: tensors of {held} B live on the real cuda:{index}; delete them first"
            )


def simulate(
    n: int = 2,
    card: str = "T4",
    *,
    memory: int | str | None = None,
    link_gbps: float | None = None,
    launch_us: float | None = None,
    on: Any = "cpu",
    realtime: bool = False,
    fault: str | None = None,
    seed: int = 0,
    engine: str = "host",
    check: str | None = None,
    counts: bool = False,
) -> Simulation:
    """Give this process `n` simulated CUDA devices until `.stop()`, or for a `with` block.

    They hold real values, run gpukit's own kernels on the CPU, and are always labelled.

    Args:
        n: number of devices, 1 to 64.
        card: the card to simulate: its properties, memory and speed.
        memory: bytes (or text such as "4GiB") of each device instead of the card's own.
        link_gbps: GB/s of each direction of the link to the host.
        launch_us: microseconds per launch.
        on: what computes: "cpu", or a real device such as "cuda:0", which is shared by `n` logical
            devices: of the other arguments only `memory` counts then.
        realtime: sleep for the simulated times instead of keeping a virtual clock.
        fault: a scripted failure, e.g. "oom@3", "lost@1", "no_device".
        seed: 0 runs threads in order; any other number in a random order of that seed.
        engine: "host" runs gpukit's own kernels as the host's compiler made them; "ptx" interprets
            PTX wherever an image holds it. Kernels of others are always run as PTX.
        check: what PTX kernels are checked for: "race", "init" (reads of uninitialised memory),
            "sync" (divergent barriers), several joined by "+", or "all". A finding ends the launch.
        counts: count the work of PTX launches: instructions, sectors of memory, conflicts of banks,
            divergent branches; `Simulation.events()` has them.

    Raises:
        ValueError: an unknown card or setting; the message suggests the nearest names.
        SimulationError: a simulation is running, or tensors on real GPUs are alive.

    Example:
        >>> import gpukit
        >>> gpukit.simulate(0)
        Traceback (most recent call last):
        ...
        ValueError: simulate: n must be 1 to 64, got 0
    """
    n = int_of("simulate", "n", n)
    text = text_of(
        n, card, memory=memory, link_gbps=link_gbps, launch_us=launch_us, realtime=realtime,
        fault=fault, seed=seed, engine=engine, check=check, counts=counts,
    )  # fmt: skip
    real = _core.device(on)
    _check_available()
    if real.type != "cpu":
        _core.prepare_cuda()
        _refuse_overlap()
        return _start_on(real, n, memory)
    check_text(text)
    _core.prepare_cuda()
    _refuse_overlap()
    return _start(text)
