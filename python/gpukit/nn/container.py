"""Modules that hold modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from gpukit._arguments import int_of
from gpukit.nn._hooks import HOOKED
from gpukit.nn.activation import ReLU
from gpukit.nn.linear import Linear, relu_of
from gpukit.nn.module import Module

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ModuleDict", "ModuleList", "Sequential"]


_LINEAR, _RELU = Linear.forward, ReLU.forward


def _is_plain(module: Module | None, kind: type[Module], forward: Any) -> bool:
    """True for a module of exactly this class whose forward is not replaced, and without hooks."""
    if type(module) is not kind or kind.forward is not forward:
        return False
    return "forward" not in module.__dict__ and HOOKED not in module.__dict__


class _Numbered(Module):
    """Modules named by their numbers."""

    @overload
    def __getitem__(self, index: slice) -> Self: ...
    @overload
    def __getitem__(self, index: int) -> Any: ...
    def __getitem__(self, index: int | slice) -> Any:
        members = list(self._modules.items())
        if isinstance(index, slice):
            return self._sliced(members[index])
        return members[self._position(index)][1]

    def _sliced(self, members: list[tuple[str, Module | None]]) -> Self:
        made = type(self)()
        for number, (_, module) in enumerate(members):
            made.add_module(str(number), module)
        return made

    def _position(self, index: Any) -> int:
        name = type(self).__name__
        place = int_of(name, "an index", index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} is out of range: {name} has {len(self)} modules")
        return place % len(self)

    def __setitem__(self, index: int, module: Module) -> None:
        name = list(self._modules)[self._position(index)]
        self.add_module(name, module)

    def __delitem__(self, index: int | slice) -> None:
        members = list(self._modules.values())
        del members[index if isinstance(index, slice) else self._position(index)]
        self._renumber(members)

    def _renumber(self, members: list[Module | None], names: Sequence[str] = ()) -> None:
        """Take other members; the first ones keep these names."""
        for name in list(self._modules):
            delattr(self, name)
        for number, module in enumerate(members):
            self.add_module(names[number] if number < len(names) else str(number), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Take a module out, or a slice of them, and return it."""
        taken = self[key]
        del self[key]
        return taken

    def insert(self, index: int, module: Module) -> Self:
        """Insert a module before the one at an index."""
        members = list(self._modules.items())
        place = int_of(type(self).__name__, "an index", index)
        before, after = members[:place], members[place:]
        self._check_module(str(len(before)), module)  # before any is taken out
        later = {str(number) for number in range(len(before), len(members) + 1)}
        names = [name for name, _ in before]
        self._renumber(
            [*(m for _, m in before), module, *(m for _, m in after)],
            [] if later.intersection(names) else names,
        )
        return self


def _modules_of(other: Any) -> Sequential:
    if isinstance(other, Sequential):
        return other
    raise ValueError(
        f"Sequential: only another Sequential can be added, got {type(other).__name__}. "
        "Use append(module) for one module"
    )


def _times(times: Any) -> int:
    count = int_of("Sequential", "a factor", times)
    if count <= 0:
        raise ValueError(f"Sequential: a factor must be 1 or more, got {count}")
    return count


class Sequential(_Numbered):
    """Modules called one after the other, each with the output of the one before.

    Args:
        args: Modules, or one OrderedDict of them by name.

    Example:
        >>> import gpukit
        >>> from gpukit import nn
        >>> nn.Sequential(nn.Linear(3, 1), nn.ReLU())
        Sequential(
          (0): Linear(in_features=3, out_features=1, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *args: Module | OrderedDict[str, Module]) -> None:
        super().__init__()
        named: Any = {str(number): module for number, module in enumerate(args)}
        if len(args) == 1 and isinstance(args[0], Mapping):
            named = args[0]
        for name, module in named.items():
            self.add_module(name, module)

    def _sliced(self, members: list[tuple[str, Module | None]]) -> Self:
        return type(self)(OrderedDict(members))  # type: ignore[arg-type]

    def __add__(self, other: Sequential) -> Sequential:
        """Return the modules of both, one after the other."""
        return Sequential(*self, *_modules_of(other))

    def __iadd__(self, other: Sequential) -> Self:
        return self.extend(list(_modules_of(other)))

    def __mul__(self, times: int) -> Sequential:
        """Return the same modules several times over."""
        return Sequential(*list(self) * _times(times))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        return self.extend(list(self) * (_times(times) - 1))

    def forward(self, input: Any) -> Any:
        """Return the last module's output."""
        modules = list(self._modules.values())
        done = False
        for module, after in zip(modules, [*modules, None][1:], strict=True):
            if done:  # together with the layer before it
                done = False
            elif _is_plain(module, Linear, _LINEAR) and _is_plain(after, ReLU, _RELU):
                input = relu_of(module, input)  # type: ignore[arg-type]
                done = True
            else:
                input = module(input)  # type: ignore[misc]
        return input


class ModuleList(_Numbered):
    """A list of modules, whose parameters belong to the module that has the list.

    Args:
        modules: The modules; None means an empty list.

    Raises:
        TypeError: One is not a Module.

    Example:
        >>> import gpukit
        >>> len(gpukit.nn.ModuleList([gpukit.nn.Linear(2, 2) for _ in range(3)]))
        3
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        """Return a list of the modules of both."""
        return ModuleList([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> Self:
        return self.extend(other)

    def __repr__(self) -> str:
        """Return the modules; runs of equal ones in one line, as torch prints them."""
        texts = [repr(module) for module in self]
        if not texts:
            return f"{self._get_name()}()"
        lines = []
        start = 0
        for end in range(1, len(texts) + 1):
            if end < len(texts) and texts[end] == texts[start]:
                continue
            span = f"({start})" if end - start == 1 else f"({start}-{end - 1})"
            times = "" if end - start == 1 else f"{end - start} x "
            lines.append(f"{span}: {times}{texts[start]}".replace("\n", "\n  "))
            start = end
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules, whose parameters belong to the module that has the dict.

    Args:
        modules: The modules by name, or (name, module) pairs; None means an empty dict.

    Raises:
        TypeError: One is not a Module.

    Example:
        >>> import gpukit
        >>> list(gpukit.nn.ModuleDict({"a": gpukit.nn.ReLU()}))
        ['a']
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        if key not in self._modules:
            raise KeyError(key)
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """Return the modules."""
        return self._modules.values()

    def pop(self, key: str) -> Any:
        """Take a module out and return it."""
        module = self[key]
        del self[key]
        return module

    def clear(self) -> None:
        """Take all modules out."""
        for key in list(self):
            del self[key]

    def update(self, modules: Mapping[str, Module] | Iterable[Any]) -> None:
        """Add modules by name, or (name, module) pairs, replacing those of the same names."""
        pairs: Any = modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules
        wrong = TypeError(
            "ModuleDict: modules must be a mapping or (name, module) pairs, got "
            f"{type(modules).__name__}"
        )
        if not isinstance(pairs, Iterable):
            raise wrong
        members = []
        for pair in pairs:  # what a generator raises is its own
            try:
                key, module = pair
            except (TypeError, ValueError):
                raise wrong from None
            members.append((key, module))
        for key, module in members:
            self[key] = module
