"""Rules on training and evaluation loops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.nodes import is_true, keyword, method, owner, position, receiver, same
from gpukit.lint.outputs import activation
from gpukit.lint.program import Program

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_T = "import torch\n"
# Layers, and collections of whole models, that work otherwise in training.
_DIFFERS_IN_TRAINING = re.compile(
    r"dropout|(batch|instance|sync)_?norm|transformer(?!s)|\bmodels\b|\bhub\b", re.IGNORECASE
)
_MODEL = _T + "model = torch.nn.Linear(2, 1)\nloss_fn = torch.nn.MSELoss()\n"
_SGD = "opt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
_LOOP = (
    "def train(data):\n    total = 0\n    kept = []\n    for x, y in data:\n"
    "        opt.zero_grad()\n        loss = loss_fn(model(x), y)\n        loss.backward()\n"
    "        opt.step()\n"
)
_FULL = _MODEL + _SGD + _LOOP


def _backwards(program: Program, inside: ast.AST, before: ast.AST | None = None) -> list[ast.Call]:
    """The calls of backward() inside a loop, and before a node."""
    return program.among(program.methods("backward"), inside, before=before)


def _loss_names(program: Program, loop: ast.AST) -> set[str]:
    """Names whose backward() the loop calls."""
    return {owner(call) for call in _backwards(program, loop)} - {""}


@rule(
    "GPK301",
    "loss-accumulated-with-graph",
    "adding the loss itself keeps each step's graph in memory: add loss.detach(), or loss.item()",
    bad=_FULL + "        total += loss\n",
    good=_FULL + "        total += loss.detach()\n",
    fixable=True,
)
def _accumulated(program: Program) -> Iterator[Hit]:
    for statement, name, added in _sums(program):
        loop = program.loop(statement)
        if loop is None:
            continue
        losses = _loss_names(program, loop)
        late = _backwards(program, loop, before=statement)
        if added.id in losses and name not in losses and late:
            yield Hit(statement, edit=replace(added, f"{added.id}.detach()"))


def _sums(program: Program) -> Iterator[tuple[ast.stmt, str, ast.Name]]:
    """(statement, name, what is added) of each `total += x` and `total = total + x`."""
    for node in program.of(ast.AugAssign):
        if isinstance(node.op, ast.Add) and isinstance(node.value, ast.Name):
            name = node.target.id if isinstance(node.target, ast.Name) else ""
            yield node, name, node.value
    for each in program.of(ast.Assign):
        value, target = each.value, each.targets[0]
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            for kept, added in ((value.left, value.right), (value.right, value.left)):
                if (
                    isinstance(added, ast.Name)
                    and isinstance(target, ast.Name)
                    and same(kept, target)
                ):
                    yield each, target.id, added


@rule(
    "GPK302",
    "evaluation-without-eval",
    "without model.eval() dropout and batch norm work as in training: call model.eval() before, "
    "and model.train() after",
    bad=_MODEL
    + "def evaluate(model, data):\n    with torch.no_grad():\n        for x, y in data:\n"
    "            print(model(x))\n",
    good=_MODEL + "def evaluate(model, data):\n    model.eval()\n    with torch.no_grad():\n"
    "        for x, y in data:\n            print(model(x))\n",
)
def _no_eval(program: Program) -> Iterator[Hit]:
    if program.methods("eval") or any(call.args for call in program.methods("train")):
        return
    if _has_own_models(program) and not _DIFFERS_IN_TRAINING.search(_words(program)):
        return
    for function, _ in _evaluations(program):
        yield Hit(function)


def _words(program: Program) -> str:
    """The names that the code mentions."""
    named = [node.id for node in program.of(ast.Name)]
    named += [node.attr for node in program.of(ast.Attribute)]
    named += [each.name for node in program.of(ast.ImportFrom) for each in node.names]
    return " ".join([*named, *(str(node.module) for node in program.of(ast.ImportFrom))])


def _has_own_models(program: Program) -> bool:
    """The file defines its networks itself."""
    return any(
        program.path(base) == "torch.nn.Module"
        for each in program.of(ast.ClassDef)
        for base in each.bases
    )


def _evaluations(
    program: Program,
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, list[ast.Call]]]:
    """Functions named as evaluation that do not train, and their calls of `model` or `net`."""
    named = {"evaluate", "test", "validate", "eval", "val", "validation"}
    for function in program.functions:
        if not named.intersection(function.name.lower().strip("_").split("_")):
            continue
        applied = program.among(program.named("model", "net"), function)
        if applied and not program.among(program.methods("backward", "requires_grad_"), function):
            yield function, applied


@rule(
    "GPK303",
    "evaluation-with-graph",
    "evaluation records a graph that is not used, which costs memory and time: put it under "
    "torch.no_grad()",
    bad=_MODEL + "def evaluate(data):\n    model.eval()\n    for x, y in data:\n"
    "        print(model(x))\n",
    good=_MODEL + "def evaluate(data):\n    model.eval()\n    with torch.no_grad():\n"
    "        for x, y in data:\n            print(model(x))\n",
)
def _graph(program: Program) -> Iterator[Hit]:
    told: set[ast.AST] = set()
    for hit in _graph_after_eval(program):
        if isinstance(hit.where, ast.AST):
            told.add(program.scope(hit.where))
        yield hit
    if "volatile=True" in program.source.text:
        return
    for function, applied in _evaluations(program):
        open_calls = [
            call for call in applied if not program.ungraded(call) and _repeated(program, call)
        ]
        if open_calls and function not in told and not _called_without_grad(program, function.name):
            yield Hit(min(open_calls, key=position))


def _repeated(program: Program, call: ast.Call) -> bool:
    """Runs for each batch: in a loop or in a comprehension."""
    return program.loop(call) is not None or program.inside(call, *_COMPREHENSIONS)


def _called_without_grad(program: Program, name: str) -> bool:
    """The file calls the function where no gradient is recorded."""
    return any(map(program.ungraded, program.named(name)))


def _graph_after_eval(program: Program) -> Iterator[Hit]:
    if "volatile=True" in program.source.text:  # what no_grad() was called before torch 0.4
        return
    for call in program.methods("eval"):
        model, scope = owner(call), program.scope(call)
        if not model or call.args or isinstance(scope, ast.Module):
            continue
        trains = program.among(program.methods("backward", "requires_grad_"), scope)
        if trains or _called_without_grad(program, scope.name):
            continue
        for node in program.among(program.named(model), scope, after=call):
            if _repeated(program, node) and not program.ungraded(node):
                yield Hit(node)
                break


@rule(
    "GPK304",
    "missing-zero-grad",
    "gradients add up from step to step: call optimizer.zero_grad() in the loop",
    bad=_MODEL + _SGD + _LOOP.replace("        opt.zero_grad()\n", ""),
    good=_FULL,
)
def _zero_grad(program: Program) -> Iterator[Hit]:
    text = program.source.text
    if "zero_grad" in text or "grad.zero_" in text or ".grad = None" in text or "accum" in text:
        return
    for call in program.methods("backward"):
        loop = program.each_step(call)
        if loop is None:
            continue
        steps = program.among(program.methods("step"), loop)
        owned = [receiver(step) for step in steps if not step.args]
        optimizers = {"optim", "optimizer", "opt", "trainer", "sgd", "adam", "optimiser"}
        if any(
            program.value(each).kind == "optimizer" or getattr(each, "id", "") in optimizers
            for each in owned
            if each is not None
        ):
            yield Hit(call)


@rule(
    "GPK305",
    "gradients-cleared-before-step",
    "zero_grad() between backward() and step() deletes the gradients: call it before backward()",
    bad=_MODEL
    + _SGD
    + "def train(x, y):\n    loss_fn(model(x), y).backward()\n    opt.zero_grad()\n"
    "    opt.step()\n",
    good=_MODEL
    + _SGD
    + "def train(x, y):\n    opt.zero_grad()\n    loss_fn(model(x), y).backward()\n"
    "    opt.step()\n",
)
def _cleared(program: Program) -> Iterator[Hit]:
    for call in program.methods("zero_grad"):
        statement = program.parents.get(call)
        block = program.block(statement) if isinstance(statement, ast.Expr) else []
        kinds = [_own_call(each) for each in block]
        at = next((i for i, each in enumerate(block) if each is statement), -1)
        before = next(
            (k for k, _ in reversed(kinds[: max(at, 0)]) if k in {"backward", "step"}), ""
        )
        after = next(((k, o) for k, o in kinds[at + 1 :] if k in {"backward", "step"}), ("", None))
        if before == "backward" and after[0] == "step" and same(after[1], receiver(call)):
            yield Hit(call)


def _own_call(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return (method(call), receiver(call)) if isinstance(call, ast.Call) else ("", None)


@rule(
    "GPK306",
    "softmax-before-cross-entropy",
    "cross entropy takes logits and applies softmax itself: pass the model's output without "
    "softmax",
    bad=_T + "import torch.nn.functional as F\ndef f(x, y):\n"
    "    return F.cross_entropy(torch.softmax(x, 1), y)\n",
    good=_T + "import torch.nn.functional as F\ndef f(x, y):\n    return F.cross_entropy(x, y)\n",
)
def _softmax(program: Program) -> Iterator[Hit]:
    for call in _losses(program, "torch.nn.CrossEntropyLoss", "torch.nn.functional.cross_entropy"):
        if call.args and activation(program, call.args[0]) in {"softmax", "log_softmax"}:
            yield Hit(call)


def _losses(program: Program, layer: str, function: str) -> Iterator[ast.Call]:
    """The calls of a loss, as a function or as a layer bound to a name."""
    for call in program.all_calls:
        if (
            program.called(call) == function
            or (
                isinstance(call.func, ast.Name)
                and program.called(program.binding(call.func)) == layer
            )
            or program.called(call.func) == layer
        ):
            yield call


@rule(
    "GPK322",
    "sigmoid-before-logits-loss",
    "this loss takes logits and applies sigmoid itself: pass the output without sigmoid",
    bad=_T + "import torch.nn.functional as F\ndef f(x, y):\n"
    "    return F.binary_cross_entropy_with_logits(torch.sigmoid(x), y)\n",
    good=_T + "import torch.nn.functional as F\ndef f(x, y):\n"
    "    return F.binary_cross_entropy_with_logits(x, y)\n",
)
def _sigmoid(program: Program) -> Iterator[Hit]:
    function = "torch.nn.functional.binary_cross_entropy_with_logits"
    for call in _losses(program, "torch.nn.BCEWithLogitsLoss", function):
        if call.args and activation(program, call.args[0]) == "sigmoid":
            yield Hit(call)


@rule(
    "GPK309",
    "data-parallel",
    "DataParallel copies the model at each step and is bound by one Python thread: use "
    "DistributedDataParallel",
    bad=_T + "model = torch.nn.DataParallel(torch.nn.Linear(2, 1))\n",
    good=_T + "model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))\n",
)
def _data_parallel(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.nn.DataParallel", "torch.nn.parallel.DataParallel"):
        yield Hit(call)


@rule(
    "GPK314",
    "scheduler-before-optimizer",
    "scheduler.step() before optimizer.step() skips the first learning rate: call it after",
    bad=_MODEL + _SGD + "scheduler = torch.optim.lr_scheduler.StepLR(opt, 9)\n"
    "for epoch in range(9):\n    scheduler.step()\n    opt.step()\n",
    good=_MODEL + _SGD + "scheduler = torch.optim.lr_scheduler.StepLR(opt, 9)\n"
    "for epoch in range(9):\n    opt.step()\n    scheduler.step()\n",
)
def _scheduler(program: Program) -> Iterator[Hit]:
    steps = [c for c in program.methods("step") if isinstance(program.parents[c], ast.Expr)]
    begun: set[ast.AST | None] = set()  # the loops in which something made a step
    for call in steps:
        of, loop = receiver(call), program.loop(call)
        made = program.binding(of) if isinstance(of, ast.Name) else None
        if loop not in begun and "lr_scheduler" in program.called(made):
            block = program.block(program.statement(call) or call)
            later = program.among(program.methods("step"), block, after=call)
            if any(program.value(receiver(each)).kind == "optimizer" for each in later):
                yield Hit(call)
        begun.add(loop)


@rule(
    "GPK315",
    "stays-in-eval",
    "model.eval() in the training loop and no model.train(): after the first evaluation the model "
    "trains without dropout and batch statistics; call model.train() at each epoch's start",
    bad=_MODEL + _SGD + "def fit(data):\n    for epoch in range(9):\n        for x, y in data:\n"
    "            opt.zero_grad()\n            loss_fn(model(x), y).backward()\n"
    "            opt.step()\n"
    "        model.eval()\n",
    good=_MODEL + _SGD + "def fit(data):\n    for epoch in range(9):\n        model.train()\n"
    "        for x, y in data:\n            opt.zero_grad()\n"
    "            loss_fn(model(x), y).backward()\n            opt.step()\n        model.eval()\n",
)
def _missing_train(program: Program) -> Iterator[Hit]:
    if program.methods("train"):
        return
    for call in program.methods("eval"):
        loop = program.loop(call)
        named = not call.args and bool(owner(call))
        if named and loop is not None and _backwards(program, loop):
            yield Hit(call)


@rule(
    "GPK323",
    "graph-retained",
    "retain_graph=True at each step keeps graphs and hides a graph that grows: detach what comes "
    "from the step before",
    bad=_FULL.replace("backward()", "backward(retain_graph=True)"),
    good=_FULL,
)
def _retained(program: Program) -> Iterator[Hit]:
    for call in program.methods("backward"):
        loop = program.each_step(call)
        retains = is_true(keyword(call, "retain_graph"))
        if retains and loop and program.among(program.methods("backward", "grad"), loop) == [call]:
            yield Hit(call)


@rule(
    "GPK324",
    "graph-kept-in-list",
    "the list keeps each step's graph in memory: append loss.detach(), or loss.item()",
    bad=_FULL + "        kept.append(loss)\n",
    good=_FULL + "        kept.append(loss.detach())\n",
    fixable=True,
)
def _listed(program: Program) -> Iterator[Hit]:
    for call in program.methods("append"):
        loop = program.loop(call)
        word = call.args[0] if call.args else None
        if loop is None or not isinstance(word, ast.Name):
            continue
        if any(owner(each) == word.id for each in _backwards(program, loop, before=call)):
            yield Hit(call, edit=replace(word, f"{word.id}.detach()"))


_SCALED = (
    _MODEL + _SGD + "scaler = torch.amp.GradScaler('cuda')\ndef train(data):\n"
    "    for x, y in data:\n        opt.zero_grad()\n        loss = loss_fn(model(x), y)\n"
    "        scaler.scale(loss).backward()\n        STEP\n        scaler.update()\n"
)


@rule(
    "GPK328",
    "step-beside-scaler",
    "the gradients are still multiplied by the GradScaler's factor: call scaler.step(optimizer)",
    bad=_SCALED.replace("STEP", "opt.step()"),
    good=_SCALED.replace("STEP", "scaler.step(opt)"),
)
def _beside_scaler(program: Program) -> Iterator[Hit]:
    scaled = [
        call
        for call in program.methods("backward")
        if method(of := receiver(call) or call) == "scale" and isinstance(of, ast.Call)
    ]
    if not scaled or program.methods("unscale_", "unscale"):
        return
    for back in scaled:
        loop = program.loop(back)
        steps = program.among(program.methods("step"), loop or program.scope(back), after=back)
        # scaler.step(optimizer) has an argument; optimizer.step() has none.
        if not any(step.args for step in steps):
            yield from (Hit(step) for step in steps if _is_optimizer(program, step))


def _is_optimizer(program: Program, step: ast.Call) -> bool:
    known = program.value(receiver(step)).kind == "optimizer"
    return known or owner(step).lower() in {"opt", "optim", "optimizer", "trainer"}
