"""The device "meta": shapes, dtypes and gradients' shapes, and no values."""

from __future__ import annotations

import copy
import io
import warnings

import pytest

import gpukit
import gpukit.nn.functional as F
from gpukit import nn


def meta(*shape, dtype=gpukit.float32):
    return gpukit.empty(*shape, device="meta", dtype=dtype)


def test_the_device_is_one_without_an_index():
    x = meta(2, 3)
    assert x.is_meta
    assert not x.is_cpu and not x.is_cuda
    assert x.device == gpukit.device("meta") == gpukit.device("meta", 0)
    assert (x.device.type, x.device.index) == ("meta", None)
    assert (str(x.device), repr(x.device)) == ("meta", "device(type='meta')")
    with pytest.raises(gpukit.InvalidDeviceError, match="one meta"):
        gpukit.device("meta:1")
    assert x.get_device() == -1
    assert "meta" not in {device.type for device in gpukit.devices()}


def test_tensors_from_and_to_it(device):
    x = gpukit.arange(6, device=device).reshape(2, 3)
    there = x.to("meta")
    assert (there.shape, there.dtype, there.is_meta) == ((2, 3), x.dtype, True)
    assert x.t().to("meta", dtype=gpukit.float16).dtype == gpukit.float16
    assert gpukit.zeros_like(x, device="meta").is_meta
    assert gpukit.empty_like(there, device=device).device == device
    there.copy_(x)  # moves nothing
    for read in (
        lambda: there.to(device),
        lambda: x.copy_(there),
        there.cpu,
        there.numpy,
        there.tolist,
        lambda: there.sum().item(),
        lambda: bool(there.sum()),
        there.nonzero,
        lambda: gpukit.save(there, io.BytesIO()),
        lambda: memoryview(there),
        there.__dlpack_device__,
    ):
        with pytest.raises(NotImplementedError, match=r"meta.*no values"):
            read()
    with pytest.raises(gpukit.DeviceMismatchError):
        there + x


def test_it_takes_no_memory():
    big = meta(10**6, 10**6)
    assert (big @ big + 1).nbytes == 4 * 10**12
    for _ in range(3):
        assert meta(2**30, 2**20).clone().numel() == 2**50
    with pytest.raises(gpukit.OutOfMemoryError):
        meta(2**60)
    many = [meta(2**56) for _ in range(7)]
    assert len({x.data_ptr() for x in many}) == 7
    with pytest.raises(gpukit.OutOfMemoryError):
        meta(2**57)
    del many
    for _ in range(20):
        meta(2**55)
    assert meta(5).shape == (5,)


def test_operators_give_shapes(device):
    x = gpukit.ones(4, 6, device=device)
    y = meta(4, 6)
    for operator in (
        lambda t: t.t() @ t,
        lambda t: F.softmax(t, -1),
        lambda t: t.sum(0, keepdim=True),
        lambda t: t.sort(-1)[1],
        lambda t: t > 0,
        lambda t: t[1:, ::2],
        lambda t: t.view(3, 8).float().cumsum(0),
        lambda t: gpukit.cat([t, t], 1),
        lambda t: gpukit.einsum("ij,kj->ik", t, t),
        lambda t: t.argmax(1),
        lambda t: F.pad(t, (1, 2)),
        lambda t: F.one_hot(t.long(), 7),
        lambda t: gpukit.linalg.inv(t[:, :4] + 0).contiguous(),
        gpukit.fft.rfft,
    ):
        want, got = operator(x + gpukit.eye(4, 6, device=device)), operator(y)
        assert got.is_meta
        assert (got.shape, got.dtype, got.stride()) == (want.shape, want.dtype, want.stride())


def test_networks_and_their_gradients():
    with gpukit.device("meta"):
        net = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(8 * 16, 10),
        )
        x, classes = gpukit.rand(2, 3, 8, 8), gpukit.zeros(2, dtype=gpukit.int64)
    loss = F.cross_entropy(net(x), classes)
    loss.backward()
    gpukit.optim.Adam(net.parameters()).step()
    assert loss.shape == ()
    for parameter in net.parameters():
        assert parameter.grad.is_meta
        assert parameter.grad.shape == parameter.shape
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, device="meta")
    assert layer(meta(2, 5, 16)).shape == (2, 5, 16)
    assert nn.LSTM(4, 8, device="meta")(meta(6, 2, 4))[0].shape == (6, 2, 8)


def test_modules_leave_it_by_to_empty_and_by_assignment():
    full = nn.Linear(3, 2)
    empty = nn.Linear(3, 2, device="meta")
    with pytest.raises(NotImplementedError, match="to_empty"):
        empty.to("cpu")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        empty.load_state_dict(full.state_dict())
    assert all(
        name in str(each.message) for name, each in zip(full.state_dict(), seen, strict=True)
    )
    assert empty.weight.is_meta
    empty.load_state_dict(full.state_dict(), assign=True)
    assert gpukit.equal(empty(gpukit.ones(1, 3)), full(gpukit.ones(1, 3)))
    assert isinstance(empty.weight, nn.Parameter)
    there = copy.deepcopy(full).to("meta")
    assert there.weight.is_meta and there.weight.requires_grad
    assert there.to_empty(device="cpu").weight.shape == (2, 3)


def test_it_takes_no_random_numbers():
    gpukit.manual_seed(3)
    want = gpukit.rand(2)
    gpukit.manual_seed(3)
    gpukit.rand(5, device="meta")
    nn.Linear(3, 4, device="meta")
    nn.init.trunc_normal_(meta(3, 4))
    assert gpukit.distributions.Normal(meta(3), meta(3)).sample().shape == (3,)
    nn.utils.skip_init(nn.Linear, 3, 4)
    assert gpukit.equal(gpukit.rand(2), want)


def test_functions_of_stacked_parameters():
    nets = [nn.Linear(3, 2) for _ in range(4)]
    params, buffers = gpukit.func.stack_module_state(nets)
    base = copy.deepcopy(nets[0]).to("meta")
    x = gpukit.ones(5, 3)

    def call(params, buffers, x):
        return gpukit.func.functional_call(base, (params, buffers), (x,))

    got = gpukit.vmap(call, (0, 0, None))(params, buffers, x)
    assert gpukit.allclose(got, gpukit.stack([net(x) for net in nets]))


def test_compiled_functions(device):
    compiled = gpukit.compile(lambda x: gpukit.tanh(x * 2) + 1, backend="tiles")
    for x in (gpukit.ones(70000, device=device), meta(70000)):
        for _ in range(3):
            got = compiled(x)
            assert (got.shape, got.device) == (x.shape, x.device)


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (lambda: meta(2, 3), "tensor(..., device='meta', size=(2, 3))"),
        (lambda: meta(0), "tensor(..., device='meta', size=(0,))"),
        (
            lambda: meta(2, dtype=gpukit.int64),
            "tensor(..., device='meta', size=(2,), dtype=gpukit.int64)",
        ),
        (
            lambda: meta(()).requires_grad_(),
            "tensor(..., device='meta', size=(), requires_grad=True)",
        ),
    ],
)
def test_it_prints_as_in_torch(tensor, text):
    assert repr(tensor()) == text
