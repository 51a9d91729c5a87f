"""Names of nodes beside torch's: what `print(y)`, `y.grad_fn` and `type(y.grad_fn)` show."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gpukit

# x is (2, 3), image (1, 4, 8, 8), signal (2, 2, 6), classes one number a row; F and t as usual.
CALLS = """
x[:]
x[0:2]
x[:9]
x[:, :]
x[:, 0:3]
x.clone().fill_(5.0)
x.clone().fill_(0)
x.clone().zero_()
F.smooth_l1_loss(x, y)
F.huber_loss(x, y, reduction="sum")
F.mse_loss(x, y)
F.l1_loss(x, y)
F.binary_cross_entropy(x.sigmoid(), y)
F.binary_cross_entropy_with_logits(x, y)
F.binary_cross_entropy_with_logits(x, y, pos_weight=y[0])
F.nll_loss(x, classes)
F.nll_loss(image, places)
F.cross_entropy(x, classes)
F.cross_entropy(x, classes, label_smoothing=0.1)
F.cross_entropy(x, classes, label_smoothing=0.1, reduction="none")
F.cross_entropy(image, places, label_smoothing=0.1)
F.cross_entropy(x, y.softmax(1))
F.cross_entropy(x, y.softmax(1), reduction="sum")
F.cross_entropy(x, y.softmax(1), reduction="none")
F.cross_entropy(image, image.detach().softmax(1), label_smoothing=0.1)
F.smooth_l1_loss(input=x, target=y)
F.smooth_l1_loss(x, y, beta=0.0)
F.smooth_l1_loss(x, y, beta=0.0, reduction="sum")
F.smooth_l1_loss(x, y, beta=0.0, reduction="none")
F.margin_ranking_loss(x, y, y.sign(), reduction="none")
F.triplet_margin_loss(x, y, y + 1, reduction="none")
F.triplet_margin_with_distance_loss(x, y, y + 1, reduction="none")
F.multilabel_soft_margin_loss(x, y, reduction="none")
F.rrelu(x)
F.cross_entropy(image, places)
F.soft_margin_loss(x, y)
F.multi_margin_loss(x, classes)
F.pairwise_distance(x, y)
F.embedding(numbers, x)
F.embedding_bag(numbers, x)
F.group_norm(image, 2)
F.batch_norm(image, y.new_zeros(4), y.new_ones(4))
F.batch_norm(image, None, None, training=True)
F.conv_transpose2d(image, image.detach().reshape(4, 1, 8, 8))
F.avg_pool2d(image, 2)
F.max_pool2d(image, 2)
F.adaptive_avg_pool2d(image, 3)
F.adaptive_avg_pool2d(input=image, output_size=3)
F.adaptive_avg_pool2d(image, 1)
F.avg_pool1d(signal, 2)
F.interpolate(image, scale_factor=2)
F.interpolate(image, scale_factor=2, mode="bilinear")
F.interpolate(image, 2, mode="bicubic", antialias=True)
F.interpolate(signal, scale_factor=2, mode="linear")
F.pad(image, (1, 1))
F.pad(image, (1, 1, 1, 1), mode="reflect")
F.pad(signal, (1, 1), mode="replicate")
F.unfold(image, 2)
F.pixel_shuffle(image, 2)
F.gelu(x, approximate="tanh")
F.gelu(x)
F.glu(image)
F.mish(x)
F.selu(x)
F.celu(x)
F.relu6(x)
F.hardtanh(x)
F.hardswish(x)
F.hardsigmoid(x)
F.softplus(x)
F.logsigmoid(x)
F.softshrink(x)
F.hardshrink(x)
F.threshold(x, 0.1, 2.0)
F.prelu(x, y[0, :1])
t.roll(x, 1)
t.flip(x, [0])
t.fliplr(x)
t.rot90(x)
t.addcmul(y, x, x)
t.addcdiv(y, x, x)
t.lerp(x, y, 0.5)
t.nan_to_num(x)
t.var_mean(x)[0]
t.std_mean(x, 1)[1]
t.aminmax(x)[0]
t.median(x)
x.median(1)[0]
t.nansum(x)
t.trace(x)
t.dist(x, y)
t.frac(x)
t.cummax(x, 1)[0]
t.logcumsumexp(x, 1)
t.diag_embed(x)
t.block_diag(x, y)
t.baddbmm(signal, signal[:, :, :2], signal)
t.index_fill(x, 0, numbers[0], 0.5)
x.index_copy(0, numbers[0], y)
x.scatter_reduce(0, numbers[:, :1], y, "amax")
x.unfold(1, 2, 1)
t.renorm(x, 2, 0, 1.0)
t.clamp_min(x, 0.1)
t.addmv(y[0, :2], x[:, :2] * 1, y[0, :2])
t.addr(y[:, :2], x[0, :2], x[1, :2])
t.addbmm(y[:, :2], signal[..., :2], signal[..., :2])
t.cdist(x, y)
t.deg2rad(x)
t.rad2deg(x)
t.ldexp(x, y)
t.vdot(x[0], y[0])
t.sgn(x)
x.kthvalue(1)[0]
x.mode(1)[0]
t.slice_scatter(x, y[:1], 0, 0, 1)
t.select_scatter(x, y[0], 0, 0)
t.diagonal_scatter(x, y[0, :2])
""".strip().splitlines()


def named(library: Any, call: str) -> tuple[str, str, str]:
    def ramp(*shape: int) -> Any:
        size = library.ones(shape).numel()
        steps = library.arange(1, size + 1, dtype=library.float32) / (size + 1)
        return steps.reshape(shape).requires_grad_()

    scope = {
        "t": library,
        "F": library.nn.functional,
        "x": ramp(2, 3),
        "y": ramp(2, 3).detach(),
        "image": ramp(1, 4, 8, 8),
        "signal": ramp(2, 2, 6),
        "classes": library.tensor([1, 2]),
        "numbers": library.tensor([[0, 1], [1, 0]]),
        "places": library.zeros(1, 8, 8, dtype=library.int64),
    }
    result = eval(call, scope)
    return (
        type(result.grad_fn).__name__,
        result.grad_fn.name(),
        repr(result).rsplit("grad_fn", 1)[1],
    )


@pytest.mark.parametrize("call", CALLS)
def test_node_has_the_name_of_torch(call: str) -> None:
    assert named(gpukit, call) == named(torch, call)


def test_result_that_is_an_argument_keeps_its_name() -> None:
    for library in (gpukit, torch):
        x = library.ones(2, requires_grad=True)
        y = x * 2
        assert y.flatten().grad_fn.name() == "MulBackward0"
        assert (
            library.nn.functional.dropout(y, 0.5, training=False).grad_fn.name() == "MulBackward0"
        )
        library.nn.functional.pad(y, (0, 0))
        assert y.grad_fn.name() == "MulBackward0"
        assert x.grad_fn is None
        assert type(y.grad_fn.next_functions[0][0]).__name__ == "AccumulateGrad"


def test_gradients_come_through_a_named_node() -> None:
    grads = []
    for library in (gpukit, torch):
        x = library.tensor([[0.5, -2.0, 3.0]], requires_grad=True)
        library.nn.functional.huber_loss(x, x.detach() * 0.5).backward()
        grads.append(x.grad.tolist())
    assert grads[0] == grads[1]


def test_a_class_of_node_cannot_be_made_from_nothing() -> None:
    node = (gpukit.ones(1, requires_grad=True) * 2).grad_fn
    assert type(node) is type((gpukit.ones(2, requires_grad=True) * 3).grad_fn)
    with pytest.raises(TypeError, match="incompatible constructor arguments"):
        type(node)()
    with pytest.raises(TypeError):
        type(node).__new__(type(node)).name()
