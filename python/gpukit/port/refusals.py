"""Calls that gpukit refuses by what they are given, each with a proof that a test runs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from gpukit.lint.nodes import keyword, method, receiver
from gpukit.port.aliases import Names
from gpukit.port.inference import Kinds
from gpukit.port.kinds import UNKNOWN
from gpukit.port.surface import Missing, find
from gpukit.port.vocabulary import OTHER_DEVICES

Asked = Callable[["Context", ast.Call], bool]


@dataclass(frozen=True)
class Context:
    """What a refusal may query about a file."""

    names: Names
    kinds: Kinds


@dataclass(frozen=True)
class Refusal:
    """`proof` is a program with torch's names that fails under gpukit; `good` is what runs."""

    name: str
    message: str
    proof: str
    good: str
    applies: Asked


def _whole_module(context: Context, call: ast.Call) -> bool:
    saved = context.names.called(call) == "torch.save" and call.args
    return bool(saved) and context.kinds.is_module(context.kinds.of(call.args[0]))


def _other_device(context: Context, call: ast.Call) -> bool:
    called = context.names.called(call)
    words: list[ast.expr | None] = []
    if called.startswith("torch.") and not isinstance(find(called), Missing):
        words.append(keyword(call, "device"))
    if called in {"torch.device", "torch.set_default_device"}:
        words += call.args[:1]
    moved = method(call) == "to" and not called
    if moved:
        words += [*call.args[:1], keyword(call, "device")]
    said = [each.value for each in words if isinstance(each, ast.Constant)]
    texts = [each for each in said if isinstance(each, str)]
    if moved and not _can_move(context, call):  # other objects have a method of that name
        texts = [each for each in texts if each.split(":")[0] in OTHER_DEVICES]
    return any(not _is_device(each) for each in texts)


def _can_move(context: Context, call: ast.Call) -> bool:
    of = receiver(call)
    kind = context.kinds.of(of) if of is not None else UNKNOWN
    return kind.tensor or context.kinds.is_module(kind)


@cache
def _is_device(text: str) -> bool:
    """Says whether gpukit knows a device, or a dtype, of that name; naming needs no hardware."""
    import gpukit

    if isinstance(getattr(gpukit, text, None), gpukit.dtype):
        return True
    try:
        gpukit.device(text)
    except (RuntimeError, ValueError):
        return False
    return True


def _several(context: Context, node: ast.expr) -> bool:
    kind = context.kinds.of(node)
    return kind.tensor and kind.sure


TABLE: tuple[Refusal, ...] = (
    Refusal(
        "whole-module-saved",
        "whole modules are not saved: write torch.save(net.state_dict(), file)",
        "import io\nimport torch\nnet = torch.nn.Linear(1, 1)\ntorch.save(net, io.BytesIO())\n",
        "import io\nimport torch\nnet = torch.nn.Linear(1, 1)\n"
        "torch.save(net.state_dict(), io.BytesIO())\n",
        _whole_module,
    ),
    Refusal(
        "other-device",
        "gpukit computes on the CPU and on NVIDIA's GPUs: torch.try_gpu() gives the best of them",
        "import torch\nx = torch.ones(2, device='mps')\n",
        "import torch\nx = torch.ones(2, device='cpu')\n",
        _other_device,
    ),
)
