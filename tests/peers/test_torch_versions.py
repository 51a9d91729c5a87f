"""`_version` counts changes in place as torch does: from 0 on, once a call, shared by views."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit

NEW = """
    lib.zeros(3) lib.ones(3) lib.full((3,),2.0) lib.empty(3) lib.rand(3) lib.randn(3)
    lib.randint(0,4,(3,)) lib.randperm(4) lib.arange(3) lib.linspace(0,1,3) lib.eye(3)
    lib.tensor([1.0]) lib.tensor(2) lib.ones_like(x) lib.zeros_like(x) lib.full_like(x,2)
    lib.rand_like(x) lib.tril_indices(3,3) lib.hann_window(4) lib.bernoulli(x*0+0.5)
    lib.multinomial(lib.ones(4),2) lib.normal(x,1.0) lib.complex(x,x) lib.from_numpy(np.ones(3))
    lib.as_tensor([1,2]) x.clone() x.new_zeros(2) x.new_full((2,),1.0) x.new_ones(2) x+1 x*x
    x.exp() x.sum() x.mean() x.sort()[0] x.cumsum(0) lib.cat([x,x]) lib.stack([x,x])
    lib.where(x>0,x,0.0) x.repeat(2) x.roll(1) x.flip(0) x.to(lib.float64) x.double() x.clamp(0,1)
    x.clamp(min=2) lib.nn.functional.relu(x) lib.nn.functional.softmax(x,0) lib.outer(x,x) m@m
    m.t()@m lib.diag(x) lib.tril(m) lib.scatter(x,0,lib.tensor([0]),lib.ones(1))
    lib.index_fill(x,0,lib.tensor([0]),2.0) lib.masked_fill(x,x>0,0.0)
    x.index_add(0,lib.tensor([0]),lib.ones(1)) lib.linalg.inv(m+lib.eye(3)) lib.linalg.svdvals(m)
    lib.diff(x) lib.histc(x) lib.bincount(lib.tensor([0,1])) lib.unique(x) lib.nonzero(x)
    lib.block_diag(m,m) lib.kron(m,m) lib.nn.functional.cross_entropy(m,lib.tensor([0,1,2]))
    lib.nn.functional.mse_loss(x,x) lib.nn.functional.layer_norm(m,(3,)) lib.nn.Linear(3,2)(m)
    lib.nn.functional.interpolate(m.reshape(1,1,3,3),scale_factor=2)
    lib.nn.functional.max_pool2d(m.reshape(1,1,3,3),2) lib.nn.functional.dropout(x,0.5)
    lib.fft.fft(x) lib.special.i0(x) lib.nn.functional.embedding(lib.tensor([0]),m) lib.mm(m,m)
    lib.addmm(m,m,m) lib.addmm(m,m,m,beta=0.5) lib.zeros(0,3)@m lib.zeros(3,0)@lib.zeros(0,3)
    lib.einsum('ij,jk',m,m) lib.gather(x,0,lib.tensor([0]))
""".split()  # noqa: SIM905

CHANGED = """
    x.add_(1) x.mul_(x) x.zero_() x.fill_(2) x.exp_() x.relu_() x.clamp_(0,1) x.copy_(x*2)
    x.uniform_() x.normal_() x.random_(0,4) x.sub_(x) x.neg_() x.cumsum_(0) x.index_fill_(0,i,2.0)
    x.index_add_(0,i,m[0,:1]) x.scatter_(0,i,m[0,:1]) x.masked_fill_(x>0,0.0) x.t_()
    x.unsqueeze_(0) x.squeeze_() x.sigmoid_() x.lerp_(x,0.5) x.addcmul_(x,x) x.bernoulli_(0.5)
    x.div_(2) x.pow_(2) x.requires_grad_() x.as_strided_((2,),(1,)) x.swapaxes_(0,0) m.t_()
    x.resize_(2) x.resize_as_(m[0]) x.detach_() x.resize_(3) x.index_copy_(0,i,m[0,:1])
    x.logical_not_() x.eq_(1) x.put_(i,m[0,:1]) x.clamp_min_(1) x.clip_(0,1) x.round_()
    x.nan_to_num_() x.index_put_((i,),m[0,:1]) c.zero_() c.fill_(1) c.mul_(2) c.copy_(c)
    c.conj_physical_() c.exp_() m.tril_() m.fill_diagonal_(1) m.transpose_(0,1) m.addmm_(m,m)
    m.t().zero_() m.t().uniform_() m[:,0].mul_(2) m[0].fill_(3)
""".split()  # noqa: SIM905


def names(library):
    return {
        "lib": library, "np": np, "x": library.tensor([1.0, -2.0, 0.5]),
        "m": library.tensor([[1.0, 2.0, 0.0], [0.5, 4.0, 1.0], [2.0, 0.0, 3.0]]),
        "c": library.tensor([1 + 2j, 3j, -1]), "i": library.tensor([1]),
    }  # fmt: skip


def counted(library, text):
    found = names(library)
    result = eval(text, found)
    return result._version, [found[name]._version for name in "xmci"]


@pytest.mark.parametrize("text", NEW)
def test_a_new_tensor_begins_with_0(text):
    assert counted(gpukit, text) == counted(torch, text)


@pytest.mark.parametrize("text", CHANGED)
def test_a_change_in_place_counts_once(text):
    assert counted(gpukit, text) == counted(torch, text)


def story(library):
    """Assignments, views, out=, optimizers and what autograd stores."""
    said = []
    x, out = library.zeros(4, 3), library.empty(4, 3)
    x[0] = 1
    x[1:, 0] = library.ones(3)
    x[x > 0] = 2.0
    row, other = x[0], x.detach()
    row += 1
    other.mul_(2)
    said += [x._version, row._version, other._version, x.view(-1)._version]
    library.add(x, 1, out=out)
    library.mm(x.t(), x, out=library.empty(3, 3))
    said += [out._version, x.clone()._version, x[1].clone()._version]
    weight = library.ones(3, requires_grad=True)
    said.append(weight._version)
    for _ in range(2):
        (weight * 2).sum().backward()
        said.append(weight.grad._version)
    library.optim.SGD([weight], lr=0.1).step()
    said.append(weight._version)
    with library.no_grad():
        weight += 1
    said.append(weight._version)
    return said


def test_a_story():
    assert story(gpukit) == story(torch)


def test_changes_of_saved_values_are_still_found():
    for library in (torch, gpukit):
        x = library.ones(2, requires_grad=True)
        y = library.ones(2)
        z = (x * y).exp()
        y.add_(1)
        with pytest.raises(RuntimeError, match=r"in ?place"):
            z.sum().backward()
