"""Near names for mistyped ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from gpukit import _core


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that a mistyped one was probably meant to be, or None."""
    if not name.isprintable():  # the extension does not accept a lone surrogate as text
        return None
    names = list(known)
    slip = _core.nearest_name(name, names)
    if slip:
        return slip
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, names, 1, 0.75)), None)


class Advice(NamedTuple):
    """The advice on a name that a public module lacks; "" where nothing is known."""

    instead: str = ""  # of a name that torch has: a sentence
    meant: str = ""  # the nearest name of gpukit
    numpy: str = ""  # how to use NumPy's function of that name: a sentence

    def ending(self) -> str:
        """What follows "gpukit has no 'name'"."""
        if self.instead:
            return f": {self.instead}"
        question = f" Did you mean '{self.meant}'?" if self.meant else ""
        return f".{question}" + (f" {self.numpy}" if self.numpy else "")


def advice_on(module: str, name: str) -> Advice:
    """The advice on a name that a public module lacks."""
    if name.startswith("_"):  # also asked by `from gpukit import _module`, before it is imported
        return Advice()
    from gpukit._names.absent import in_numpy, instead

    if told := instead(module, name):
        return Advice(instead=told)
    meant = near(name, [n for n in dir(sys.modules[module]) if n[0] != "_"])
    return Advice("", meant or "", (in_numpy(name) or "") if module == "gpukit" else "")


def no_attribute(module: str, name: str) -> NoReturn:
    """Raise the AttributeError of a public module, with the nearest name if there is one."""
    advice = advice_on(module, name)
    text = f"{module} has no '{name}'{advice.ending()}"
    raise AttributeError(text, name=name, obj=sys.modules[module])


def deprecated_or_no_attribute(module: str, name: str) -> Any:
    """What a deprecated spelling of torch's stands for; other names are an AttributeError."""
    if not name.startswith("_"):
        from gpukit._names.deprecated import deprecated

        found = deprecated(module, name)
        if found is not None:
            return found
    return no_attribute(module, name)


def module_getattr(module: str) -> Callable[[str], Any]:
    """A `__getattr__` for a public module whose only lazy names are deprecated spellings."""

    def getattr_(name: str) -> Any:
        return deprecated_or_no_attribute(module, name)

    return getattr_


def refuse_torch_function(function: Any, *_: Any) -> NoReturn:
    """Raise the TypeError of a torch function that was given a gpukit tensor."""
    called = getattr(function, "__name__", str(function)).strip("_")
    module = getattr(function, "__module__", None) or "torch"
    where = module if module.startswith("torch") and "._" not in module else "torch"
    raise TypeError(
        f"{where}.{called} is torch's and was given a gpukit.Tensor. Replace a left-over import of "
        "torch ('from gpukit import nn'), or share the memory by torch.from_dlpack(x)."
    )
