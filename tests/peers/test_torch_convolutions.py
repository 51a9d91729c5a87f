"""Drawn convolutions, paddings, foldings and resizings beside torch: values and two gradients."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

import gpukit


def same(mine, theirs, tolerance=1e-9):
    assert tuple(mine.shape) == tuple(theirs.shape)
    a = np.array(mine.detach().cpu().tolist(), float).reshape(tuple(theirs.shape))
    np.testing.assert_allclose(a, theirs.detach().numpy(), tolerance, tolerance)


def compare(call, *arrays, tolerance=1e-9):
    """The value of `call(library, *tensors)`, its gradients, and those of their squares."""
    mine = [gpukit.tensor(a).requires_grad_() for a in arrays]
    theirs = [torch.tensor(a).requires_grad_() for a in arrays]
    a, b = call(gpukit, *mine), call(torch, *theirs)
    same(a, b, tolerance)
    assert a.is_contiguous()
    ours = gpukit.autograd.grad((a * a).sum(), mine, create_graph=True)
    wanted = torch.autograd.grad((b * b).sum(), theirs, create_graph=True)
    for x, y in zip(ours, wanted, strict=True):
        same(x, y, tolerance)
    sum((x * x).sum() for x in ours).backward()
    sum((y * y).sum() for y in wanted).backward()
    for x, y in zip(mine, theirs, strict=True):
        same(x.grad, y.grad, tolerance * 100)


class Draw:
    """Parameters of one configuration."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(number)
        self.numbers = np.random.default_rng(number)

    def array(self, *shape):
        return self.numbers.standard_normal(shape)

    def each(self, choices, count):
        values = [self.rng.choice(choices) for _ in range(count)]
        return values[0] if self.rng.random() < 0.5 else tuple(values)


