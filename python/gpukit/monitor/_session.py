"""A session that a service ends: how much is left, what the GPU did, and work that goes on."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gpukit._arguments import function_of, number_of
from gpukit._names.suggest import near
from gpukit._system.machine import Machine
from gpukit._system.platforms import detect
from gpukit._system.session_limits import LIMITS, age_seconds, job_end
from gpukit.errors import CheckpointError, GpukitError
from gpukit.monitor._scope import Scope
from gpukit.monitor._snapshot import snapshot
from gpukit.report import Column, Table, Tabular

if TYPE_CHECKING:
    from typing_extensions import Self

_Item = TypeVar("_Item")
_MINUTE = 60.0
_LASTING = {"colab": "/content/drive", "kaggle": "/kaggle/working"}
_ADVICE = {
    "colab": "Mount Google Drive and save below /content/drive.",
    "kaggle": "Save below /kaggle/working, which a saved version of the notebook keeps.",
}


def _print_note(text: str) -> None:
    sys.stderr.write(f"gpukit: {text}\n")
    sys.stderr.flush()


def _minutes(name: str, value: Any) -> float:
    minutes = float(number_of("session", name, value, "a number of minutes"))
    if not 0 < minutes < float("inf"):
        raise ValueError(f"session: {name} must be above 0, got {value!r}")
    return minutes * _MINUTE


def _clock_text(seconds: float) -> str:
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


class Session(Scope, Tabular):
    """Watches a session that a service will end, and saves work so that the next one goes on.

    A thread samples the GPUs from `start()` to `stop()`. It says when little of the session is
    left, and when a GPU is held that does nothing; nothing is sent anywhere. `steps()` goes through
    the steps of the work, saves after a step when it is time, and begins where the saved file
    ended.

    Args:
        file: where the state is saved; one file, replaced as a whole.
        state: name -> object with `state_dict()` and `load_state_dict()`: model, optimizer.
        hours: how long a session lasts. Default: what is known of Colab (12 h), Kaggle (12 h) and
            Studio Lab (4 h), and the end of a SLURM job; elsewhere there is no end.
        warn_minutes: warn when so much is left.
        save_minutes: when so much is left, save after every step (at most once a minute).
        every_minutes: save at this interval regardless of the time left; free sessions also end
            without notice.
        idle_minutes: warn when no GPU has worked for so long.
        interval: seconds between looks.
        save, load: `save(state, path)` and `load(path)`; default gpukit's, torch's do as well.
        tell: what takes the warnings, a text each; default stderr.

    Attributes:
        platform: "colab", "kaggle", "slurm", …
        done: how many steps are saved or were resumed.

    Raises:
        TypeError: `state` holds something without `state_dict`. ValueError: a time is not above 0.

    Example:
        >>> import gpukit, tempfile
        >>> file = tempfile.mkdtemp() + "/run.pth"
        >>> def work(last):
        ...     layer = gpukit.nn.Linear(2, 1)
        ...     with gpukit.monitor.session(file, {"layer": layer}, every_minutes=1e-9) as session:
        ...         return [epoch for epoch in session.steps(range(last))]
        >>> work(2), work(5)
        ([0, 1], [2, 3, 4])
    """

    def __init__(
        self,
        file: str | os.PathLike[str] | None = None,
        state: Mapping[str, Any] | None = None,
        *,
        hours: float | None = None,
        warn_minutes: float = 30.0,
        save_minutes: float = 10.0,
        every_minutes: float = 15.0,
        idle_minutes: float = 15.0,
        interval: float = 10.0,
        save: Callable[[Any, str], Any] | None = None,
        load: Callable[[str], Any] | None = None,
        tell: Callable[[str], Any] | None = None,
    ) -> None:
        self._file = None if file is None else Path(file)
        self._state = _checked(state)
        if self._state and self._file is None:
            raise TypeError("session: state needs a file to be saved to")
        self._warn = _minutes("warn_minutes", warn_minutes)
        self._ending = _minutes("save_minutes", save_minutes)
        self._every = _minutes("every_minutes", every_minutes)
        self._idle_limit = _minutes("idle_minutes", idle_minutes)
        self._interval = _minutes("interval", interval) / _MINUTE
        self._save = function_of("session", "save", save, "gpukit.save")
        self._load = function_of("session", "load", load, "gpukit.load")
        self._print_note = function_of("session", "tell", tell, "print") or _print_note
        machine = Machine()
        self.platform = detect(machine).name
        self._began = time.monotonic()
        self._age = age_seconds(machine) if self.platform in LIMITS else 0.0
        self._length = self._length_of(hours, machine)
        self.done = 0
        self._saved_at = self._began
        self._held = self._busy = self._idle = 0.0
        self._said: set[str] = set()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._ended_by = _Termination(self._print_note)

    def _length_of(self, hours: float | None, machine: Machine) -> float | None:
        """Seconds from the session's beginning to its end."""
        if hours is not None:
            return _minutes("hours", hours) * 60
        if self.platform in LIMITS:
            return LIMITS[self.platform].hours * 3600
        end = job_end(machine)
        return None if end is None else max(0.0, end - time.time())

    # ---- what it knows

    @property
    def age_minutes(self) -> float:
        """Since the session began: on a hosted notebook the machine, elsewhere this object."""
        return ((self._age or 0.0) + time.monotonic() - self._began) / _MINUTE

    @property
    def left_minutes(self) -> float | None:
        """Until the session ends, as far as is known; None where there is no end."""
        return None if self._length is None else self._length / _MINUTE - self.age_minutes

    @property
    def held_minutes(self) -> float:
        """While this object looked and there was a GPU."""
        return self._held / _MINUTE

    @property
    def busy_minutes(self) -> float:
        """While this object looked and a GPU worked."""
        return self._busy / _MINUTE

    def to_table(self) -> Table:
        """One line for each figure."""
        left = self.left_minutes
        rows = [
            ("platform", self.platform),
            ("age", _clock_text(self.age_minutes * _MINUTE)),
            ("left", None if left is None else _clock_text(max(0.0, left) * _MINUTE)),
            ("GPU held", _clock_text(self._held)),
            ("GPU busy", _clock_text(self._busy)),
            ("steps done", str(self.done)),
        ]
        shown = [{"what": what, "value": value} for what, value in rows if value is not None]
        limit = LIMITS.get(self.platform)
        notes = [f"Limits as of {limit.as_of}: {limit.source}."] if limit else []
        columns = (Column("what", "session"), Column("value", ""))
        return Table("This session", columns, shown, notes)

    # ---- looking

    def start(self) -> Self:
        """Begin to look at the GPUs, in a daemon thread."""
        if self._thread is not None:
            raise GpukitError("session: it has been started already; make a new one")
        self._warn_about_location()
        self._thread = threading.Thread(target=self._run, name="gpukit-session", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End. Calling it twice is fine."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _warn_about_location(self) -> None:
        lasting = _LASTING.get(self.platform)
        if self._file and lasting and not str(self._file.absolute()).startswith(lasting):
            self._print_note(f"{self._file} is lost with the session. {_ADVICE[self.platform]}")

    def _run(self) -> None:
        last = time.monotonic()
        while not self._stop.wait(self._interval):
            now = time.monotonic()
            self._sample(now - last)
            last = now

    def _sample(self, seconds: float) -> None:
        """Count the time since the last look as it is now, and warn once of each matter."""
        gpus = snapshot().gpus
        works = any(gpu.utilization for gpu in gpus)
        self._held += seconds if gpus else 0.0
        self._busy += seconds if works else 0.0
        self._idle = 0.0 if works or not gpus else self._idle + seconds
        if not self._idle:
            self._said.discard("idle")
        elif self._idle >= self._idle_limit:
            self._say_once("idle", self._idle_text())
        left = self.left_minutes
        if left is not None and left * _MINUTE <= self._warn:
            self._say_once("end", self._end_text(left))

    def _say_once(self, what: str, text: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self._print_note(text)

    def _idle_text(self) -> str:
        text = f"no GPU has worked for {_clock_text(self._idle)}, and the session goes on"
        limit = LIMITS.get(self.platform)
        if limit and limit.idle_minutes:
            return f"{text}; it ends after about {limit.idle_minutes:.0f} min without use"
        return f"{text}; end it if you do not need it"

    def _end_text(self, left: float) -> str:
        text = f"about {max(0.0, left):.0f} min of this session are left"
        if not self._state:
            return f"{text}: save what you need"
        return f"{text}; {self.done} steps are saved in {self._file}"

    # ---- saving and going on

    def save(self) -> None:
        """Save the state and the number of steps done, in place of the file's old content.

        Raises:
            CheckpointError: There is no file to save to.
        """
        if self._file is None:
            raise CheckpointError("session: there is no file to save to; session(file, state)")
        import gpukit

        document = {
            "gpukit_session": 1,
            "done": self.done,
            "state": {name: each.state_dict() for name, each in self._state.items()},
        }
        beside = self._file.with_name(f".part-{self._file.name}")
        (self._save or gpukit.save)(document, str(beside))
        beside.replace(self._file)
        self._saved_at = time.monotonic()

    def resume(self) -> int:
        """Load what was saved, if there is such a file; gives the number of steps that are done.

        Raises:
            CheckpointError: The file was not saved by a session with the same names.
        """
        if self._file is None or not self._file.exists():
            return 0
        import gpukit

        document = (self._load or gpukit.load)(str(self._file))
        if not isinstance(document, dict) or document.get("gpukit_session") != 1:
            raise CheckpointError(f"session: {self._file} was not saved by gpukit.monitor.session")
        if set(document["state"]) != set(self._state):
            raise CheckpointError(
                f"session: {self._file} holds {sorted(document['state'])}, and state has "
                f"{sorted(self._state)}; name the same objects, or another file"
            )
        for name, each in self._state.items():
            each.load_state_dict(document["state"][name])
        self.done = int(document["done"])
        return self.done

    def steps(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """Resume, and give the items that are not done yet; saves between them and at the end.

        A step that raises is not counted. SIGTERM waits until the step has ended and is saved.

        Args:
            items: the steps, the same in every session: `range(epochs)`.

        Returns:
            The items after those that were done.
        """
        self.resume()
        with self._ended_by:
            for item in itertools.islice(items, self.done, None):
                yield item
                self.done += 1
                if self._file is not None and self._is_due():
                    self.save()
                if self._ended_by.asked:
                    return
            if self._file is not None:
                self.save()

    def _is_due(self) -> bool:
        left = self.left_minutes
        ending = left is not None and left * _MINUTE <= self._ending
        since = time.monotonic() - self._saved_at
        return self._ended_by.asked or since >= (
            min(self._every, _MINUTE) if ending else self._every
        )


class _Termination:
    """Notes a SIGTERM, and sends it again at the end. Only the main thread can."""

    def __init__(self, tell: Callable[[str], Any]) -> None:
        self.asked = False
        self._print_note = tell
        self._before: Any = None

    def _note(self, *_: Any) -> None:
        self.asked = True

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, self._note)

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            return
        signal.signal(signal.SIGTERM, self._before)
        if self.asked:
            self._print_note("SIGTERM: the step has ended and is saved")
            signal.raise_signal(signal.SIGTERM)


def _checked(state: Mapping[str, Any] | None) -> dict[str, Any]:
    if state is not None and not isinstance(state, Mapping):
        raise TypeError(
            f"session: state must be a dict such as {{'model': model}}, got {state!r:.80}"
        )
    for name, each in (state or {}).items():
        if not isinstance(name, str) or not all(
            callable(getattr(each, method, None)) for method in ("state_dict", "load_state_dict")
        ):
            raise TypeError(
                f"session: state[{name!r}] must have state_dict() and load_state_dict(), as models "
                f"and optimizers do; got {type(each).__name__}"
            )
    return dict(state or {})


_OPTIONS = tuple(Session.__init__.__kwdefaults__ or ())


def session(
    file: str | os.PathLike[str] | None = None,
    state: Mapping[str, Any] | None = None,
    **options: Any,
) -> Session:
    """Return what watches this session and saves work before it ends. See `Session`.

    Args:
        file: where the state is saved; None watches only.
        state: name -> object with `state_dict()` and `load_state_dict()`.
        options: those of `Session`.

    Raises:
        TypeError: `state` holds something without `state_dict`, or an option is unknown.
        ValueError: a time is not above 0.

    Example:
        >>> import gpukit
        >>> with gpukit.monitor.session(hours=2) as watched:
        ...     pass
        >>> 119 < watched.left_minutes <= 120
        True
    """
    for name in options:
        if name not in _OPTIONS:
            meant = near(name, _OPTIONS)
            hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(_OPTIONS)}."
            raise TypeError(f"session: there is no option {name!r:.80}. {hint}")
    return Session(file, state, **options)
