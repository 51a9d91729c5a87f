"""What autograd.forward_ad refuses: results that would lose their tangents silently."""

from __future__ import annotations

import pytest

import gpukit
from gpukit.autograd import forward_ad


@pytest.fixture
def dual():
    with forward_ad.dual_level():
        yield forward_ad.make_dual(gpukit.tensor([1.0, 2.0]), gpukit.tensor([1.0, 0.0]))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x * 2,
        lambda x: (x, gpukit.zeros(2).add_(x)),
        lambda x: gpukit.stack([x, x]),
        lambda x: x.mul_(2),
        lambda x: x.__setitem__(0, 3.0),
        lambda x: gpukit.zeros(2).__setitem__(0, x[0]),
    ],
)
def test_an_operation_under_no_grad(dual, call):
    with gpukit.no_grad(), pytest.raises(gpukit.AutogradError, match=r"Use enable_grad\(\)"):
        call(dual)


def test_what_has_no_tangent_is_allowed_under_no_grad(dual):
    with gpukit.no_grad():
        plain = dual.detach()
        assert (plain * 2).tolist() == [2.0, 4.0]
        assert gpukit.zeros_like(dual).tolist() == [0.0, 0.0]
        assert (dual > 1.5).tolist() == [False, True]
        assert (gpukit.ones(2) * 3).tolist() == [3.0, 3.0]
        with gpukit.enable_grad():
            result = dual * 3
    assert forward_ad.unpack_dual(result).tangent.tolist() == [3.0, 0.0]


def test_a_backward_pass_that_is_not_recorded(dual):
    loss = (dual**2).sum()
    with pytest.raises(gpukit.AutogradError, match="create_graph=True"):
        loss.backward()
    other = gpukit.ones(2, requires_grad=True)
    (other * 2).sum().backward()
    assert other.grad.tolist() == [2.0, 2.0]


def test_a_change_in_place_of_the_dual_tensor(dual):
    with pytest.raises(gpukit.AutogradError, match="in place"):
        dual.mul_(2)


def test_nothing_is_observed_after_the_level():
    with forward_ad.dual_level():
        x = forward_ad.make_dual(gpukit.ones(1), gpukit.ones(1))
        assert gpukit._core.is_observed()
    assert not gpukit._core.is_observed()
    with gpukit.no_grad():
        assert (x * 2).tolist() == [2.0]
