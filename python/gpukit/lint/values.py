"""What an expression holds: its kind, device and dtype, read from the text."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gpukit.lint.nodes import is_true, keyword
from gpukit.lint.text import Text
from gpukit.lint.vocabulary import (
    BARE_LAYERS,
    DTYPES,
    FACTORIES,
    HALVES,
    LIKE,
    NOT_TENSORS,
    SHAPERS,
)


@dataclass(frozen=True)
class Value:
    """What an expression holds as far as the text says: its kind, device and dtype."""

    kind: str = ""  # tensor module optimizer loader device criterion ndarray event function ""
    device: str | None = None  # "cpu", "cuda:0", "maybe" (GPU where there is one), None: unknown
    dtype: str | None = None
    leaf: bool = False
    grad: bool = False
    origin: str = ""  # the call it came from

    @property
    def on_gpu(self) -> bool:
        """On a GPU, or on one wherever there is one."""
        return self.device is not None and (
            self.device == "maybe" or self.device.startswith("cuda")
        )


NOTHING = Value()


class Reader:
    """Reads what one expression holds from what its parts hold."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._values: dict[ast.AST, Value] = {}
        self._depth = 0

    def value(self, node: ast.AST | None) -> Value:
        """What an expression holds; NOTHING where the text does not say."""
        if node is None or self._depth > 40:
            return NOTHING
        if node not in self._values:
            self._depth += 1
            self._values[node] = NOTHING  # a name bound to itself
            try:
                self._values[node] = self._read(node)
            finally:
                self._depth -= 1
        return self._values[node]

    def tensors(self, nodes: Iterable[ast.AST]) -> list[Value]:
        """The values of those expressions that are tensors."""
        values = [self.value(node) for node in nodes]
        return [value for value in values if value.kind == "tensor"]

    def _read(self, node: ast.AST) -> Value:
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.BinOp):
            return self._joined(node.left, node.right)
        if isinstance(node, ast.UnaryOp):
            return replace(self.value(node.operand), leaf=False)
        if isinstance(node, (ast.ListComp, ast.List, ast.Tuple)):
            items = [node.elt] if isinstance(node, ast.ListComp) else node.elts[:20]
            values = {self.value(item) for item in items}
            one = values.pop() if len(values) == 1 else NOTHING
            return replace(one, kind="tensors") if one.kind == "tensor" else NOTHING
        if isinstance(node, ast.Subscript):
            value = self.value(node.value)
            if value.kind == "tensors" and not isinstance(node.slice, ast.Slice):
                return replace(value, kind="tensor", leaf=False)
            return replace(value, leaf=False) if value.kind in {"tensor", "module"} else NOTHING
        if isinstance(node, ast.Attribute):
            value = self.value(node.value)
            if value.kind == "tensor" and node.attr in {"T", "mT", "H", "data"}:
                return replace(value, leaf=False, grad=value.grad and node.attr != "data")
            return NOTHING
        if isinstance(node, ast.IfExp):
            one, two = self.value(node.body), self.value(node.orelse)
            return one if one == two else NOTHING
        return NOTHING

    def _name(self, node: ast.Name) -> Value:
        bound = self.text.binding(node)
        return self.value(bound) if bound is not None else NOTHING

    def _joined(self, *nodes: ast.expr) -> Value:
        values = self.tensors(nodes)
        if not values:
            return NOTHING
        devices = {value.device for value in values}
        dtypes = {value.dtype for value in values}
        return Value(
            "tensor",
            devices.pop() if len(devices) == 1 else None,
            dtypes.pop() if len(dtypes) == 1 else None,
            grad=any(value.grad or value.leaf for value in values),
        )

    def _call(self, node: ast.Call) -> Value:
        path = self.text.called(node)
        if path.startswith("torch."):
            return self._torch(node, path)
        if path.startswith("numpy."):
            return Value("ndarray", "cpu")
        if isinstance(node.func, ast.Name):
            if node.func.id in self.text.module_classes:
                return Value("module", "cpu")
            return self._applied(node)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        return self._applied(node)

    def _applied(self, node: ast.Call) -> Value:
        """A call of a module or a criterion returns a tensor."""
        value = self.value(node.func)
        if value.kind == "module":
            device = value.device or self._joined(*node.args).device
            return Value("tensor", device, grad=True, origin="module")
        if value.kind == "criterion":
            return Value("tensor", None, grad=True, origin="loss")
        return NOTHING

    def _torch(self, node: ast.Call, path: str) -> Value:
        tail = path.removeprefix("torch.")
        if tail in FACTORIES or tail in LIKE:
            return self._factory(node, tail)
        if tail in {"device", "try_gpu"}:
            return Value("device", self.device_of(node))
        if tail.startswith("optim.") and tail.count(".") == 1 and tail[6:7].isupper():
            return Value("optimizer")
        if tail == "utils.data.DataLoader":
            return Value("loader")
        if tail == "cuda.Event":
            return Value("event")
        if tail.startswith("nn.functional."):
            loss = tail.endswith(("_loss", "cross_entropy", "with_logits"))
            joined = self._joined(*node.args)
            return replace(joined, kind="tensor", grad=joined.grad or loss, origin=tail)
        if tail.startswith("nn.") and tail.count(".") == 1 and tail[3:4].isupper():
            kind = "criterion" if tail.endswith("Loss") else "module"
            return Value(kind, self._layer_device(node, tail[3:]), origin=tail)
        if "." in tail or tail in NOT_TENSORS:
            return NOTHING
        return replace(self._joined(*node.args), origin=tail)

    def _layer_device(self, node: ast.Call, layer: str) -> str | None:
        """A new layer is on the CPU, or nowhere if it holds no tensors."""
        if layer == "Sequential" and node.args:
            inner = [self.value(each) for each in node.args]
            bare = all(each.kind == "module" and each.device is None for each in inner)
            return None if bare else "cpu"
        return None if layer in BARE_LAYERS else "cpu"

    def _factory(self, node: ast.Call, tail: str) -> Value:
        said = keyword(node, "device")
        device: str | None = "cpu"
        if said is not None:
            device = self.device_of(said)
        elif tail in LIKE:
            device = self.value(node.args[0]).device if node.args else None
        elif self.text.moves_defaults or any(word.arg is None for word in node.keywords):
            device = None
        elif tail == "as_tensor" and node.args:
            device = self.value(node.args[0]).device
        leaf = is_true(keyword(node, "requires_grad"))
        wanted = self.dtype_of(keyword(node, "dtype"))
        fixed = tail in {"rand", "randn", "zeros", "ones", "empty", "eye"}
        default = "float32" if fixed and keyword(node, "dtype") is None else None
        return Value("tensor", device, wanted or default, leaf=leaf, grad=leaf, origin=tail)

    def _method(self, node: ast.Call, func: ast.Attribute) -> Value:
        value = self.value(func.value)
        if value.kind not in {"tensor", "module", "ndarray"}:
            if func.attr == "to" and node.args and value.kind == "":
                return NOTHING
            if func.attr == "cuda" and value.kind == "":
                return NOTHING
            return self._applied(node)
        if func.attr == "to":
            return self._moved(node, value)
        if func.attr == "cuda":
            return replace(value, device=self.cuda_device(node), leaf=False)
        if func.attr == "cpu":
            return replace(value, device="cpu", leaf=False)
        if func.attr in {"half", "bfloat16", "double"}:
            return replace(value, dtype="float16" if func.attr == "half" else func.attr, leaf=False)
        if func.attr == "float":
            return replace(value, dtype="float32", leaf=False)
        if value.kind == "tensor":
            if func.attr == "detach":
                return replace(value, grad=False, leaf=False)
            if func.attr == "requires_grad_":
                return replace(value, leaf=True, grad=True)
            if func.attr == "numpy":
                return Value("ndarray", "cpu")
            if func.attr in SHAPERS or func.attr.endswith("_"):
                return replace(value, leaf=False, origin="")
            return NOTHING
        if value.kind == "module" and func.attr in {"eval", "train", "requires_grad_"}:
            return value
        return NOTHING

    def _moved(self, node: ast.Call, value: Value) -> Value:
        wanted = keyword(node, "device") or (node.args[0] if node.args else None)
        dtype = self.dtype_of(keyword(node, "dtype"))
        for arg in node.args:
            dtype = dtype or self.dtype_of(arg)
        if wanted is not None and self.dtype_of(wanted) is None:
            value = replace(value, device=self.device_of(wanted))
        return replace(value, dtype=dtype or value.dtype, leaf=False)

    def dtype_of(self, node: ast.AST | None) -> str | None:
        """The dtype that an expression names, or None."""
        tail = self.text.path(node).removeprefix("torch.")
        return ("float16" if tail in HALVES else tail) if tail in DTYPES else None

    def cuda_device(self, node: ast.Call) -> str | None:
        """The device of `.cuda(...)`."""
        said = keyword(node, "device") or (node.args[0] if node.args else None)
        if said is None:
            return "cuda:0" if not self.text.calls("torch.cuda.set_device") else "cuda"
        if isinstance(said, ast.Constant) and isinstance(said.value, int):
            return f"cuda:{said.value}"
        return self.device_of(said)

    def device_of(self, node: ast.AST | None, depth: int = 0) -> str | None:
        """The device that an expression names: "cpu", "cuda:1", "maybe", or None if unknown."""
        if depth > 8:
            return None
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int) and not isinstance(node.value, bool):
                return f"cuda:{node.value}"
            known = isinstance(node.value, str) and node.value.startswith(("cpu", "cuda"))
            return ("cuda:0" if node.value == "cuda" else str(node.value)) if known else None
        if isinstance(node, ast.JoinedStr):
            first = node.values[0] if node.values else None
            text = first.value if isinstance(first, ast.Constant) else ""
            return "maybe" if str(text).startswith("cuda") else None
        if isinstance(node, ast.IfExp):
            sides = {self.device_of(side, depth + 1) for side in (node.body, node.orelse)}
            return (
                "maybe"
                if any(s and (s == "maybe" or s.startswith("cuda")) for s in sides)
                else None
            )
        if isinstance(node, ast.Call):
            return self._device_of_call(node, depth)
        if isinstance(node, ast.Name):
            bound = self.text.binding(node)
            if bound is not None:
                return self.device_of(bound, depth + 1)
            unset = self.text.scope(node), node.id
            named = "device" in node.id or node.id == "dev"
            return "maybe" if named and unset not in self.text.bindings else None
        return None

    def _device_of_call(self, node: ast.Call, depth: int) -> str | None:
        path = self.text.called(node)
        name = node.func.id if isinstance(node.func, ast.Name) else path.rpartition(".")[2]
        if path == "torch.device" and node.args:
            if len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
                kind = self.device_of(node.args[0], depth + 1) or ""
                return f"{kind.split(':')[0]}:{node.args[1].value!r}" if kind != "cpu" else kind
            return self.device_of(node.args[0], depth + 1)
        return "maybe" if name in {"try_gpu", "get_device", "get_default_device"} else None
