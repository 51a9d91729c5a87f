"""`gpukit.profiler`: what a part of a program did, in the shape of `torch.profiler`.

Operators, derivatives, the work of GPUs, waits and lines, as a table or as a timeline for Perfetto.
"""

from __future__ import annotations

from gpukit.profiler._profile import profile, tensorboard_trace_handler
from gpukit.profiler.events import DeviceType, FunctionEvent, FunctionEventAvg
from gpukit.profiler.plan import (
    ProfilerAction,
    ProfilerActivity,
    schedule,
    supported_activities,
)
from gpukit.profiler.ranges import record_function
from gpukit.profiler.table import EventList

__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


def __getattr__(name: str) -> object:
    from gpukit._names.suggest import no_attribute

    no_attribute(__name__, name)
