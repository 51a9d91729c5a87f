"""A user's code on its way to devices: compiled for each, loaded on its first use there."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._names.suggest import near
from gpukit.cuda import _code_text
from gpukit.cuda._context import present_index
from gpukit.errors import ArgumentError, CompileError

_TOO_NEW_FOR_DRIVER = 222  # CUDA_ERROR_UNSUPPORTED_PTX_VERSION
_ARCHITECTURE = re.compile(r"--?(gpu-architecture|arch|gpu-code|code)\b")
_Compiled = tuple[bytes, str, dict[str, str]]  # PTX or machine code, log, lowered names
_LINES = re.compile(r"(--?generate-line-info|-lineinfo|--device-debug|-G)\Z")


class Loaded(NamedTuple):
    """The code on one device."""

    code: _core.DeviceCode
    kernels: dict[str, tuple[str, ...]] | None  # None where the code has no text
    lowered: dict[str, str]  # of the name expressions
    log: str


class Program:
    """Code with what it is compiled by. Thread safe."""

    def __init__(
        self, code: str | bytes, name: str, options: Sequence[str], expressions: Sequence[str]
    ) -> None:
        self.code, self.name = code, name
        self.options, self.expressions = tuple(options), tuple(expressions)
        self._lock = threading.Lock()
        self._loaded: dict[tuple[int, int], Loaded] = {}
        self._compiled: dict[tuple[int, tuple[int, int]], _Compiled] = {}  # by session and card

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self.code, self.name, self.options, self.expressions)

    @property
    def is_source(self) -> bool:
        """True for what a compiler is needed for."""
        return isinstance(self.code, str) and not _code_text.is_ptx(self.code)

    def on(self, index: int) -> Loaded:
        """The code on a device, loaded there if need be."""
        key = (_core.session_id(), index)
        found = self._loaded.get(key)
        if found is not None:
            return found
        if _core.in_forked_child():
            _core.DeviceCode(index, b"", self.name)  # raises what every use raises there
        present_index(self.name, index)  # opens the session
        with self._lock:
            key = (_core.session_id(), index)
            if key not in self._loaded:
                self._forget_other_sessions(key[0])
                self._loaded[key] = self._load(index)
            return self._loaded[key]

    def entry(self, name: str, index: int) -> str:
        """A kernel's name in the code; ArgumentError with what is near for one that is absent."""
        loaded = self.on(index)
        entry = loaded.lowered.get(name, name)
        if loaded.kernels is not None and entry not in loaded.kernels:
            raise ArgumentError(
                f"get_function: {self.name} has no kernel {name!r}. {self._advice(name, loaded)}"
            )
        return entry

    def _forget_other_sessions(self, session: int) -> None:
        for key in [key for key in self._loaded if key[0] != session]:
            del self._loaded[key]
        self._compiled = {key: each for key, each in self._compiled.items() if key[0] == session}

    def _load(self, index: int) -> Loaded:
        if isinstance(self.code, bytes):
            return Loaded(_core.DeviceCode(index, self.code, self.name), None, {}, "")
        if not self.is_source:
            kernels = _code_text.kernels(self.code)
            return Loaded(_core.DeviceCode(index, self.code.encode(), self.name), kernels, {}, "")
        ptx, log, lowered = self._ptx(index)
        image = ptx
        try:
            code = _core.DeviceCode(index, image, self.name)
        except CompileError as error:
            if error.details.get("status") != _TOO_NEW_FOR_DRIVER:
                raise
            # The compiler's own machine code needs no newer driver.
            image, _, _ = self._compile(index, machine_code=True)
            code = _core.DeviceCode(index, image, self.name)
        return Loaded(code, _code_text.kernels(ptx.decode()), lowered, log)

    def _ptx(self, index: int) -> _Compiled:
        """Devices of one compute capability share it."""
        card = _core.device_properties(index)
        key = (_core.session_id(), (int(card["major"]), int(card["minor"])))
        if key not in self._compiled:
            self._compiled[key] = self._compile(index, machine_code=False)
        return self._compiled[key]

    def _compile(self, index: int, *, machine_code: bool) -> _Compiled:
        options = list(self.options)
        if not any(_LINES.match(option) for option in options):
            options.append("-lineinfo")  # faults name lines; costs nothing at run time
        image, raw_log, names = _core.compile_code(
            index, str(self.code), self.name, options, list(self.expressions), machine_code
        )
        log = raw_log.decode(errors="replace").strip()
        if image is None:
            raise CompileError(f"{self.name} does not compile:\n{log}", details={"log": log})
        return image, log, dict(zip(self.expressions, names, strict=True))

    def _advice(self, name: str, loaded: Loaded) -> str:
        there = [*loaded.lowered, *(loaded.kernels or {})]
        if not there:
            return "It has no kernel at all: a kernel is a function with __global__."
        if "<" in name:
            return f"A template is named before: RawModule(…, name_expressions=[{name!r}])."
        if any(entry.startswith(f"_Z{len(name)}{name}") for entry in there):
            return (
                f'C++ changed its name: write extern "C" before __global__, or name it before: '
                f"RawModule(…, name_expressions=[{name!r}])."
            )
        meant = near(name, there)
        return f"Did you mean {meant!r}?" if meant else f"It has {', '.join(sorted(there))}."


def checked_options(function: str, options: object) -> tuple[str, ...]:
    """The compiler's options; TypeError or ArgumentError for what is none."""
    if isinstance(options, str) or not isinstance(options, (tuple, list)):
        raise TypeError(
            f"{function}: options must be a tuple of str, got {options!r}; one option is written "
            "('-DN=3',)"
        )
    for option in options:
        if not isinstance(option, str):
            raise TypeError(f"{function}: options must be of str, got {option!r}")
        if "\0" in option:
            raise ArgumentError(f"{function}: the option {option!r} has a zero character")
        if _ARCHITECTURE.match(option):
            raise ArgumentError(
                f"{function}: leave {option!r} out: code is compiled for the device it is used on"
            )
    return tuple(options)


def checked_expressions(function: str, expressions: object) -> tuple[str, ...]:
    """The names of templates to instantiate, such as "scale<float>"."""
    if expressions is None:
        return ()
    if isinstance(expressions, str) or not isinstance(expressions, (tuple, list)):
        raise TypeError(
            f"{function}: name_expressions must be a list of str, got {expressions!r}; one is "
            "written ['scale<float>']"
        )
    for expression in expressions:
        if not isinstance(expression, str) or not expression.strip() or "\0" in expression:
            raise TypeError(
                f"{function}: name_expressions must be C++ names, e.g. 'scale<float>', got "
                f"{expression!r}"
            )
    return tuple(expressions)
