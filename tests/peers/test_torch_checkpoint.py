"""Files between gpukit and torch, both ways, and safetensors' own reader."""

from __future__ import annotations

from collections import Counter, OrderedDict

import numpy as np
import pytest
import safetensors.torch
import torch

import gpukit

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]


def equal(mine, theirs):
    """Same structure, torch and gpukit types matched, same bytes and layout."""
    if isinstance(theirs, torch.Tensor):
        assert isinstance(mine, gpukit.Tensor)
        assert str(mine.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
        assert tuple(mine.shape) == tuple(theirs.shape)
        assert mine.requires_grad == theirs.requires_grad
        assert mine.tolist() == theirs.tolist()
        if theirs.numel() > 1:
            assert mine.stride() == theirs.stride()
    elif isinstance(theirs, dict):
        assert type(mine) is type(theirs)
        assert list(mine) == list(theirs)
        for key in theirs:
            equal(mine[key], theirs[key])
    elif isinstance(theirs, (list, tuple)):
        assert isinstance(mine, tuple if isinstance(theirs, tuple) else list)
        assert len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True):
            equal(a, b)
    elif isinstance(theirs, (torch.device, torch.dtype)):
        assert str(mine).split(".")[-1] == str(theirs).split(".")[-1]
    else:
        assert mine == theirs
        assert type(mine) is type(theirs)


def tensors(library):
    made = {}
    for name in DTYPES:
        values = [[0, 1, 2], [1, 0, 3]]
        made[name] = library.tensor(values).to(getattr(library, name))
    base = library.arange(24).reshape(4, 6)
    made |= {
        "base": base,
        "transposed": base.t(),
        "strided": base[1:, ::2],
        "expanded": base[:1].expand(3, 6),
        "scalar": library.tensor(2.5),
        "empty": library.ones(0, 3),
        "grad": library.ones(2, requires_grad=True),
    }
    return made


def values(library):
    return {
        "tensors": tensors(library),
        "ordered": OrderedDict(b=1, a=OrderedDict(x=2.5)),
        "plain": [None, True, 0, -1, 2**40, -(2**70), 1e300, "text", "é\0", b"\xff", (1, (2,)), []],
        "keys": {0: "a", (1, "b"): 2, None: 3, 1.5: 4},
        "set": {1, 2},
        "complex": 1 - 2j,
        "device": library.device("cuda", 1),
        "dtype": library.float16,
        "bytearray": bytearray(b"12"),
    }


@pytest.mark.parametrize("mmap", [False, True])
def test_torch_opens_what_gpukit_writes(mmap, tmp_path):
    path = tmp_path / "mine.pth"
    mine = values(gpukit)
    gpukit.save(mine, path)
    equal(mine, torch.load(path, weights_only=True, mmap=mmap))


@pytest.mark.parametrize("mmap", [False, True])
def test_gpukit_opens_what_torch_writes(mmap, tmp_path):
    path = tmp_path / "theirs.pth"
    theirs = values(torch)
    torch.save(theirs, path)
    equal(gpukit.load(path, mmap=mmap), theirs)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_pickle_protocol_of_torch(protocol, tmp_path):
    path = tmp_path / "theirs.pth"
    theirs = values(torch)
    torch.save(theirs, path, pickle_protocol=protocol)
    equal(gpukit.load(path), theirs)


def test_no_checksums(tmp_path):
    torch.serialization.set_crc32_options(False)
    try:
        torch.save(tensors(torch), tmp_path / "x.pth")
    finally:
        torch.serialization.set_crc32_options(True)
    equal(gpukit.load(tmp_path / "x.pth"), tensors(torch))


def test_shared_storages_stay_shared(tmp_path):
    base = torch.arange(6.0)
    torch.save([base, base.view(2, 3).t(), base[2:]], tmp_path / "x.pth")
    a, b, c = gpukit.load(tmp_path / "x.pth")
    a[2] = -1
    assert b[2, 0].item() == c[0].item() == -1
    gpukit.save([a, b, c], tmp_path / "y.pth")
    a, b, c = torch.load(tmp_path / "y.pth", weights_only=True)
    a[2] = 7
    assert b[2, 0] == c[0] == 7


