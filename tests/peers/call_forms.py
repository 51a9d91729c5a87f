"""The forms in which programs for torch call its functions: positional, by torch's keyword names, `out=`.

A row is an expression of `t` (torch, or gpukit), `F` (its nn.functional) and these tensors:
`x` 2x3 floats, `y` 2x3 floats, `v` and `w` 3 floats, `m` 3x3 floats, `n` 2x3 whole numbers, `i` places, `b` 2x3 bools.
Several statements end in the value to compare. Names that gpukit lacks are none of this table's: `gpukit port` lists them.
"""

from __future__ import annotations

from .layer_forms import DATA, FUNCTIONAL, GRADIENTS, LAYERS, OPTIMIZERS, TENSOR
from .operator_forms import ELEMENTWISE, MAKING, ORDER, PLACES, PRODUCTS, REDUCTIONS, SHAPES

TABLES = {
    "elementwise": ELEMENTWISE,
    "reductions": REDUCTIONS,
    "order": ORDER,
    "shapes": SHAPES,
    "places": PLACES,
    "products": PRODUCTS,
    "making": MAKING,
    "tensor": TENSOR,
    "gradients": GRADIENTS,
    "functional": FUNCTIONAL,
    "layers": LAYERS,
    "optimizers": OPTIMIZERS,
    "data": DATA,
}
ROWS = [row for text in TABLES.values() for row in text.strip().splitlines()]

# What gpukit answers otherwise, and why.
LEGACY = "size_average and reduce, which torch warns of since 0.4.1, are taken by name only"
LAXER = "gpukit answers where torch refuses"
DIFFERENT = {
    "t.pow(self=2, exponent=x)": "torch calls the number `self` here and `input` elsewhere",
    "t.gather(input=x, dim=1, index=i.view(1, 3), sparse_grad=False)": "there are no sparse tensors",
    "x.copy_(src=v)": LAXER,
    "x.to(other=y.double())": LAXER,
    "t.nn.utils.clip_grad_value_([t.nn.Parameter(x)], clip_value=0.5)": LAXER,
    'F.nll_loss(F.log_softmax(x, 1), t.tensor([0, 2]), v.abs(), None, -100, None, "mean")': LEGACY,
    'F.mse_loss(x, y, None, None, "sum")': LEGACY,
    "F.mse_loss(x, y, weight=y.abs())": "not built",
    "F.binary_cross_entropy(t.sigmoid(x), b)": LAXER,
    "F.binary_cross_entropy(t.sigmoid(x), b.double())": LAXER,
    'F.binary_cross_entropy_with_logits(x, b.float(), None, None, None, "sum")': LEGACY,
    't.nn.MSELoss(None, None, "sum")(x, y)': LEGACY,
}