@pytest.mark.filterwarnings("ignore:Using padding='same'")
@pytest.mark.parametrize("number", range(110))
def test_convolutions(number):
    draw = Draw(number)
    count, groups = number % 3 + 1, draw.rng.choice([1, 1, 2, 3])
    inputs, outputs = groups * draw.rng.randint(1, 3), groups * draw.rng.randint(1, 2)
    kernel = [draw.rng.randint(1, 3) for _ in range(count)]
    sizes = [draw.rng.randint(5, 7 if count < 3 else 6) for _ in range(count)]
    options = {"groups": groups, "dilation": draw.each([1, 1, 2], count)}
    padding = draw.rng.choice(["same", "valid", "number", "number"])
    if padding == "number":
        padding = draw.each([0, 1, 2], count)
    if padding != "same":
        options["stride"] = draw.each([1, 2, 3], count)
    batch = [] if draw.rng.random() < 0.2 else [draw.rng.randint(1, 3)]
    arrays = [draw.array(*batch, inputs, *sizes), draw.array(outputs, inputs // groups, *kernel)]
    if draw.rng.random() < 0.6:
        arrays.append(draw.array(outputs))

    def call(library, *tensors):
        conv = getattr(library.nn.functional, f"conv{count}d")
        return conv(*tensors, padding=padding, **options)

    compare(call, *arrays)


@pytest.mark.parametrize("number", range(90))
def test_transposed_convolutions(number):
    draw = Draw(1000 + number)
    count, groups = number % 3 + 1, draw.rng.choice([1, 1, 2])
    inputs, outputs = groups * draw.rng.randint(1, 3), draw.rng.randint(1, 3)
    kernel = [draw.rng.randint(2, 3) for _ in range(count)]
    sizes = [draw.rng.randint(2, 4) for _ in range(count)]
    stride = [draw.rng.randint(1, 3) for _ in range(count)]
    options = {
        "groups": groups,
        "stride": tuple(stride),
        "dilation": draw.each([1, 2], count),
        "padding": draw.each([0, 1], count),
        "output_padding": tuple(draw.rng.randrange(step) for step in stride),
    }
    batch = [] if draw.rng.random() < 0.2 else [draw.rng.randint(1, 3)]
    arrays = [draw.array(*batch, inputs, *sizes), draw.array(inputs, outputs, *kernel)]
    if draw.rng.random() < 0.6:
        arrays.append(draw.array(outputs * groups))

    def call(library, *tensors):
        conv = getattr(library.nn.functional, f"conv_transpose{count}d")
        return conv(*tensors, **options)

    compare(call, *arrays)


@pytest.mark.parametrize("number", range(40))
def test_paddings(number):
    draw = Draw(2000 + number)
    count, mode = number % 3 + 1, ["constant", "reflect", "replicate", "circular"][number % 4]
    sizes = [draw.rng.randint(4, 5) for _ in range(count)]
    pad = [draw.rng.randint(-1, 3) for _ in range(2 * count)]
    value = 1.5 if mode == "constant" else None
    outer = [2, 3][: draw.rng.randint(1, 2)]
    compare(
        lambda library, x: library.nn.functional.pad(x, pad, mode, value) * 1,
        draw.array(*outer, *sizes),
    )


@pytest.mark.parametrize("number", range(20))
def test_foldings(number):
    draw = Draw(3000 + number)
    kernel = draw.each([1, 2, 3], 2)
    rest = [draw.each([1, 2], 2), draw.each([0, 1], 2), draw.each([1, 2], 2)]
    sizes = draw.rng.randint(5, 7), draw.rng.randint(5, 7)
    x = draw.array(*([] if number % 4 == 0 else [2]), 3, *sizes)
    compare(lambda library, x: library.nn.functional.unfold(x, kernel, *rest), x)
    columns = torch.nn.functional.unfold(torch.tensor(x), kernel, *rest).numpy()
    compare(lambda library, x: library.nn.functional.fold(x, sizes, kernel, *rest), columns)


RESIZINGS = [
    (mode, rank, align)
    for mode, ranks in {
        "nearest": (3, 4, 5),
        "nearest-exact": (3, 4, 5),
        "area": (3, 4, 5),
        "linear": (3,),
        "bilinear": (4,),
        "bicubic": (4,),
        "trilinear": (5,),
    }.items()
    for rank in ranks
    for align in ((None, True) if "linear" in mode or "cubic" in mode else (None,))
]


@pytest.mark.parametrize("form", ["size", "scale_factor", "recompute"])
@pytest.mark.parametrize(("mode", "rank", "align"), RESIZINGS)
def test_resizings(mode, rank, align, form):
    draw = Draw(RESIZINGS.index((mode, rank, align)))
    for _ in range(3):
        sizes = [draw.rng.randint(2, 5) for _ in range(rank - 2)]
        options = {"mode": mode, "align_corners": align}
        if form == "size":
            options["size"] = draw.each([1, 2, 3, 7], rank - 2)
        else:
            # torch's gradient of 'nearest' does not belong to its value for every broken factor.
            factors = [0.5, 2, 3] if mode.startswith("nearest") else [0.5, 1.7, 2, 2.3]
            options["scale_factor"] = draw.each(factors, rank - 2)
            options["recompute_scale_factor"] = form == "recompute" or None
        x = draw.array(2, 2, *sizes)
        compare(lambda library, x, o=options: library.nn.functional.interpolate(x, **o) * 1, x)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic", "area"])
def test_resizings_of_float32(mode):
    x = np.random.default_rng(0).standard_normal((1, 2, 9, 13)).astype(np.float32)
    for options in ({"size": (20, 31)}, {"scale_factor": 2.6}, {"scale_factor": (0.3, 1.1)}):
        mine = gpukit.nn.functional.interpolate(gpukit.tensor(x), mode=mode, **options)
        want = torch.nn.functional.interpolate(torch.tensor(x), mode=mode, **options)
        same(mine, want, 2e-5)


@pytest.mark.parametrize("align", [None, True, False])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_resizings_with_antialias(mode, align):
    for sizes in ((9, 7, 4, 3), (5, 5, 8, 11), (16, 16, 5, 12), (1, 6, 3, 1), (7, 3, 1, 2)):
        x = np.sin(np.arange(2.0 * sizes[0] * sizes[1])).reshape(1, 2, *sizes[:2])
        for options in (
            {"size": sizes[2:]},
            {"scale_factor": (sizes[2] / sizes[0] + 0.01, sizes[3] / sizes[1] + 0.01)},
            {"size": sizes[2:], "align_corners": align},
        ):
            form = {"mode": mode, "antialias": True, **options}
            compare(lambda library, x, o=form: library.nn.functional.interpolate(x, **o) * 1, x)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialias_of_float32_infinities_and_equal_sizes(mode):
    x = np.sin(np.arange(2.0 * 9 * 8)).reshape(1, 2, 9, 8).astype(np.float32)
    x[0, 0, 0, 0], x[0, 1, 8, 7] = np.inf, np.nan
    for sizes in ((3, 3), (9, 5), (9, 8)):
        for lower in (False, True):
            found = []
            for library in (gpukit, torch):
                given = library.tensor(x.copy())
                with library.autocast("cpu", enabled=lower):
                    made = library.nn.functional.interpolate(
                        given, sizes, mode=mode, antialias=True
                    )
                found.append(made.numpy().copy())
                assert made.dtype == given.dtype
                made.zero_()
                np.testing.assert_array_equal(given.numpy(), x)  # of equal sizes, too, a new image
            np.testing.assert_allclose(*found, rtol=2e-5, atol=2e-6)


def test_pixel_shuffle():
    x = np.arange(2 * 18 * 2 * 3.0).reshape(2, 18, 2, 3)
    compare(lambda library, x: library.nn.functional.pixel_shuffle(x, 3), x)
    x = np.arange(2 * 6 * 9.0).reshape(2, 6, 9)
    compare(lambda library, x: library.nn.functional.pixel_unshuffle(x, 3), x)


LAYERS = {
    "conv1d": (lambda nn: nn.Conv1d(4, 6, 3, 2, 1, 2, 2), (2, 4, 9)),
    "conv2d": (lambda nn: nn.Conv2d(4, 6, (3, 2), padding="same", bias=False), (2, 4, 5, 6)),
    "conv3d": (lambda nn: nn.Conv3d(2, 3, 2, padding="valid"), (2, 2, 3, 4, 5)),
    "conv2d reflect": (lambda nn: nn.Conv2d(2, 3, 3, 1, (1, 2), padding_mode="reflect"), (2, 4, 5)),
    "conv1d replicate": (lambda nn: nn.Conv1d(2, 3, 4, 1, "same", 1, 1, True, "replicate"), (2, 7)),
    "conv3d circular": (
        lambda nn: nn.Conv3d(1, 2, 3, padding=1, padding_mode="circular"),
        (1, 1, 3, 4, 5),
    ),
    "transposed 1d": (lambda nn: nn.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2), (2, 4, 5)),
    "transposed 2d": (lambda nn: nn.ConvTranspose2d(4, 6, (3, 2), 2, bias=False), (2, 4, 3, 4)),
    "transposed 3d": (lambda nn: nn.ConvTranspose3d(2, 3, 2, 1, 0, 0, 1, True, 2), (2, 2, 2, 3, 2)),
    "upsample": (lambda nn: nn.Upsample(scale_factor=(2.0, 3.0), mode="bilinear"), (1, 2, 3, 4)),
    "shuffle": (lambda nn: nn.Sequential(nn.PixelShuffle(2), nn.PixelUnshuffle(2)), (1, 4, 3, 3)),
    "patches": (lambda nn: nn.Sequential(nn.Unfold(3), nn.Fold((5, 6), 3)), (2, 2, 5, 6)),
}
PADDINGS = {
    f"{kind}Pad{count}d": (count, (1.5,) if kind == "Constant" else ())
    for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero")
    for count in (1, 2, 3)
}
for name, (count, rest) in PADDINGS.items():
    LAYERS[name] = (
        lambda nn, name=name, rest=rest: getattr(nn, name)(1, *rest),
        (2, *[4] * (count + 1)),
    )
    LAYERS[name + " uneven"] = (
        lambda nn, n=name, c=count, rest=rest: getattr(nn, n)((1, 2) * c, *rest),
        (2, 1, *[4] * count),
    )


@pytest.mark.filterwarnings("ignore:Using padding='same'")  # torch's, once in a process
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    """The same text, first values' shapes, state both ways, values and gradients."""
    make, shape = LAYERS[name]
    theirs, mine = make(torch.nn).double(), make(gpukit.nn).double()
    assert repr(mine) == repr(theirs)
    assert list(mine.state_dict()) == list(theirs.state_dict())
    state = {key: torch.tensor(value.tolist()) for key, value in mine.state_dict().items()}
    theirs.load_state_dict(state)
    mine.load_state_dict({k: gpukit.tensor(v.numpy()) for k, v in theirs.state_dict().items()})
    x = np.random.default_rng(1).standard_normal(shape)
    a, b = gpukit.tensor(x).requires_grad_(), torch.tensor(x).requires_grad_()
    same(mine(a), theirs(b))
    mine(a).pow(2).sum().backward()
    theirs(b).pow(2).sum().backward()
    same(a.grad, b.grad)
    for p, q in zip(mine.parameters(), theirs.parameters(), strict=True):
        same(p.grad, q.grad)


LAZY = [f"Lazy{kind}{count}d" for kind in ("Conv", "ConvTranspose") for count in (1, 2, 3)]


@pytest.mark.parametrize("name", LAZY)
def test_lazy_layers(name):
    shape = (2, 4, *[3] * int(name[-2]))
    layers = []
    for library in (gpukit, torch):
        layer = getattr(library.nn, name)(6, 2, 1, groups=2)
        text = [repr(layer), repr(layer.weight), list(layer.state_dict())]
        assert layer.has_uninitialized_params()
        layer(library.ones(shape))
        text += [repr(layer), type(layer).__name__, tuple(layer.weight.shape), layer.in_channels]
        layers.append(text)
    assert layers[0] == layers[1]


@pytest.mark.parametrize("name", [*LAYERS][:9])
def test_first_values_are_of_the_same_range(name):
    """The largest of many drawn weights is near the bound, which is torch's."""
    mine, theirs = LAYERS[name][0](gpukit.nn), LAYERS[name][0](torch.nn)
    for p, q in zip(mine.parameters(), theirs.parameters(), strict=True):
        bound = 1 / np.prod(theirs.weight.shape[1:]) ** 0.5
        assert p.abs().max().item() <= bound
        assert q.abs().max().item() <= bound
        assert tuple(p.shape) == tuple(q.shape)
        assert p.numel() < 20 or p.abs().max().item() > 0.7 * bound


FAULTS = {
    "channels": lambda t: t.nn.functional.conv2d(t.ones(1, 3, 4, 4), t.ones(2, 2, 2, 2)),
    "groups": lambda t: t.nn.functional.conv2d(
        t.ones(1, 4, 4, 4), t.ones(3, 2, 2, 2), None, 1, 0, 1, 2
    ),
    "too small": lambda t: t.nn.functional.conv1d(t.ones(1, 1, 2), t.ones(1, 1, 3)),
    "rank": lambda t: t.nn.functional.conv2d(t.ones(4, 4), t.ones(1, 1, 2, 2)),
    "bias": lambda t: t.nn.functional.conv1d(t.ones(1, 1, 4), t.ones(1, 1, 3), t.ones(2)),
    "negative padding": lambda t: t.nn.functional.conv1d(
        t.ones(1, 1, 4), t.ones(1, 1, 3), padding=-1
    ),
    "same and stride": lambda t: t.nn.functional.conv1d(
        t.ones(1, 1, 4), t.ones(1, 1, 3), stride=2, padding="same"
    ),
    "unknown padding": lambda t: t.nn.functional.conv1d(
        t.ones(1, 1, 4), t.ones(1, 1, 3), padding="all"
    ),
    "output padding": lambda t: t.nn.functional.conv_transpose1d(
        t.ones(1, 1, 4), t.ones(1, 1, 3), output_padding=1
    ),
    "nothing left": lambda t: t.nn.functional.conv_transpose1d(
        t.ones(1, 1, 1), t.ones(1, 1, 2), padding=2
    ),
    "odd pad": lambda t: t.nn.functional.pad(t.ones(3), (1, 1, 1)),
    "reflection": lambda t: t.nn.functional.pad(t.ones(1, 3), (3, 3), "reflect"),
    "mode of pad": lambda t: t.nn.functional.pad(t.ones(1, 3), (1, 1), "mirror"),
    "rank of pad": lambda t: t.nn.functional.pad(t.ones(1, 1, 1, 3), (1, 1), "reflect"),
    "unfold": lambda t: t.nn.functional.unfold(t.ones(1, 1, 2, 2), 3),
    "fold": lambda t: t.nn.functional.fold(t.ones(1, 5, 4), (3, 3), 2),
    "shuffle": lambda t: t.nn.functional.pixel_shuffle(t.ones(1, 3, 2, 2), 2),
    "antialias of nearest": lambda t: t.nn.functional.interpolate(
        t.ones(1, 1, 2, 2), 3, antialias=True
    ),
    "both sizes": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 2), 3, 2.0),
    "no size": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 2)),
    "rank of interpolate": lambda t: t.nn.functional.interpolate(
        t.ones(1, 1, 2), 3, mode="bilinear"
    ),
    "corners of nearest": lambda t: t.nn.functional.interpolate(
        t.ones(1, 1, 2), 3, align_corners=True
    ),
    "size zero": lambda t: t.nn.functional.interpolate(t.ones(1, 1, 2), 0),
    "output_size": lambda t: t.nn.ConvTranspose2d(1, 1, 3, 2)(t.ones(1, 1, 3, 3), [9, 9]),
    "circular layer": lambda t: t.nn.CircularPad2d(1)(t.ones(1, 1)),
    "lazy shape": lambda t: t.nn.LazyConv2d(1, 1).weight.shape,
    "lazy rank": lambda t: t.nn.LazyConv2d(1, 1)(t.ones(2, 2)),
    "mode of transposed": lambda t: t.nn.ConvTranspose1d(1, 1, 1, padding_mode="circular"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_error_classes(name):
    with pytest.raises(Exception) as wanted:
        FAULTS[name](torch)
    with pytest.raises(wanted.type):
        FAULTS[name](gpukit)