def test_a_real_network_and_its_optimizer(tmp_path):
    path = tmp_path / "net.pth"
    net = torch.nn.Sequential(torch.nn.Linear(20, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    net.register_buffer("steps", torch.tensor(3))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.rand(4, 20)).sum().backward()
    optimizer.step()
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, path)
    state = gpukit.load(path)
    equal(state["net"], net.state_dict())
    assert state["net"]._metadata == net.state_dict()._metadata
    equal(state["optimizer"], optimizer.state_dict())
    gpukit.save(state, path)
    back = torch.load(path, weights_only=True)
    other = torch.nn.Sequential(torch.nn.Linear(20, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    other.register_buffer("steps", torch.tensor(0))
    assert str(other.load_state_dict(back["net"])) == "<All keys matched successfully>"
    torch.optim.Adam(other.parameters()).load_state_dict(back["optimizer"])
    x = torch.rand(3, 20)
    assert torch.equal(net(x), other(x))


def test_parameters_buffers_and_other_types_of_torch(tmp_path):
    path = tmp_path / "x.pth"
    note = torch.ones(2)
    note.note = "kept"
    torch.save(
        {
            "parameter": torch.nn.Parameter(torch.ones(2)),
            "frozen": torch.nn.Parameter(torch.ones(2), requires_grad=False),
            "buffer": torch.nn.Buffer(torch.ones(3)),
            "note": note,
            "size": torch.Size([2, 3]),
            "counter": Counter("aab"),
            "layout": torch.strided,
            "mps": torch.device("mps"),
        },
        path,
    )
    back = gpukit.load(path)
    assert isinstance(back["parameter"], gpukit.nn.Parameter)
    assert back["parameter"].requires_grad
    gpukit.save(back["parameter"], tmp_path / "y.pth")
    theirs = torch.load(tmp_path / "y.pth", weights_only=True)
    assert isinstance(theirs, torch.nn.Parameter)
    assert not back["frozen"].requires_grad
    assert back["buffer"].tolist() == [1, 1, 1]
    assert back["note"].note == "kept"
    assert back["size"] == (2, 3)
    assert back["counter"] == {"a": 2, "b": 1}
    assert back["layout"] == "strided"
    assert back["mps"] == "mps"


def test_attributes_reach_torch(tmp_path):
    tensor = gpukit.ones(2)
    tensor.note = [1, "x"]
    gpukit.save(tensor, tmp_path / "x.pth")
    assert torch.load(tmp_path / "x.pth", weights_only=True).note == [1, "x"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (torch.ones(2, dtype=torch.float8_e5m2), "torch.float8_e5m2"),
        (torch.eye(2).to_sparse(), "_rebuild_sparse_tensor"),
        (torch.nn.Linear(1, 1), "torch.nn.modules.linear.Linear"),
        (np.datetime64("2026-01-01"), "NumPy dtype 'M8'"),
        (torch.ones(2).untyped_storage(), "bare torch storage"),
    ],
    ids=str,
)
def test_what_gpukit_does_not_have_is_named(value, message, tmp_path):
    torch.save({"x": value}, tmp_path / "x.pth")
    with pytest.raises(gpukit.CheckpointError, match=message):
        gpukit.load(tmp_path / "x.pth")


def test_old_files_of_torch_are_explained(tmp_path):
    torch.save({}, tmp_path / "x.pth", _use_new_zipfile_serialization=False)
    with pytest.raises(gpukit.CheckpointError, match=r"torch before 1\.6"):
        gpukit.load(tmp_path / "x.pth")


@pytest.mark.parametrize("mmap", [False, True])
def test_safetensors_both_ways(mmap, tmp_path):
    mine, theirs = tmp_path / "mine.safetensors", tmp_path / "theirs.safetensors"
    gpukit.save(tensors(gpukit), mine)
    equal(tensors(gpukit) | {}, _contiguous(safetensors.torch.load_file(mine), tensors(torch)))
    flat = {name: tensor.detach().contiguous().clone() for name, tensor in tensors(torch).items()}
    safetensors.torch.save_file(flat, theirs, metadata={"made": "by torch"})
    back = gpukit.load(theirs, mmap=mmap)
    equal({name: back[name] for name in flat}, flat)


def _contiguous(found, wanted):
    """What the file holds, in the order, layout and gradient mode of the original."""
    for name, tensor in wanted.items():
        assert torch.equal(found[name], tensor)
    return wanted


def test_values_of_numpy_pass_both_ways(tmp_path):
    value = {
        "best": np.float64(0.25),
        "loss": [np.float32(1.5), np.int64(2), np.bool_(True), np.str_("q")],
        "curve": np.arange(6.0).reshape(2, 3),
        "turned": np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
        "w": None,
    }
    for writer, reader in ((torch, gpukit), (gpukit, torch)):
        path = tmp_path / f"{writer.__name__}.pth"
        writer.save({**value, "w": writer.ones(2)}, path)
        found = reader.load(path, weights_only=False)
        assert found.pop("w").tolist() == [1.0, 1.0]
        for key, each in found.items():
            for one, other in zip(np.atleast_1d(each), np.atleast_1d(value[key]), strict=True):
                assert type(one) is type(other)
                np.testing.assert_array_equal(one, other, strict=True)
        assert found["turned"].flags.f_contiguous
