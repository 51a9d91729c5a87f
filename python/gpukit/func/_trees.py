"""Tuples, lists and dicts of tensors, one inside the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gpukit._core import Tensor
from gpukit.errors import ArgumentError


def leaves(tree: Any) -> Iterator[Any]:
    """What is in the containers, in order."""
    if isinstance(tree, dict):
        for value in tree.values():
            yield from leaves(value)
    elif isinstance(tree, (tuple, list)):
        for value in tree:
            yield from leaves(value)
    else:
        yield tree


def changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The same containers around changed contents."""
    if isinstance(tree, dict):
        return type(tree)((key, changed(value, change)) for key, value in tree.items())
    if isinstance(tree, (tuple, list)):
        values = [changed(value, change) for value in tree]
        return type(tree)(*values) if hasattr(tree, "_fields") else type(tree)(values)
    return change(tree)


def filled(tree: Any, values: Sequence[Any]) -> Any:
    """The same containers around other contents, in order."""
    remaining = iter(values)
    return changed(tree, lambda _: next(remaining))


def tensors_in(function: str, name: str, tree: Any) -> list[Tensor]:
    """The tensors of containers that hold nothing else."""
    found = list(leaves(tree))
    for value in found:
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{function}: {name} must be a Tensor or a tuple, list or dict of them, got "
                f"{value!r:.80} ({type(value).__name__})"
            )
    return found


def matched(function: str, name: str, tree: Any, like: Any) -> list[Tensor]:
    """The tensors of containers that are as others, in the order of the others."""

    def parts(tree: Any, like: Any) -> Iterator[Any]:
        if isinstance(like, dict) and isinstance(tree, dict) and tree.keys() == like.keys():
            for key, value in like.items():
                yield from parts(tree[key], value)
        elif isinstance(like, (tuple, list)) and isinstance(tree, (tuple, list)):
            if len(tree) != len(like):
                raise ArgumentError(
                    f"{function}: {name} must have as many parts as the arguments, {len(like)}, "
                    f"got {len(tree)}"
                )
            for each, value in zip(tree, like, strict=True):
                yield from parts(each, value)
        elif isinstance(like, (dict, tuple, list)):
            raise ArgumentError(
                f"{function}: {name} must have the containers and keys of the arguments, got "
                f"{_kind_of(tree)} for {_kind_of(like)}"
            )
        else:
            yield tree

    return tensors_in(function, name, list(parts(tree, like)))


def _kind_of(tree: Any) -> str:
    if isinstance(tree, dict):
        return f"a dict of {', '.join(map(repr, tree))}"
    return f"a {type(tree).__name__}"


def reaches_others(results: Sequence[Tensor], sources: Sequence[Tensor]) -> bool:
    """Whether results depend on leaves besides the sources: an outer derivative's, or a closure's.

    Their derivatives must keep the graph then.
    """
    views: list[Any] = [source.view_as(source).grad_fn for source in sources]
    own = {view.next_functions[0][0] for view in views}
    waiting: list[Any] = [result.grad_fn for result in results if result.grad_fn is not None]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        parts = [each for each, _ in node.next_functions if each is not None and each not in seen]
        if not node.next_functions and node not in own:
            return True
        seen.update(parts)
        waiting += parts
    return False


def without_graph(value: Any) -> Any:
    """A tensor detached; anything else as it is."""
    return value.detach() if isinstance(value, Tensor) else value
