"""Programs that are run as they are and compiled: what both leave behind must be equal."""

from __future__ import annotations

import dataclasses
import warnings

import gpukit


def plain(result):
    """Everything that two results can differ in, to compare by."""
    if isinstance(result, gpukit.Tensor):
        parts = (str(result.dtype), tuple(result.shape), result.requires_grad, result.tolist())
        return repr(parts)
    if isinstance(result, (tuple, list)):
        return (type(result).__name__, [plain(item) for item in result])
    if isinstance(result, dict):
        return (type(result).__name__, [(key, plain(item)) for key, item in result.items()])
    if dataclasses.is_dataclass(result):
        return (type(result).__name__, plain(vars(result)))
    if isinstance(result, BaseException):
        return (type(result).__name__, str(result))
    return (type(result).__name__, repr(result))


def tried(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return error


def x_of(*shape):
    return gpukit.arange(1, 1 + gpukit.Size(shape).numel(), dtype=gpukit.float32).reshape(shape)


def check_program(program, options):
    """Run a program, which is given `compile`, with functions as they are, then compiled."""
    gpukit.manual_seed(0)
    expected = plain(program(lambda function: function))
    gpukit.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gpukit.GpukitWarning)
        found = plain(program(lambda function: gpukit.compile(function, **options)))
    assert found == expected
