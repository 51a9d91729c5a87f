"""What a model's output went through last: softmax, sigmoid, or nothing that the text shows."""

from __future__ import annotations

import ast

from gpukit.lint.nodes import method, receiver
from gpukit.lint.program import Program

_NAMES = frozenset({"softmax", "log_softmax", "sigmoid"})
_LAYERS = {
    "torch.nn.Softmax": "softmax",
    "torch.nn.LogSoftmax": "log_softmax",
    "torch.nn.Sigmoid": "sigmoid",
}
_SAME_MODEL = frozenset({"to", "cuda", "cpu", "train", "eval", "float", "double"})
_DEEPEST = 6


def activation(program: Program, node: ast.AST | None, depth: int = 0) -> str:
    """The name of the function that gave a tensor, also as the last layer of a model; or ""."""
    made = program.binding(node) if isinstance(node, ast.Name) else node
    if not isinstance(made, ast.Call) or depth > _DEEPEST:
        return ""
    path = program.called(made)
    name = path.rpartition(".")[2] if path.startswith("torch.") else method(made)
    if name in _NAMES and (path or not _is_self(receiver(made))):
        return name
    return _of_model(program, made.func, depth + 1)


def _of_model(program: Program, node: ast.AST | None, depth: int) -> str:
    """What a model ends with: a layer, a Sequential, or a class of this file."""
    model = _attribute(program, node) if isinstance(node, ast.Attribute) else node
    model = program.binding(model) if isinstance(model, ast.Name) else model
    if depth > _DEEPEST or not isinstance(model, ast.Call):
        return ""
    if method(model) in _SAME_MODEL and not program.called(model):
        return _of_model(program, receiver(model), depth + 1)
    path = program.called(model)
    if path in _LAYERS:
        return _LAYERS[path]
    if path == "torch.nn.Sequential":
        return _of_model(program, model.args[-1], depth + 1) if model.args else ""
    if isinstance(model.func, ast.Name) and model.func.id in program.module_classes:
        return _of_class(program, model.func.id, depth + 1)
    return ""


def _of_class(program: Program, name: str, depth: int) -> str:
    """What every return of the class's forward() returns, if that is one function."""
    for owner in program.of(ast.ClassDef):
        if owner.name != name:
            continue
        for each in owner.body:
            if isinstance(each, ast.FunctionDef) and each.name == "forward":
                returns = program.among(program.of(ast.Return), each)
                own = [node for node in returns if program.scope(node) is each]
                found = {activation(program, node.value, depth) for node in own}
                return found.pop() if len(found) == 1 else ""
    return ""


def _attribute(program: Program, node: ast.Attribute) -> ast.AST | None:
    """The one value that the class around binds to `self.name`."""
    around = next((o for o in program.ancestors(node) if isinstance(o, ast.ClassDef)), None)
    if around is None or not _is_self(node.value):
        return None
    found = [
        each.value
        for each in program.among(program.of(ast.Assign), around)
        for target in each.targets
        if isinstance(target, ast.Attribute) and target.attr == node.attr and _is_self(target.value)
    ]
    return found[0] if len(found) == 1 else None


def _is_self(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
