"""Memory formats: sizes, strides and values as torch's."""

from __future__ import annotations

import pytest
import torch

import gpukit

ROWS = """
x.to(memory_format=t.channels_last)
x.to("cpu", memory_format=t.channels_last)
x.to(t.float64, memory_format=t.channels_last)
last.to(memory_format=t.preserve_format)
last.to(memory_format=t.contiguous_format)
x.contiguous(memory_format=t.channels_last)
x.contiguous(memory_format=t.contiguous_format)
last.contiguous()
last.contiguous(memory_format=t.channels_last)
x.clone(memory_format=t.channels_last)
last.clone(memory_format=t.preserve_format)
last.clone(memory_format=t.contiguous_format)
x[:, :1].contiguous(memory_format=t.channels_last)
x[:, :, :1, :1].contiguous(memory_format=t.channels_last)
t.zeros_like(last, memory_format=t.preserve_format)
t.ones_like(last, memory_format=t.contiguous_format)
t.full_like(x, 3.0, memory_format=t.channels_last)
t.zeros_like(x[0], memory_format=t.preserve_format)
t.zeros_like(x, memory_format=t.channels_last, requires_grad=True, dtype=t.float64)
cube.to(memory_format=t.channels_last_3d)
last.permute(0, 2, 3, 1)
last.data_ptr() == last.to(memory_format=t.channels_last).data_ptr()
x.is_contiguous(memory_format=t.channels_last), last.is_contiguous(memory_format=t.channels_last)
last.is_contiguous(), x[0].is_contiguous(memory_format=t.channels_last)
x[:, :1].is_contiguous(memory_format=t.channels_last)
t.nn.Conv2d(3, 4, 2).to(memory_format=t.channels_last).weight.stride()
t.nn.Conv2d(3, 4, 2).to(memory_format=t.channels_last).bias.stride()
t.empty_like(last, memory_format=t.preserve_format).stride()
t.empty(2, 3, memory_format=t.contiguous_format).stride()
t.empty((2, 3, 4, 5), memory_format=t.channels_last).stride()
t.empty(1, 2, 3, 4, 5, memory_format=t.channels_last_3d, dtype=t.float64).stride()
t.empty(2, 3, 4, 5, memory_format=t.channels_last, requires_grad=True).is_leaf
t.rand_like(x, memory_format=t.channels_last).stride()
t.randn_like(x, memory_format=t.channels_last).stride()
grad_of(x.clone(), lambda y: (y.contiguous(memory_format=t.channels_last) * x).sum())
grad_of(x.clone(), lambda y: conv(y.to(memory_format=t.channels_last)).sum())
"""


def said(t, row):
    x = t.arange(2.0 * 3 * 2 * 4).reshape(2, 3, 2, 4)
    conv = t.nn.Conv2d(3, 2, 2, bias=False)
    with t.no_grad():
        conv.weight.copy_(t.arange(24.0).reshape(2, 3, 2, 2))

    def grad_of(y, function):
        y.requires_grad_()
        function(y).backward()
        return y.grad

    names = {
        "t": t, "x": x, "last": x.to(memory_format=t.channels_last), "grad_of": grad_of,
        "conv": conv.to(memory_format=t.channels_last), "cube": t.ones(1, 2, 3, 1, 2),
    }  # fmt: skip
    value = eval(row, names)
    if isinstance(value, (torch.Tensor, gpukit.Tensor)):
        return tuple(value.shape), tuple(value.stride()), value.requires_grad, value.tolist()
    return value


@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_they_are_torchs(row):
    got, want = said(gpukit, row), said(torch, row)
    if "grad_of" in row:  # the strides of a gradient are the library's own
        got, want = (value[:1] + value[2:] for value in (got, want))
    assert got == want


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("x[0].contiguous(memory_format=t.channels_last)", RuntimeError),
        ("x[0].to(memory_format=t.channels_last)", RuntimeError),
        ("x.permute(0, 2, 3, 1).contiguous(memory_format=t.preserve_format)", RuntimeError),
        ("x.to(memory_format=3)", TypeError),
        ("t.zeros_like(x, memory_format='no')", TypeError),
        ("t.zeros_like(x[0], memory_format=t.channels_last)", RuntimeError),
    ],
)
def test_what_is_refused(row, error):
    for library in (gpukit, torch):
        with pytest.raises(error):
            said(library, row)


def test_they_print_as_torchs():
    for name in ("channels_last", "contiguous_format", "preserve_format", "channels_last_3d"):
        mine, theirs = getattr(gpukit, name), getattr(torch, name)
        assert repr(mine) == repr(theirs).replace("torch.", "gpukit.")
        assert isinstance(mine, gpukit.memory_format)
