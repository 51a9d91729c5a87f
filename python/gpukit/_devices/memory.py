"""Who holds memory: gpukit.memory(), gpukit.free(), names in out-of-memory errors."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit.errors import InvalidDeviceError, OutOfMemoryError
from gpukit.report import Column, Table, Tabular, bytes_text

_DEPTH = 4
_MODULE_TABLES = ("_parameters", "_buffers", "_modules")
_MAX_ITEMS = 10_000
_MAX_OBJECTS = 20_000  # that one search visits
_NAMED_IN_ERRORS = 5
_OUTPUT_NAMES = ("_", "__", "___")
# Objects of these packages are the notebook itself, not the user's.
_NOTEBOOK_PACKAGES = ("IPython", "ipykernel")


@dataclass(frozen=True)
class Holder:
    """A block of device memory and the names that lead to it.

    `names` are as one would type them: "W", "batch['x']", "net.hidden.weight", "Out[3]", or
    "x in train" for a local variable. `line` is where the block was made, known from 1 MiB on.
    """

    names: tuple[str, ...]
    device: str
    nbytes: int
    shape: tuple[int, ...]
    dtype: str
    line: str = ""

    def __str__(self) -> str:
        made = f" from {self.line}" if self.line else ""
        return f"{self.names[0]} {bytes_text(self.nbytes)} {self.dtype} {self.shape}{made}"


@dataclass(repr=False)
class MemoryReport(Tabular):
    """The holders of a device's memory, largest first; bytes.

    `allocated` is what tensors hold, `named` the part of it that a name was found for, `cached`
    what gpukit keeps for reuse, `free` and `total` are the device's own.
    """

    device: str
    holders: list[Holder]
    allocated: int
    cached: int
    free: int
    total: int
    simulated: bool = False

    @property
    def named(self) -> int:
        """Bytes of the holders."""
        return sum(holder.nbytes for holder in self.holders)

    def to_table(self) -> Table:
        """The content of the display."""
        other = max(0, self.allocated - self.named)
        notes = [
            f"tensors {bytes_text(self.allocated)}, of these without a name {bytes_text(other)}; "
            f"cache {bytes_text(self.cached)}; "
            f"free {bytes_text(self.free)} of {bytes_text(self.total)}"
        ]
        name = f"{self.device} (simulated)" if self.simulated else self.device
        return _holder_table(f"Memory of {name}", self.holders, notes)

    def to_dict(self) -> dict[str, Any]:
        """The raw values."""
        return {**self.__dict__, "holders": [holder.__dict__ for holder in self.holders]}


@dataclass(repr=False)
class FreeReport(Tabular):
    """What `free` did: deleted names, released bytes, and who holds the rest."""

    dropped: list[str] = field(default_factory=list)
    released_bytes: int = 0
    cache_bytes: int = 0
    holders: list[Holder] = field(default_factory=list)
    simulated: bool = False

    def to_table(self) -> Table:
        """The content of the display: released bytes, and a row for each block still held."""
        title = (
            f"released {bytes_text(self.released_bytes)}, "
            f"gave {bytes_text(self.cache_bytes)} of cache back"
        )
        notes = [f"dropped: {', '.join(self.dropped)}" if self.dropped else "dropped nothing"]
        if self.simulated:
            notes.append("The GPUs are simulated.")
        return _holder_table(title, self.holders, notes, held="still held by")


def _holder_table(
    title: str, holders: list[Holder], notes: list[str], held: str = "held by"
) -> Table:
    columns = [
        Column("names", held, ", ".join),
        Column("nbytes", "memory", bytes_text, numeric=True),
        Column("shape", "shape"),
        Column("dtype", "dtype"),
        Column("line", "made at"),
    ]
    rows = [{column.key: getattr(h, column.key) for column in columns} for h in holders]
    return Table(title, columns, rows, notes)


def memory(device: Any = None, *, top: int = 20) -> MemoryReport:
    """Return who holds the memory of a GPU, by the names that lead to each block.

    Searches the notebook's or program's variables, the local variables of running
    functions, the notebook's outputs and the last traceback, with what lists, dicts and objects in
    them hold.

    Args:
        device: A CUDA device; None means the current one. Without a GPU the report is empty.
        top: Maximum number of holders in the list.

    Raises:
        ValueError: top is below 1.
        InvalidDeviceError: The device is not a GPU.
        DeviceNotFoundError: The device does not exist.

    Example:
        >>> import gpukit
        >>> gpukit.memory().holders
        []
    """
    top = int_from("memory", "top", top, 1)
    from gpukit import cuda

    where = _core.device("cuda" if device is None else device).resolve()
    if where.type != "cuda":
        raise InvalidDeviceError(f"memory: {where} is not a GPU. Use 'cuda' or 'cuda:0'")
    index = where.index
    if not _core.session_is_open():
        return MemoryReport(str(where), [], 0, 0, 0, 0)
    free, total = cuda.mem_get_info(index)
    allocated = cuda.memory_allocated(index)
    cached = cuda.memory_reserved(index) - allocated
    holders = find_holders(str(where), sys._getframe(1))[:top]  # noqa: SLF001
    simulated = bool(where.simulated)
    return MemoryReport(str(where), holders, allocated, cached, free, total, simulated)


def free(*names: str, device: Any = None) -> FreeReport:
    """Delete variables and a notebook's references to GPU tensors, then release the cache.

    Deletes the named variables of the notebook (or of the calling module), the notebook's outputs
    (`Out[n]`, `_`, `__`, `___`, `_n`) that hold tensors of a GPU, and the last traceback, whose
    frames keep local variables alive. Then collects garbage and empties the cache.

    Args:
        *names: Variables to delete.
        device: Only memory of this GPU counts; None means all GPUs.

    Raises:
        TypeError: A name is not a string.
        NameError: A name is not a variable.

    Example:
        >>> import gpukit
        >>> gpukit.free().dropped
        []
    """
    namespace = _namespace(sys._getframe(1))  # noqa: SLF001
    _check_names(names, namespace)
    where = None if device is None else str(_core.device(device).resolve())
    allocated, reserved = _totals()
    report = FreeReport()
    for name in names:
        del namespace[name]
        report.dropped.append(name)
    report.dropped += _drop_outputs(namespace, where)
    report.dropped += _drop_traceback()
    gc.collect()
    report.released_bytes = allocated - _totals()[0]
    if _core.session_is_open():
        from gpukit import cuda

        cuda.empty_cache()
        report.simulated = bool(_core.cuda_is_simulated())
    report.cache_bytes = max(0, reserved - _totals()[1] - report.released_bytes)
    report.holders = find_holders(where, sys._getframe(1))  # noqa: SLF001
    return report


def name_holders(error: OutOfMemoryError) -> None:
    """Add the largest holders to an out-of-memory error, by name, and what to try."""
    error.holders = find_holders(error.details.get("device"), sys._getframe(0))  # noqa: SLF001
    if not error.holders:
        return
    listed = "; ".join(str(holder) for holder in error.holders[:_NAMED_IN_ERRORS])
    error.args = (f"{error} Held by this program: {listed}.",)


def find_holders(device: str | None, frame: FrameType | None) -> list[Holder]:
    """The blocks of a GPU (of all for None) that names lead to, largest first."""
    found: dict[int, tuple[_core.Tensor, list[str]]] = {}
    seen: set[int] = set()
    for name, value in _roots(frame):
        for path, tensor in _tensors_under(name, value, _DEPTH, seen):
            if tensor.device.type != "cuda" or device not in (None, str(tensor.device)):
                continue
            block = _core.block_of(tensor)[0]
            names = found.setdefault(block, (tensor, []))[1]
            if path not in names:
                names.append(path)
    holders = [_holder(tensor, names) for tensor, names in found.values()]
    return sorted(holders, key=lambda holder: -holder.nbytes)


def _holder(tensor: _core.Tensor, names: list[str]) -> Holder:
    _, size, file, line = _core.block_of(tensor)
    return Holder(
        tuple(names),
        str(tensor.device),
        size,
        tuple(tensor.shape),
        str(tensor.dtype).removeprefix("gpukit."),
        _location(file, line),
    )


def _location(file: str, line: int) -> str:
    if not file:
        return ""
    from gpukit._devices.watch import cell_number

    cell = cell_number(file)
    return f"{Path(file).name}:{line}" if cell is None else f"cell {cell} line {line}"


def _namespace(frame: FrameType) -> dict[str, Any]:
    """The notebook's variables, else those of the module that calls."""
    shell = _shell()
    return shell.user_ns if shell is not None else frame.f_globals


