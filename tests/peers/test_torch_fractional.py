"""Max pooling at drawn places, slopes, and copies of parts, beside torch: values and gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit

FORMS = [
    (shape, kernel, size, ratio)
    for shape in ((2, 3, 9, 8), (3, 7, 11))
    for kernel, size, ratio in (
        (2, 3, None),
        ((3, 2), (5, 4), None),
        (2, None, (0.5, 0.7)),
        (3, 1, None),
    )
]


def pooled(library, count, x, samples, kernel, size, ratio):
    a = library.tensor(x, requires_grad=True)
    values, numbers = getattr(library.nn.functional, f"fractional_max_pool{count}d")(
        a, kernel, output_size=size, output_ratio=ratio, return_indices=True,
        _random_samples=library.tensor(samples),
    )  # fmt: skip
    (values * values).sum().backward()
    return [each.detach().numpy() for each in (values, numbers, a.grad)]


@pytest.mark.parametrize(("shape", "kernel", "size", "ratio"), FORMS)
def test_planes(shape, kernel, size, ratio):
    draw = np.random.default_rng(1)
    x = draw.standard_normal(shape).astype(np.float32)
    samples = draw.random((shape[0] if len(shape) == 4 else 1, shape[-3], 2)).astype(np.float32)
    found = [pooled(lib, 2, x, samples, kernel, size, ratio) for lib in (gpukit, torch)]
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("size", [2, (3, 2, 4)])
def test_volumes(size):
    draw = np.random.default_rng(2)
    x = draw.standard_normal((2, 2, 6, 7, 8))
    x[0, 0, 1, 2, 3] = np.nan
    samples = draw.random((2, 2, 3))
    found = [pooled(lib, 3, x, samples, 2, size, None) for lib in (gpukit, torch)]
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_layers_and_drawn_places():
    x = gpukit.rand(2, 3, 8, 8)
    pool = gpukit.nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.6), return_indices=True)
    values, numbers = pool(x)
    assert values.shape == (2, 3, 4, 4)
    assert x.flatten(2).gather(2, numbers.flatten(2)).equal(values.flatten(2))
    gpukit.manual_seed(1)
    first = pool(x)[1]
    gpukit.manual_seed(1)
    assert pool(x)[1].equal(first)
    assert gpukit.nn.FractionalMaxPool3d(2, 3)(gpukit.rand(1, 6, 6, 6)).shape == (1, 3, 3, 3)


REFUSED = [
    lambda lib: lib.nn.functional.fractional_max_pool2d(lib.ones(1, 1, 7, 7), 2),
    lambda lib: lib.nn.functional.fractional_max_pool2d(lib.ones(1, 1, 7, 7), 3, output_size=6),
    lambda lib: lib.nn.functional.fractional_max_pool2d(lib.ones(7, 7), 3, output_size=2),
    lambda lib: lib.nn.functional.fractional_max_pool2d(lib.ones(1, 7, 7).long(), 3, 2),
    lambda lib: lib.nn.FractionalMaxPool2d(2),
    lambda lib: lib.nn.FractionalMaxPool2d(2, output_ratio=1.5),
    lambda lib: lib.nn.FractionalMaxPool2d(2, output_size=3, output_ratio=0.5),
    lambda lib: lib.prelu(lib.ones(2, 3), lib.ones(2)),
    lambda lib: lib.prelu(lib.ones(2), lib.ones(1).double()),
    lambda lib: lib.narrow_copy(lib.ones(3), 0, 1, 9),
    lambda lib: lib.as_strided_scatter(lib.ones(3), lib.ones(2), (3,), (1,)),
    lambda lib: lib.as_strided_scatter(lib.ones(3), lib.ones(4), (4,), (1,)),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_both_refuse(call):
    for library in (torch, gpukit):
        with pytest.raises((RuntimeError, ValueError, TypeError, IndexError)):
            call(library)


def told(library):
    """Methods and functions with their gradients and the names of their nodes."""
    x = library.tensor([[-1.0, 0.25, 2.0], [0.5, -0.5, 0.75]], requires_grad=True)
    weight = library.tensor([0.25, 0.5, 0.75], requires_grad=True)
    source = library.tensor([7.0, 8.0], requires_grad=True)
    results = [
        x.prelu(weight),
        library.prelu(x, library.tensor([0.5])),
        x.hardshrink(),
        library.hardshrink(x, lambd=0.75),
        x.narrow_copy(1, 1, 2),
        library.narrow_copy(x.detach(), 0, -1, 1).mul(weight[1]),
        x.detach().as_strided_scatter(source, (2,), (2,), 1),
        x.detach().t().as_strided_scatter(source.detach(), (2,), (1,)).mul(weight[0]),
        x.detach()[1:].as_strided_scatter(source, (2,), (1,)),
    ]
    said = [(each.tolist(), tuple(each.shape)) for each in results]
    names = [each.grad_fn.name() for each in results[:4]]
    sum((each * each).sum() for each in results).backward()
    return said, names, [each.grad.tolist() for each in (x, weight, source)]


def test_methods_and_functions():
    assert told(gpukit) == told(torch)


def test_gradients_that_torch_has_elsewhere():
    """torch's gradient of as_strided_scatter is that of the elements that were replaced."""
    x = gpukit.zeros(2, 3, requires_grad=True)
    x[1:].as_strided_scatter(gpukit.ones(2), (2,), (1,)).sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [0, 0, 1]]
    x.grad = None
    x.narrow_copy(0, -1, 1).sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_a_copy_of_a_part_is_its_own():
    x = gpukit.zeros(3)
    x.narrow_copy(0, 0, 2).add_(1)
    x.as_strided_scatter(gpukit.ones(1), (1,), (1,)).add_(1)
    assert x.tolist() == [0, 0, 0]
