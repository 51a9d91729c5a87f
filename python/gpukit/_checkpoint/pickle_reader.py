"""Reads a pickle without executing any of its code.

pickletools.genops parses the bytes; only pickle_machine interprets the opcodes.
"""

from __future__ import annotations

import io
import pickletools
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any

from gpukit._checkpoint.failure import damaged
from gpukit._checkpoint.numpy_values import build_of
from gpukit._checkpoint.pickle_machine import (
    ForbiddenError,
    PickleMachine,
    StorageFailure,
    Unfinished,
)
from gpukit._core import Tensor

MAX_DEPTH = 1000  # of nested containers; deeper ones cannot be printed, copied or compared


def read_pickle(
    file: str, data: bytes, names: Mapping[str, Any], load_storage: Callable[[Any], Any]
) -> Any:
    """Return the value that a pickle holds.

    Args:
        file: the file name, for error messages.
        data: the pickled bytes.
        names: maps 'module.name' to an Allowed, a Token or a value. Other names are refused.
        load_storage: resolves a persistent id.

    Raises:
        CheckpointError: the pickle is damaged, or uses a name that is not in `names`. Errors of
            `load_storage` propagate.
    """
    machine = PickleMachine(names, load_storage, build_of)
    try:
        for opcode, argument, _ in pickletools.genops(io.BytesIO(data)):
            machine.do(opcode.name, argument)
        value = machine.pop()
    except ForbiddenError as error:
        raise damaged(file, f"{error}, which is not allowed. File refused.") from error
    except StorageFailure as failure:
        raise failure.error from failure.error.__cause__
    except (
        ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError,
        TypeError, ValueError,
    ) as error:  # fmt: skip
        raise damaged(file, f"has a damaged pickle ({error!r:.200})") from error
    if machine.stack:
        raise damaged(file, "has a damaged pickle (values are left over)")
    _check_values(file, value)
    return value


def _check_values(file: str, value: Any) -> None:
    """Raise if a value is nested too deeply, or is a bare storage or name."""
    layer, seen = [value], {id(value)}
    for _ in range(MAX_DEPTH):
        if any(isinstance(part, Unfinished) for part in layer):
            raise damaged(file, "contains a bare torch storage or name; save tensors instead")
        below = {id(part): part for outer in layer for part in _parts(outer)}
        layer = [part for key, part in below.items() if key not in seen]
        if not layer:
            return
        seen.update(below)
    raise damaged(file, f"contains values nested more than {MAX_DEPTH} levels deep")


def _parts(value: Any) -> Collection[Any]:
    """The values directly inside a value."""
    if isinstance(value, dict):
        return [*value.values(), *(vars(value).values() if type(value) is OrderedDict else ())]
    if isinstance(value, Tensor):
        return vars(value).values()
    return value if type(value) in {list, tuple} else ()