def _shell() -> Any:
    """IPython's shell, when there is one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _roots(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Names and values to search."""
    main = sys.modules.get("__main__")
    namespaces: list[tuple[str, Mapping[str, Any]]] = [("", vars(main))] if main else []
    shell = _shell()
    if shell is not None and shell.user_ns is not vars(main):
        namespaces.append(("", shell.user_ns))
    while frame is not None:
        if not _is_ours(frame):
            local = frame.f_code.co_name
            module_level = frame.f_locals is frame.f_globals
            namespaces.append(("" if module_level else f" in {local}", dict(frame.f_locals)))
            if frame.f_globals is not vars(main):
                namespaces.append((f" in {frame.f_globals.get('__name__')}", frame.f_globals))
        frame = frame.f_back
    traceback: TracebackType | None = getattr(sys, "last_traceback", None)
    while traceback is not None:
        name = f" in {traceback.tb_frame.f_code.co_name} (last traceback)"
        namespaces.append((name, traceback.tb_frame.f_locals))
        traceback = traceback.tb_next
    for suffix, namespace in namespaces:
        for name, value in list(namespace.items()):
            yield f"{name}{suffix}", value


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).split(".")[0] == "gpukit"


def _tensors_under(
    path: str, value: Any, depth: int, seen: set[int]
) -> Iterator[tuple[str, _core.Tensor]]:
    """The tensors in a value, with the path to each. Skips objects in `seen`."""
    if isinstance(value, _core.Tensor):
        yield path, value
        # Only these have one; asking others would issue a warning to the user.
        grad = value.grad if value.is_leaf or value.retains_grad else None
        if grad is not None:
            yield f"{path}.grad", grad
        return
    if depth == 0 or isinstance(value, (type, str, bytes, int, float)):
        return
    if id(value) in seen or len(seen) >= _MAX_OBJECTS:
        return
    seen.add(id(value))
    for step, part in _parts(value):
        yield from _tensors_under(f"{path}{step}", part, depth - 1, seen)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The contents of a container or of an object of a user's class."""
    if isinstance(value, dict):
        if len(value) <= _MAX_ITEMS and type(value).__module__ != "builtins.module":
            yield from ((f"[{_key_text(key)}]", part) for key, part in list(value.items()))
    elif isinstance(value, (list, tuple, set, frozenset)):
        if len(value) <= _MAX_ITEMS:
            yield from ((f"[{place}]", part) for place, part in enumerate(list(value)))
    elif not isinstance(value, type(sys)) and not _is_notebook(value):
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            # A module has its parts as attributes too: net.hidden.weight, net[0].weight.
            hidden = _MODULE_TABLES if isinstance(value, _core.ModuleBase) else ()
            for name, part in list(attributes.items()):
                if name not in hidden:
                    yield (f"[{name}]" if name.isdecimal() else f".{name}"), part


