"""Views of a tensor that was made smaller since: nothing beyond it is read or written."""

from __future__ import annotations

import pytest

import gpukit

LARGE = 1 << 20


def test_a_change_through_a_view_beyond_the_tensor_is_refused(device):
    x = gpukit.zeros(LARGE, device=device)
    v = x[LARGE // 2 :]
    x.resize_(2)
    w = gpukit.ones(LARGE // 2, device=device, requires_grad=True)
    with pytest.raises(gpukit.AutogradError, match="made smaller"):
        v.add_(w)


def test_a_stale_view_beyond_the_tensor_is_on_its_own(device):
    x = gpukit.zeros(LARGE, device=device)
    a, b = x[:2], x[LARGE // 2 :]
    x.resize_(2)
    w = gpukit.ones(2, device=device, requires_grad=True)
    a.add_(w)
    assert b.sum().item() == 0
    x.sum().backward()
    assert w.grad.tolist() == [1, 1]


def test_functions_with_several_changed_tensors_tell_their_views(device):
    class Two(gpukit.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            a.mul_(2)
            b.mul_(3)
            ctx.mark_dirty(a, b)
            return a, b

        @staticmethod
        def backward(ctx, ga, gb):
            return ga * 2, gb * 3

    w = gpukit.arange(4.0).to(device).requires_grad_()
    y, z = w * 1, w * 1
    v = y[:2]
    Two.apply(y, z)
    v.sum().backward()
    assert w.grad.tolist() == [2, 2, 0, 0]
