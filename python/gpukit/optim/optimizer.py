"""Common parts of all optimizers: parameter groups, states, saving and loading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

from gpukit import _core
from gpukit._arguments import plain
from gpukit._core import Tensor
from gpukit._handles import HookHandle, add_hook
from gpukit.errors import ArgumentError
from gpukit.optim._step_hooks import StateHooks, StepHooks, with_hooks

__all__ = ["Optimizer", "required"]


class _RequiredParameter:
    """Marks a setting that every group of parameters must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()


class Optimizer(StateHooks):
    """Base of optimizers. `param_groups` are dicts of `params` and their settings.

    A subclass names its settings and states and performs one group's step. States are created at a
    parameter's first step; `state[parameter]` is a dict of them.

    Args:
        params: Tensors, (name, tensor) pairs, or dicts of them with their own settings.
        defaults: Settings for groups without their own.

    Example:
        >>> import gpukit
        >>> w = gpukit.tensor([4.0], requires_grad=True)
        >>> sgd = gpukit.optim.SGD([w], lr=0.1)
        >>> (w * w).sum().backward()
        >>> sgd.step()
        >>> isinstance(sgd, gpukit.optim.Optimizer), w.item() < 4
        (True, True)
    """

    #: Names of a parameter's states, in the order of the lists that `_step_group` gets.
    _state_names: tuple[str, ...] = ()
    #: Settings that a loaded state does not change.
    _fixed: Mapping[str, Any] = {}
    #: A step on a GPU may be part of a graph.
    _capturable = False
    #: None until one is registered.
    _step_hooks: StepHooks | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Put the hooks around a step that a class defines itself."""
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = with_hooks(cls.step)  # type: ignore[method-assign]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what a copy, a file or a loaded state holds; a class may fill in settings here."""
        self.__dict__.update(state)

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._slots: list[_Slots] = []
        if isinstance(params, Tensor):
            raise TypeError(
                f"{type(self).__name__}: params must be a list of tensors or of dicts, got one "
                "tensor; use [tensor]"
            )
        if isinstance(params, (str, bytes, Mapping)) or not isinstance(params, Iterable):
            raise TypeError(
                f"{type(self).__name__}: params must be a list of tensors or of dicts, such as "
                f"model.parameters(), got {params!r:.80} ({type(params).__name__})"
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got no parameters")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with their own settings; omitted ones are the optimizer's.

        Raises:
            TypeError: Not a dict, or its parameters are not tensors.
            ValueError: No leaf tensors, a setting out of range, or a parameter in two groups.
        """
        name = type(self).__name__
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise TypeError(
                f"{name}: a group must be a dict with 'params', got {param_group!r:.80}"
            )
        given = param_group["params"]
        names, params = ([], [given]) if isinstance(given, Tensor) else _named(name, given)
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"{name}: params: optimizer can only optimize Tensors, got "
                    f"{type(param).__name__}{_core.torch_advice(param)}"
                )
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        known = {id(param) for group in self.param_groups for param in group["params"]}
        numbers = [id(param) for param in params]
        if len(set(numbers)) < len(numbers) or known.intersection(numbers):
            raise ValueError(f"{name}: some parameters appear twice in the parameter groups")
        if any(bool(names) != ("param_names" in group) for group in self.param_groups):
            raise ValueError(f"{name}: all optimizer param groups should be with/without names")
        settings = {**param_group, **({"param_names": names} if names else {})}
        for setting, default in self.defaults.items():
            if default is required and setting not in settings:
                raise ArgumentError(
                    f"{name}: parameter group didn't specify a value of required optimization "
                    f"parameter {setting}"
                )
            settings.setdefault(setting, default)
        group = {setting: plain(value) for setting, value in settings.items()}
        group["params"] = params
        self._check_switches(group)
        self._check(group)
        self.param_groups.append(group)
        self._slots.append(_Slots(params, self._state_names))

    def _check_switches(self, group: Mapping[str, Any]) -> None:
        """Refuse what no step can do. `foreach` and `fused` are hints."""
        name = type(self).__name__
        if group.get("foreach") and group.get("fused"):
            raise ArgumentError(f"{name}: `fused` and `foreach` cannot be `True` together")
        if group.get("differentiable"):
            raise ArgumentError(
                f"{name}: differentiable=True: steps are not recorded. Set it to False, and write "
                "steps to derive as w - lr * g, with g from autograd.grad(..., create_graph=True)"
            )
        if group.get("capturable") and not self._capturable:
            raise ArgumentError(
                f"{name}: capturable=True: its steps cannot be part of a graph. Set it to False, "
                "and use SGD, Adam or AdamW in graphs"
            )

    def _check(self, group: dict[str, Any]) -> None:
        """Raise ValueError for a setting that is out of range."""

    def _check_not_negative(self, group: dict[str, Any], *settings: str) -> None:
        for setting in settings:
            if not group[setting] >= 0:  # NaN is refused too
                name = type(self).__name__
                raise ValueError(f"{name}: {setting} must be 0 or more, got {group[setting]}")

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        """Change one group's parameters; True when missing states were put into the lists."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change all parameters that have a gradient.

        Args:
            closure: Recomputes the loss and its gradients.

        Returns:
            What the closure returned.

        Raises:
            DeviceMismatchError: Parameters moved after the first step, but their states did not.
            TypeError: The closure is not callable.
        """
        if self._step_hooks is not None:
            args = (self,) if closure is None else (self, closure)
            return self._step_hooks.around(Optimizer._observed_step, args, {})
        return self._observed_step(closure)

    def _observed_step(self, closure: Callable[[], Any] | None = None) -> Any:
        if _core.is_observed():
            return _core.observed_step(self, closure)
        return self._take_step(closure)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Let a function run before each step.

        Args:
            hook: Called with the optimizer, the step's positional arguments (the optimizer itself
                is the first) and its keyword arguments. It returns None, or a tuple of those that
                the step gets instead.

        Returns:
            A handle, whose `remove()` takes the hook away.

        Raises:
            TypeError: hook cannot be called.

        Example:
            >>> import gpukit
            >>> sgd = gpukit.optim.SGD([gpukit.ones(1, requires_grad=True)], lr=0.1)
            >>> handle = sgd.register_step_pre_hook(lambda *_: print("a step"))
            >>> sgd.step()
            a step
        """
        return add_hook(self._hooks().before, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Let a function run after each step.

        Args:
            hook: Called with the optimizer, the step's positional and its keyword arguments.

        Returns:
            A handle, whose `remove()` takes the hook away.

        Raises:
            TypeError: hook cannot be called.

        Example:
            >>> import gpukit
            >>> sgd = gpukit.optim.SGD([gpukit.ones(1, requires_grad=True)], lr=0.1)
            >>> handle = sgd.register_step_post_hook(lambda *_: print("a step"))
            >>> sgd.step()
            a step
            >>> handle.remove()
            >>> sgd.step()
        """
        return add_hook(self._hooks().after, hook)

    def _hooks(self) -> StepHooks:
        if self._step_hooks is None:
            self._step_hooks = StepHooks()
        return self._step_hooks

    def _take_step(self, closure: Callable[[], Any] | None) -> Any:
        if closure is not None and not callable(closure):
            raise TypeError(
                f"{type(self).__name__}.step: closure must be a function that returns the loss, or "
                f"None, got {closure!r} ({type(closure).__name__}). Use step() without it"
            )
        loss = None if closure is None else closure()
        captured = _core.current_graph()
        for group, slots in zip(self.param_groups, self._slots, strict=True):
            params = group["params"]
            if slots.params is not params or slots.count != len(params):
                slots.follow(params, self.state)
            if self._step_group(group, slots.lists):
                slots.show(self.state)
            if captured is not None:
                captured.follow(group)
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set all gradients to None, or to 0.

        Args:
            set_to_none: False keeps the tensors and fills them with 0.
        """
        if _core.is_observed():
            from gpukit.autograd.profiler import record_function

            name = type(self).__name__
            with record_function(f"Optimizer.zero_grad#{name}.zero_grad"):
                self._clear(set_to_none)
        else:
            self._clear(set_to_none)

    def _clear(self, set_to_none: bool) -> None:
        for group in self.param_groups:
            if set_to_none:
                _core.clear_gradients(group["params"])
                continue
            for param in group["params"]:
                if param.grad is not None:
                    param.grad = _core.zeros_like(param.grad)

    def state_dict(self) -> dict[str, Any]:
        """Return settings and states; parameters are numbered in the order they were given."""
        hooks = self._step_hooks or StepHooks()
        for hook in list(hooks.state_before.values()):
            hook(self)
        state = self._packed_state()
        for hook in list(hooks.state_after.values()):
            changed = hook(self, state)
            state = state if changed is None else changed
        return state

    def _packed_state(self) -> dict[str, Any]:
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {numbers[id(param)]: dict(values) for param, values in self.state.items() if values}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load settings and states; states move to their parameters' devices and dtypes.

        If it raises, nothing has changed.

        Args:
            state_dict: A dict that `state_dict` returned, in gpukit or torch.

        Raises:
            ValueError: The number or sizes of the groups differ.
        """
        hooks = self._step_hooks or StepHooks()
        for hook in list(hooks.load_before.values()):
            state_dict = dict(state_dict)
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        self._load_packed_state(state_dict)
        for hook in list(hooks.load_after.values()):
            hook(self)

    def _load_packed_state(self, state_dict: Mapping[str, Any]) -> None:
        saved = [dict(group) for group in state_dict["param_groups"]]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for own, group in zip(self.param_groups, saved, strict=True):
            if len(own["params"]) != len(group["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size "
                    "of optimizer's group"
                )
            self._check_switches(group)
        state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        for own, group in zip(self.param_groups, saved, strict=True):
            for number, param in zip(group.pop("params"), own["params"], strict=True):
                if number in state_dict["state"]:
                    held = state_dict["state"][number]
                    state[param] = _placed(held, param, counts=bool(self._state_names))
        settings = deepcopy(saved)
        self.state = state
        for index, (own, group) in enumerate(zip(self.param_groups, settings, strict=True)):
            own.update(group, **self._fixed)
            self._slots[index] = _Slots(own["params"], self._state_names, state)
        self.__setstate__({"state": self.state, "param_groups": self.param_groups})

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * (number > 0) + [f"Parameter Group {number}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _named(optimizer: str, params: Any) -> tuple[list[str], list[Any]]:
    """Names, or none, and tensors."""
    if isinstance(params, (set, frozenset)):
        raise TypeError(f"{optimizer}: params must be in order, but a set has none; use a list")
    listed = list(params) if isinstance(params, Iterable) else [params]
    pairs = [item for item in listed if isinstance(item, tuple) and len(item) == 2]
    if not pairs:
        return [], listed
    if len(pairs) < len(listed):
        raise ValueError(
            f"{optimizer}: all optimizer params should be with/without names. Some param names "
            "are missing"
        )
    return [name for name, _ in pairs], [param for _, param in pairs]


def _placed(values: Mapping[str, Any], param: Tensor, counts: bool) -> dict[str, Any]:
    """States on the device of their parameter; gpukit's optimizers count steps on the CPU."""
    return {
        name: _core.tensor(float(value), dtype=_core.float32)
        if name == "step" and (counts or isinstance(value, Tensor))
        else _copied(value, param)
        for name, value in values.items()
    }


def _copied(value: Any, param: Tensor) -> Any:
    if isinstance(value, list):
        return [_copied(each, param) for each in value]
    if isinstance(value, Tensor):
        return value.detach().to(param.device, param.dtype, copy=True)
    return value


class _Slots:
    """A group's states as lists parallel to its parameters, as the extension takes them."""

    def __init__(
        self,
        params: list[Tensor],
        names: tuple[str, ...],
        state: Mapping[Tensor, dict[str, Any]] | None = None,
    ) -> None:
        self.names = names
        self.lists: tuple[list[Any], ...] = ()
        self.follow(params, state or {})

    def follow(self, params: list[Tensor], state: Mapping[Tensor, dict[str, Any]]) -> None:
        """Take the states of these parameters."""
        self.params = params
        self.count = len(params)
        own = [state.get(param, {}) for param in params]
        self.lists = tuple([values.get(name) for values in own] for name in self.names)

    def show(self, state: dict[Tensor, dict[str, Any]]) -> None:
        """Put states that the extension made into `state`."""
        for number, param in enumerate(self.params):
            for name, column in zip(self.names, self.lists, strict=True):
                if column[number] is not None:
                    state[param][name] = column[number]