def _key_text(key: Any) -> str:
    """A key in a name; of a tensor, as in an optimizer's state, the shape and not the elements."""
    if isinstance(key, _core.Tensor):
        return f"{type(key).__name__} {tuple(key.shape)}"
    return repr(key)


def _is_notebook(value: Any) -> bool:
    return type(value).__module__.split(".")[0] in _NOTEBOOK_PACKAGES


def _check_names(names: tuple[Any, ...], namespace: Mapping[str, Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"free: names must be strings such as 'W', got {type(name).__name__}")
        if name not in namespace:
            from gpukit._core import nearest_name

            near = nearest_name(name, [known for known in namespace if known[:1] != "_"])
            hint = f" Did you mean {near!r}?" if near else ""
            raise NameError(f"free: there is no variable {name!r}.{hint}")


def _holds(value: Any, device: str | None) -> bool:
    return any(
        tensor.device.type == "cuda" and device in (None, str(tensor.device))
        for _, tensor in _tensors_under("", value, _DEPTH, set())
    )


def _drop_outputs(namespace: dict[str, Any], device: str | None) -> list[str]:
    """Forget the notebook's outputs that hold tensors of a GPU."""
    shell = _shell()
    if shell is None:
        return []
    dropped = []
    outputs: dict[int, Any] = namespace.get("Out", {})
    for number in [n for n, value in outputs.items() if _holds(value, device)]:
        del outputs[number]
        dropped.append(f"Out[{number}]")
    for variables in (namespace, shell.user_ns_hidden):
        for name in [n for n, value in variables.items() if _is_output(n, value, device)]:
            variables[name] = ""
            if name not in dropped:
                dropped.append(name)
    for name in _OUTPUT_NAMES:
        if _holds(getattr(shell.displayhook, name, None), device):
            setattr(shell.displayhook, name, "")
    last = getattr(shell, "last_execution_result", None)
    if last is not None and _holds(last.result, device):
        last.result = None
    return dropped


def _is_output(name: str, value: Any, device: str | None) -> bool:
    """Whether it is one of IPython's names for an output, and holds tensors of the GPU."""
    named = name in _OUTPUT_NAMES or (name[:1] == "_" and name[1:].isdigit())
    return named and _holds(value, device)


def _drop_traceback() -> list[str]:
    """Forget the last traceback; its frames keep their local variables alive."""
    import traceback

    last = getattr(sys, "last_traceback", None)
    if last is None:
        return []
    frames = [frame for frame, _ in traceback.walk_tb(last)]
    traceback.clear_frames(last)
    for frame in frames:
        _ = frame.f_locals  # what a debugger or IPython inspected stays until it inspects again
    for name in ("last_traceback", "last_value", "last_exc", "last_type"):
        if hasattr(sys, name):
            delattr(sys, name)
    return ["the last traceback"]


def _totals() -> tuple[int, int]:
    """Bytes allocated and reserved on all GPUs in use."""
    from gpukit import cuda

    if not _core.session_is_open():
        return 0, 0
    indices = range(_core.cuda_device_count())
    return sum(map(cuda.memory_allocated, indices)), sum(map(cuda.memory_reserved, indices))
