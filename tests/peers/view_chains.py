"""Random chains of views and in-place changes, as steps that torch and gpukit can both run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

Step = tuple[Any, ...]

VIEWS = ("view", "t", "slice", "select", "unsqueeze", "squeeze", "expand", "diagonal", "alias")
MEMORY = ("as_strided", "unfold", "no_grad")
SOURCED = ("copy_", "add_", "mul_", "sub_", "assign", "index_put", "index_add_")
PLAIN = ("fill_", "mul_number", "add_number", "zero_", "relu_", "assign_number", "masked_fill_")


def chain(seed: int, views: Sequence[str] = VIEWS) -> list[Step]:
    """Each step names its tensors by their place in the pool, and how to choose the rest."""
    rng = random.Random(seed)
    steps: list[Step] = []
    for _ in range(rng.randint(3, 14)):
        pick = rng.random()
        if pick < 0.4:
            steps.append(("take", rng.choice(views), rng.random(), rng.random(), rng.random()))
        elif pick < 0.62:
            steps.append(("write", rng.choice(SOURCED), rng.random(), rng.random(), rng.random()))
        elif pick < 0.78:
            steps.append(("change", rng.choice(PLAIN), rng.random(), rng.random()))
        elif pick < 0.9:
            steps.append(("use", rng.random(), rng.random()))
        elif pick < 0.94:
            steps.append(("detach", rng.random()))
        else:
            steps.append(("no_grad", rng.random()))
    return steps


def taken_of_memory(lib: Any, name: str, tensor: Any, a: float, b: float) -> Any:
    shape = tuple(tensor.shape)
    if name == "no_grad":
        with lib.no_grad():
            return taken(lib, VIEWS[int(a * len(VIEWS))], tensor, b, a)
    if name == "unfold" and shape and len(shape) < 5:
        dim = int(a * len(shape))
        return tensor.unfold(dim, 1 + int(b * (shape[dim] - 1)), 1 + int(a < 0.5))
    if name == "as_strided" and shape and not is_expanded(tensor):
        steps = [step * (1 + (a < 0.3)) for step in tensor.stride()]
        sizes = [(size + 1) // 2 for size in shape]
        return tensor.as_strided(sizes, steps, tensor.storage_offset())
    return tensor.view_as(tensor)


def taken(lib: Any, name: str, tensor: Any, a: float, b: float) -> Any:
    if name in MEMORY:
        return taken_of_memory(lib, name, tensor, a, b)
    shape = tuple(tensor.shape)
    dim = int(a * len(shape)) if shape else 0
    if name == "view":
        return tensor.reshape(-1) if a < 0.5 else tensor.reshape(*reversed(shape))
    if name == "t":
        return tensor.transpose(0, -1) if shape else tensor
    if name == "slice" and shape and shape[dim] > 1:
        start = int(b * (shape[dim] - 1))
        return tensor.narrow(dim, start, shape[dim] - start - int(a < 0.3))
    if name == "select" and len(shape) > 1:
        return tensor.select(dim, int(b * shape[dim]))
    if name == "unsqueeze" and len(shape) < 4:
        return tensor.unsqueeze(dim)
    if name == "squeeze":
        return tensor.squeeze()
    if name == "expand" and len(shape) < 4:
        return tensor.expand(2, *shape)
    if name == "diagonal" and len(shape) > 1:
        return tensor.diagonal()
    return tensor.view_as(tensor)


def written(lib: Any, name: str, tensor: Any, source: Any, a: float) -> None:
    count = int(np.prod(tuple(tensor.shape)))
    value = source.reshape(-1)[:1] * a if a < 0.3 else None
    if value is None:
        repeated = lib.cat([source.reshape(-1)] * (count // max(source.numel(), 1) + 1))
        value = repeated[:count].reshape(tuple(tensor.shape)) * a
    if name == "assign":
        tensor[...] = value
    elif name == "index_put" and tensor.ndim and value.numel() > 1:
        tensor[lib.tensor([0], device=tensor.device)] = value[:1]
    elif name == "index_add_" and tensor.ndim and value.numel() > 1:
        tensor.index_add_(0, lib.tensor([0], device=tensor.device), value[:1])
    elif name in ("index_put", "index_add_"):
        tensor.add_(value.reshape(-1)[0])
    else:
        getattr(tensor, name)(value.reshape(()) if value.numel() == 1 else value)


def changed(lib: Any, name: str, tensor: Any, a: float) -> None:
    if name == "fill_":
        tensor.fill_(a)
    elif name == "mul_number":
        tensor *= a
    elif name == "add_number":
        tensor += a
    elif name == "zero_":
        tensor.zero_()
    elif name == "relu_":
        tensor.sub_(1).relu_()
    elif name == "assign_number" and tensor.ndim:
        tensor[0] = a
    else:
        tensor.masked_fill_(tensor.detach() > a, 0.5)


def is_expanded(tensor: Any) -> bool:
    """Several elements may share memory: each library has its own list of what may be written."""
    reached = 1
    for step, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1 and step < reached:
            return True
        reached += (size - 1) * step
    return False


def run(lib: Any, device: str, steps: list[Step], *, strided: bool = False) -> list[Any]:
    """What each step came to: values used, an error, and gradients at the end."""
    x = lib.tensor(np.linspace(-1.5, 2, 12).reshape(2, 3, 2).tolist(), device=device)
    x.requires_grad_()
    w = lib.tensor(np.linspace(1, 2, 4).tolist(), device=device).requires_grad_()
    pool = [x, w, x * 2, lib.zeros(3, 4, device=device), w * w]
    if strided:
        memory = lib.zeros(4, 6, device=device).detach()
        pool[3] = memory[:, ::2].t().detach()
    total = (w * 0).sum()
    seen: list[Any] = []
    for step in steps:
        place = step[2 if step[0] in ("take", "write", "change") else 1]
        tensor = pool[1 + int(place * (len(pool) - 1))]
        if step[0] not in ("take", "use") and is_expanded(tensor):
            continue
        try:
            if step[0] == "take":
                pool.append(taken(lib, step[1], tensor, *step[3:]))
            elif step[0] == "write":
                written(lib, step[1], tensor, pool[int(step[3] * len(pool))], step[4])
            elif step[0] == "change":
                changed(lib, step[1], tensor, step[3])
            elif step[0] == "use":
                total = total + (tensor * (tensor if step[2] < 0.2 else step[2])).sum()
            elif step[0] == "detach":
                pool.append(tensor.detach())
            else:
                with lib.no_grad():
                    tensor.mul_(0.5)
            seen.append((tensor.requires_grad, tensor.is_leaf))
        except (RuntimeError, ValueError) as error:
            seen.append(error)
    try:
        total = total + sum(tensor.sum() * 0.5 for tensor in pool)
        total.backward()
    except RuntimeError as error:
        return [*seen, error]
    seen.extend(np.asarray(tensor.detach().cpu().tolist()) for tensor in pool)
    seen.extend(np.asarray(leaf.grad.cpu().tolist()) for leaf in (x, w) if leaf.grad is not None)
    return seen
