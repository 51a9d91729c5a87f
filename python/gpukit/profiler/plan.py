"""What a profile records and when: activities, and the schedule of a long job's steps."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable

from gpukit._arguments import int_from
from gpukit.errors import ArgumentError, GpukitWarning


class ProfilerActivity(enum.Enum):
    """What a profile records: CPU is operators and ranges, CUDA is the work of GPUs.

    Example:
        >>> import gpukit
        >>> from gpukit.profiler import ProfilerActivity
        >>> ProfilerActivity.CPU in gpukit.profiler.supported_activities()
        True
    """

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profile does during a step: a schedule returns one for each.

    Example:
        >>> from gpukit.profiler import ProfilerAction, schedule
        >>> schedule(wait=1, warmup=1, active=1)(2) is ProfilerAction.RECORD_AND_SAVE
        True
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def supported_activities() -> set[ProfilerActivity]:
    """Return the activities that can be recorded here: CPU, and CUDA where a device is counted.

    Returns:
        A set of ProfilerActivity. The driver is not started.

    Example:
        >>> import gpukit
        >>> gpukit.profiler.ProfilerActivity.CPU in gpukit.profiler.supported_activities()
        True
    """
    from gpukit import cuda

    found = {ProfilerActivity.CPU}
    if cuda.device_count() > 0:
        found.add(ProfilerActivity.CUDA)
    return found


def activities_of(given: object) -> set[ProfilerActivity]:
    """Those that a profile was asked for; None means what is supported."""
    if given is None:
        return supported_activities()
    if isinstance(given, ProfilerActivity) or not hasattr(given, "__iter__"):
        raise TypeError(
            "profile: activities must be a list of ProfilerActivity such as "
            f"[ProfilerActivity.CPU], got {given!r}"
        )
    wanted = set(given)
    for each in wanted:
        if not isinstance(each, ProfilerActivity):
            raise TypeError(
                f"profile: activities has {each!r}, which is not a ProfilerActivity. "
                "Use ProfilerActivity.CPU or ProfilerActivity.CUDA"
            )
        if each not in (ProfilerActivity.CPU, ProfilerActivity.CUDA):
            raise ArgumentError(
                f"profile: ProfilerActivity.{each.name} cannot be recorded: gpukit computes on the "
                "CPU and on NVIDIA's GPUs. Use ProfilerActivity.CPU or ProfilerActivity.CUDA"
            )
    if not wanted:
        raise ArgumentError("profile: activities is empty. Leave it out to record what is here")
    return wanted


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:
    """Return what a profile does at each step: wait, warm up, record, and so on again.

    Args:
        wait: Steps at the beginning of a cycle in which nothing is recorded.
        warmup: Steps that are recorded and discarded.
        active: Steps that are recorded and kept; at least 1.
        repeat: Cycles; 0 goes on until the profile ends.
        skip_first: Steps before the first cycle.
        skip_first_wait: Other than 0: the first cycle does not wait.

    Returns:
        A function of the step number that returns a ProfilerAction.

    Raises:
        ArgumentError: A number is negative, or `active` is 0.
        TypeError: An argument is not an int.

    Example:
        >>> import gpukit
        >>> plan = gpukit.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [plan(step).name for step in range(5)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    given = {
        "wait": wait,
        "warmup": warmup,
        "active": active,
        "repeat": repeat,
        "skip_first": skip_first,
        "skip_first_wait": skip_first_wait,
    }
    for name, value in given.items():
        int_from("schedule", name, value, 1 if name == "active" else 0)
    if warmup == 0:
        text = "schedule: with warmup=0 the first recorded step has the cost of starting in it"
        warnings.warn(text, GpukitWarning, stacklevel=2)
    cycle = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise ArgumentError(f"schedule: step must be 0 or more, got {step}")
        if step < skip_first:
            return ProfilerAction.NONE
        step += (wait if skip_first_wait else 0) - skip_first
        if repeat and step // cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(_step: int) -> ProfilerAction:
    """The plan of a profile without schedule: all is one recorded step."""
    return ProfilerAction.RECORD
