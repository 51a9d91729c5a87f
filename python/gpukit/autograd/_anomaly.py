"""Anomaly detection: the derivative that makes a NaN is named, with the line of its operation."""

from __future__ import annotations

import linecache
import warnings
from types import TracebackType
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of
from gpukit.autograd._grad_mode import no_grad
from gpukit.errors import AutogradError

_MOST_NODES = 1_000_000  # whose lines are kept


class _Finder:
    """Observes operators, to know the line of each node, and derivatives."""

    def __init__(self) -> None:
        self.places: dict[int, tuple[str, int, str]] = {}

    # Callbacks of gpukit._core.observe.

    def after_operator(self, call: Any) -> None:
        """An operator has made nodes."""
        for node in call.nodes:
            self.places[hash(node)] = call.place
        while len(self.places) > _MOST_NODES:
            del self.places[next(iter(self.places))]

    def after_derivative(self, call: Any) -> None:
        """A derivative was computed, or has failed."""
        if call.error is not None:
            self._tell(call)
            return
        if not _state.check_nan:
            return
        with no_grad():
            for number, gradient in call.given:
                if gradient is not None and bool(gradient.detach().isnan().any()):
                    self._tell(call)
                    place = self.places.get(hash(call.node))
                    raise AutogradError(
                        f"Function '{call.name}' returned nan values in its {number}th output.",
                        details={} if place is None else {"file": place[0], "line": place[1]},
                    )

    def _tell(self, call: Any) -> None:
        place = self.places.get(hash(call.node))
        if place is None:
            text = (
                f"Error detected in {call.name}. No forward pass information available. Enable "
                "detect anomaly during forward pass for more information."
            )
        else:
            file, line, function = place
            source = linecache.getline(file, line).strip()
            text = (
                f"Error detected in {call.name}. Traceback of forward call that caused the "
                f'error:\n  File "{file}", line {line}, in {function}\n    {source}'
            )
        warnings.warn(text, stacklevel=2)


class _State:
    """What is on, for all threads as in torch."""

    enabled = False
    check_nan = True
    observation: Any = None


_state = _State()


def _set(enabled: bool, check_nan: bool) -> None:
    if enabled and _state.observation is None:
        _state.observation = _core.observe(_Finder(), all_threads=True, nodes=True)
    elif not enabled and _state.observation is not None:
        _state.observation.stop()
        _state.observation = None
    _state.enabled, _state.check_nan = enabled, check_nan


def is_anomaly_enabled() -> bool:
    """Return whether anomaly detection is on.

    Example:
        >>> import gpukit
        >>> gpukit.is_anomaly_enabled()
        False
    """
    return _state.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether anomaly detection, where it is on, looks for NaN.

    Example:
        >>> import gpukit
        >>> gpukit.is_anomaly_check_nan_enabled()
        True
    """
    return _state.check_nan


class _Mode:
    """A context manager that puts back what was set before."""

    def __init__(self) -> None:
        self.prev, self.prev_check_nan = _state.enabled, _state.check_nan

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _set(self.prev, self.prev_check_nan)


class detect_anomaly(_Mode):
    """Raise at the first derivative that gives a NaN, in the block of `with`.

    The error names the derivative; a warning shows the line of the operation, if that ran in the
    block too. Each gradient is read, which waits for a GPU: use it to find a fault only.

    Args:
        check_nan: False looks for no NaN, and shows the line of a derivative that fails.

    Example:
        >>> import gpukit
        >>> import warnings
        >>> x = gpukit.zeros(1, requires_grad=True)
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # that it is on, and where the line is
        ...     with gpukit.autograd.detect_anomaly():
        ...         (x.sqrt() * 0).backward()
        Traceback (most recent call last):
        gpukit.errors.AutogradError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__()
        self.check_nan = bool_of("detect_anomaly", "check_nan", check_nan)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        _set(True, self.check_nan)


class set_detect_anomaly(_Mode):
    """Switch anomaly detection on or off: as a call, or for the block of `with`.

    Args:
        mode: On or off.
        check_nan: As detect_anomaly's.

    Example:
        >>> import gpukit
        >>> with gpukit.autograd.set_detect_anomaly(True):
        ...     gpukit.is_anomaly_enabled()
        True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__()
        _set(
            bool_of("set_detect_anomaly", "mode", mode),
            bool_of("set_detect_anomaly", "check_nan", check_nan),
        )
