"""What reads and writes a module's state, and the functions that run with it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gpukit._core import Tensor
from gpukit._handles import HookHandle, add_hook
from gpukit.nn import _state
from gpukit.nn._state import EXTRA, KeysReport
from gpukit.nn.parameter import is_lazy

_HOOKS = "_state_hooks"  # of a module that has some: its functions by kind


def _state_kind(kind: str) -> property:
    """Torch's dictionary of one kind of hooks of states; setting it replaces them."""

    def read(self: Any) -> dict[Any, Callable[..., Any]]:
        hooks: dict[Any, Callable[..., Any]] = self.__dict__.get(_HOOKS, {}).get(kind, {})
        return hooks

    def replace(self: Any, hooks: Mapping[Any, Callable[..., Any]]) -> None:
        added = list(hooks.values())
        read(self).clear()
        for hook in added:
            self._add_state_hook(kind, hook)

    return property(read, replace)


class Stated:
    """The state of a module, which is the only class that derives from this one."""

    __slots__ = ()
    _version = 1  # in the state's metadata; a class whose state changes its form counts it up

    if TYPE_CHECKING:

        @property
        def _modules(self) -> Mapping[str, Any]: ...

    # ---- writing ----

    def state_dict(
        self,
        *args: Any,
        destination: Any = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> OrderedDict[str, Tensor]:
        """Return parameters and persistent buffers by dotted name; they share the module's memory.

        Args:
            *args: The other arguments by position, in this order; an older form.
            destination: A dict to fill; None makes a new one.
            prefix: Prefix of the names.
            keep_vars: Return the parameters themselves, not detached tensors.
        """
        given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination = given.get("destination", destination)
        prefix, keep_vars = given.get("prefix", prefix), given.get("keep_vars", keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local
        for hook in self._hooks_of("state_pre"):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._hooks_of("state_post"):
            if hook(self, destination, prefix, local) is not None:
                raise RuntimeError("state_dict: a post hook must return None. Change the dict")
        for hook in self._hooks_of("state_replacing"):
            replaced = hook(self, destination, prefix, local)
            destination = destination if replaced is None else replaced
        result: OrderedDict[str, Tensor] = destination
        return result

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put the module's own tensors into the state; a class may put others."""
        for name, tensor in _state.own_state(self):  # type: ignore[arg-type]
            whole = keep_vars or is_lazy(tensor)
            destination[prefix + name] = tensor if whole else tensor.detach()
        if self._has_extra_state("get_extra_state"):
            destination[prefix + EXTRA] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """Return what a class wants in its state beside tensors; a class defines its own.

        Raises:
            RuntimeError: The class has none.
        """
        raise RuntimeError(
            f"get_extra_state: {type(self).__name__} has no extra state. Define get_extra_state "
            "and set_extra_state in the class"
        )

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` returned; a class defines its own.

        Args:
            state: What it returned.

        Raises:
            RuntimeError: The class has none.
        """
        raise RuntimeError(
            f"set_extra_state: {type(self).__name__} has no extra state to set from "
            f"{type(state).__name__}. Define get_extra_state and set_extra_state in the class"
        )

    def _has_extra_state(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(Stated, method)

    # ---- reading ----

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> KeysReport:
        """Copy values into parameters and buffers, converting device and dtype as needed.

        Args:
            state_dict: Tensors by dotted name.
            strict: The names must match the module's exactly.
            assign: Make the given tensors the module's own instead of copying their values.

        Raises:
            CheckpointError: Names or shapes do not match. Nothing has been changed, unless a
                module has hooks that run after loading or a `_load_from_state_dict` of its own.
            TypeError: Not a mapping, or its values are not tensors.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"load_state_dict: state_dict must be a mapping, got {type(state_dict).__name__}"
            )
        return _state.load(self, state_dict, strict, assign)

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take the module's own tensors out of the state; a class may take others."""
        for hook in self._hooks_of("load_pre"):
            hook(
                state_dict,
                prefix,
                local_metadata,
                strict,
                missing_keys,
                unexpected_keys,
                error_msgs,
            )
        report = KeysReport(missing_keys, unexpected_keys) if strict else KeysReport([], [])
        reads = type(self)._load_from_state_dict is not Stated._load_from_state_dict
        _state.load_own(self, state_dict, prefix, local_metadata, report, error_msgs, reads)

    # ---- hooks ----

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Register a function that runs before `state_dict` reads the module.

        Args:
            hook: Called with the module, the prefix of its names and keep_vars.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.
        """
        return self._add_state_hook("state_pre", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Register a function that changes the dict of `state_dict` in place.

        Args:
            hook: Called with the module, the dict, the prefix of the module's names and its
                metadata. Returns None.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.

        Example:
            >>> import gpukit
            >>> layer = gpukit.nn.Linear(1, 1)
            >>> def drop(module, state, prefix, metadata):
            ...     del state[prefix + "bias"]
            >>> handle = layer.register_state_dict_post_hook(drop)
            >>> list(layer.state_dict())
            ['weight']
        """
        return self._add_state_hook("state_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Register a function that changes a state before the module takes its values.

        Args:
            hook: Called with the module and with the arguments of torch's hook: the state, the
                prefix, the metadata, strict, missing keys, unexpected keys and messages.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.

        Example:
            >>> import gpukit
            >>> layer = gpukit.nn.Linear(1, 1)
            >>> def rename(module, state, prefix, *rest):
            ...     state[prefix + "weight"] = state.pop(prefix + "w")
            >>> handle = layer.register_load_state_dict_pre_hook(rename)
            >>> layer.load_state_dict({"w": gpukit.ones(1, 1), "bias": gpukit.zeros(1)})
            <All keys matched successfully>
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Register a function that runs when the module and its submodules were loaded.

        Args:
            hook: Called with the module and the report of missing and unexpected keys, whose
                lists it may change in place. Returns None.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.
        """
        return self._add_state_hook("load_post", hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> HookHandle:
        return self._add_state_hook("state_replacing", hook)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> HookHandle:
        if with_module and callable(hook):
            bare = hook

            def hook(*given: Any) -> Any:
                return bare(self, *given)

        return self._add_state_hook("load_pre", hook)

    def _add_state_hook(self, kind: str, hook: Any) -> HookHandle:
        hooks = self.__dict__.setdefault(_HOOKS, {}).setdefault(kind, {})
        return add_hook(hooks, hook)

    _state_dict_pre_hooks = _state_kind("state_pre")
    _load_state_dict_pre_hooks = _state_kind("load_pre")
    _load_state_dict_post_hooks = _state_kind("load_post")

    def _hooks_of(self, kind: str) -> list[Callable[..., Any]]:
        return list(self.__dict__.get(_HOOKS, {}).get(kind, {}).values())

    def _load_post_hooks(self) -> Iterator[Callable[..., Any]]:
        return iter(self._hooks_of("load_post"))
