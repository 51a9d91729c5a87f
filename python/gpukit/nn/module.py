"""Module: the base of layers and networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._handles import HookHandle
from gpukit.nn._hooked import Hooked
from gpukit.nn._hooks import keep_hooks
from gpukit.nn._moving import MovedInPlace
from gpukit.nn._stated import Stated
from gpukit.nn.parameter import Parameter, is_buffer

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Module"]

_TABLES = ("_parameters", "_buffers", "_modules")
# What `_global_hooks` registers for the new parts of all modules.
REGISTERED: dict[str, dict[HookHandle, Callable[..., Any]]] = {
    "parameter": {},
    "buffer": {},
    "module": {},
}


class Module(Hooked, Stated, MovedInPlace):
    """A network or a part of one: parameters, buffers and other modules as attributes.

    Define `__init__`, which calls `super().__init__()` and creates the parts, and `forward`, which
    computes with them. Calling the module calls `forward`; errors from inside it name the layer.

    Example:
        >>> import gpukit
        >>> from gpukit import nn
        >>> class MLP(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.hidden = nn.Linear(20, 256)
        ...         self.output = nn.Linear(256, 10)
        ...
        ...     def forward(self, X):
        ...         return self.output(nn.functional.relu(self.hidden(X)))
        >>> MLP()(gpukit.ones(2, 20)).shape
        (2, 10)
    """

    # Each part is also an ordinary attribute of the object, so that reading it is as fast as
    # Python can be; all writes go through __setattr__, which keeps the tables right.
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _transient_buffers: set[str]
    training: bool

    def __init__(self) -> None:
        fields = self.__dict__
        fields["_parameters"] = {}
        fields["_buffers"] = {}
        fields["_modules"] = {}
        fields["_transient_buffers"] = set()
        fields["training"] = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's output; every module defines its own.

        Args:
            *args: Positional arguments of the call.
            **kwargs: Keyword arguments of the call.

        Raises:
            NotImplementedError: The class has no forward.
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] has no "forward" function')

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # noqa: D102
        def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        if isinstance(value, Parameter):
            self._make_room(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._make_room(name, "_modules")
            self.add_module(name, value)
        elif "_parameters" in fields and (
            name in fields["_parameters"]
            or name in fields["_buffers"]
            or name in fields["_modules"]
        ):
            self._replace(name, value)
        elif isinstance(value, Tensor) and is_buffer(value) and "_buffers" in fields:
            self._make_room(name, "_buffers")
            self.register_buffer(name, value, value.persistent)  # type: ignore[attr-defined]
        else:
            object.__setattr__(self, name, value)

    def __setstate__(self, state: Any) -> None:
        """Take the attributes of a copy or a pickle; tables and hooks become this module's own."""
        attributes, slots = state if isinstance(state, tuple) else (state, None)
        fields = self.__dict__
        fields.update(attributes or {})
        for name, value in (slots or {}).items():
            object.__setattr__(self, name, value)
        for table in (*_TABLES, "_transient_buffers"):
            if table in fields:
                fields[table] = fields[table].copy()
        keep_hooks(self)

    def __delattr__(self, name: str) -> None:
        self._forget(name)
        object.__delattr__(self, name)

    def _replace(self, name: str, value: Any) -> None:
        """Assign to a registered name: None, or a tensor for a buffer."""
        if name in self._buffers and (value is None or isinstance(value, Tensor)):
            persistent = name not in self._transient_buffers
            if value is not None and is_buffer(value):
                persistent = value.persistent  # type: ignore[attr-defined]
            self._put_buffer(name, value, persistent)
        elif value is None and name in self._parameters:
            self.register_parameter(name, None)
        elif value is None:
            self.add_module(name, None)
        else:
            kind = "parameter" if name in self._parameters else "buffer"
            kind = "module" if name in self._modules else kind
            raise TypeError(
                f"cannot assign '{type(value).__name__}' as {kind} '{name}' "
                f"({'nn.Parameter' if kind == 'parameter' else kind} or None expected)"
            )

    def _forget(self, name: str) -> None:
        for table in _TABLES:
            self.__dict__.get(table, {}).pop(name, None)
        self.__dict__.get("_transient_buffers", set()).discard(name)

    def _make_room(self, name: str, table: str) -> None:
        """Take away what an assigned part replaces; a registered one replaces nothing."""
        if name in self.__dict__ and name not in self.__dict__.get(table, ()):
            self._forget(name)
            del self.__dict__[name]

    def _new_name(self, kind: str, name: Any, table: str) -> None:
        """Check the name of a new part."""
        if "_parameters" not in self.__dict__:
            owner = type(self).__name__
            what = "layers" if table == "_modules" else "parameters"
            raise AttributeError(
                f"call super().__init__() in {owner}.__init__ before assigning {what}"
            )
        if not isinstance(name, str):
            raise TypeError(f"{kind} name must be text, got {type(name).__name__}")
        if "." in name or not name:
            raise KeyError(f'{kind} name can\'t contain "." or be empty, got {name!r}')
        if name not in self.__dict__[table] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def _seen_by_hooks(self, kind: str, name: str, part: Any) -> Any:
        """The new part, after the functions that see all new parts."""
        for hook in list(REGISTERED[kind].values()):
            changed = hook(self, name, part)
            part = part if changed is None else changed
        return part

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under a name; None reserves the name.

        Args:
            name: The name, without a dot.
            param: The parameter, or None.

        Raises:
            AttributeError: `super().__init__()` was not called.
            KeyError: The name is empty, contains a dot, or is that of another attribute.
            TypeError: Neither a Parameter nor None.
        """
        self._new_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                "(nn.Parameter or None required)"
            )
        if param is not None and REGISTERED["parameter"]:
            param = self._seen_by_hooks("parameter", name, param)
        self._parameters[name] = param
        self.__dict__[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not a parameter but moves and is saved with the module.

        Args:
            name: The name, without a dot.
            tensor: The tensor, or None.
            persistent: Whether it is in `state_dict()`.

        Raises:
            AttributeError: `super().__init__()` was not called.
            KeyError: The name is empty, contains a dot, or is that of another attribute.
            TypeError: Neither a Tensor nor None.
        """
        self._new_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' "
                "(Tensor or None required)"
            )
        self._put_buffer(name, tensor, persistent)

    def _put_buffer(self, name: str, tensor: Tensor | None, persistent: bool) -> None:
        if REGISTERED["buffer"]:
            tensor = self._seen_by_hooks("buffer", name, tensor)
        self._buffers[name] = tensor
        self._transient_buffers.discard(name)
        if not persistent:
            self._transient_buffers.add(name)
        self.__dict__[name] = tensor

    @staticmethod
    def _check_module(name: Any, module: Any) -> None:
        """Refuse what is neither a module nor None."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(
                f"module {name!r}: {type(module).__name__} is not a Module subclass"
                f"{_core.torch_advice(module)}"
            )

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a module under a name; None reserves the name.

        Args:
            name: The name, without a dot.
            module: The module, or None.

        Raises:
            AttributeError: `super().__init__()` was not called.
            KeyError: The name is empty, contains a dot, or is that of another attribute.
            TypeError: Neither a Module nor None.
        """
        self._new_name("module", name, "_modules")
        self._check_module(name, module)
        if REGISTERED["module"]:
            module = self._seen_by_hooks("module", name, module)
        self._modules[name] = module
        self.__dict__[name] = module

    register_module = add_module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Yield the module and all its submodules with their dotted names.

        Args:
            memo: Modules to skip; visited ones are added.
            prefix: Prefix of the names.
            remove_duplicate: Each once; False yields a shared one under all of its names.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from child.named_modules(memo, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """Yield the module and all its submodules.

        Args:
            remove_duplicate: Each once; False yields a shared one as often as it occurs.
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the direct submodules, each once, with their names."""
        seen: set[Module] = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Module]:
        """Yield the direct submodules, each once."""
        for _, child in self.named_children():
            yield child

    def _named_members(
        self, table: str, prefix: str, recurse: bool, once: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(None, prefix, once) if recurse else iter([(prefix, self)])
        for path, module in modules:
            for name, value in module.__dict__[table].items():
                if value is not None and id(value) not in seen:
                    if once:
                        seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield all parameters with their dotted names.

        Args:
            prefix: Prefix of the names.
            recurse: Include those of submodules.
            remove_duplicate: Each once; False yields a tied one under all of its names.
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield all parameters, each once: what an optimizer takes.

        Args:
            recurse: Include those of submodules.
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield all buffers with their dotted names.

        Args:
            prefix: Prefix of the names.
            recurse: Include those of submodules.
            remove_duplicate: Each once; False yields a shared one under all of its names.
        """
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield all buffers, each once.

        Args:
            recurse: Include those of submodules.
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """Return the module at a dotted path; '' is the module itself.

        Raises:
            AttributeError: There is none.
        """
        found: Module = self
        for part in target.split(".") if target else ():
            child = found._modules.get(part)
            if child is None:
                raise AttributeError(f"{type(found).__name__} has no module '{part}'")
            found = child
        return found

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path.

        Raises:
            AttributeError: There is none.
        """
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        parameter = owner._parameters.get(name)
        if parameter is None:
            raise AttributeError(f"{type(owner).__name__} has no parameter '{name}'")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a dotted path.

        Args:
            target: The path, as "norm.running_mean".

        Raises:
            AttributeError: There is none.
        """
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        buffer = owner._buffers.get(name)
        if buffer is None:
            raise AttributeError(f"{type(owner).__name__} has no buffer '{name}'")
        return buffer

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a dotted path, in the place of the one that is there.

        Args:
            target: The path, as "encoder.0".
            module: The new module.
            strict: Refuse a path at which no module is.

        Raises:
            AttributeError: A part of the path is not a module.
            ValueError: The path is empty.
        """
        if not target:
            raise ValueError("set_submodule: target is empty. Name a submodule, as 'encoder.0'")
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if strict or isinstance(owner.__dict__.get(name), Tensor):
            owner.get_submodule(name)  # raises where it is not a module
        owner.add_module(name, module)

    def train(self, mode: bool = True) -> Self:
        """Set `training` here and call `train` of the submodules. Dropout depends on it.

        Args:
            mode: True to train, False to evaluate.

        Raises:
            ValueError: mode is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {mode!r}")  # noqa: TRY004
        self.training = mode
        for child in self.children():
            child.train(mode)  # a class may do more in its own
        return self

    def eval(self) -> Self:
        """Set `training` to False here and in all submodules."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set requires_grad of all parameters.

        Args:
            requires_grad: True or False.

        Returns:
            The module.
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to 0.

        Args:
            set_to_none: False keeps the tensors and fills them with 0.
        """
        parameters = list(self.parameters())
        if set_to_none:
            _core.clear_gradients(parameters)
            return
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.grad = _core.zeros_like(parameter.grad)

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call fn on all submodules, then on this one, e.g. to initialise weights.

        Args:
            fn: A function of a module.

        Returns:
            The module.
        """
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def extra_repr(self) -> str:
        """Return the text inside the parentheses of the repr."""
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        lines = self.extra_repr().split("\n") if self.extra_repr() else []
        parts = [f"({name}): {_indented(repr(child))}" for name, child in self._modules.items()]
        name = self._get_name()
        if not parts and len(lines) < 2:
            return f"{name}({''.join(lines)})"
        return f"{name}(\n  " + "\n  ".join(lines + parts) + "\n)"

    def __dir__(self) -> list[str]:
        return sorted(name for name in object.__dir__(self) if not name[:1].isdigit())


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
