"""What gpukit.save writes, gpukit.load reads: values, views, shared memory, three formats."""

from __future__ import annotations

import io
import os
import pickle
import stat
import sys
import threading
import zipfile
import zlib
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

import gpukit
from gpukit import _core
from gpukit.errors import CheckpointError, DeviceNotFoundError, DTypeError
from support.checkpoints import loaded, saved, torch_zip

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
VALUES = [
    None,
    True,
    0,
    255,
    256,
    -1,
    2**31,
    -(2**40),
    2**100,
    0.1,
    float("inf"),
    1 + 2j,
    "",
    "Grüße \U0001f600 \x00",
    b"\x00\xff",
    bytearray(b"ab"),
    (),
    (1, (2, "x")),
    [],
    list(range(2500)),
    {"a": {"b": [None]}},
    {i: str(i) for i in range(2500)},
    OrderedDict(b=1, a=2),
    {1, "two"},
    gpukit.device("cpu"),
    gpukit.device("cuda:1"),
    gpukit.float16,
]


def same(mine: gpukit.Tensor, other: gpukit.Tensor) -> None:
    assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
    assert mine.cpu().contiguous().tobytes() == other.cpu().contiguous().tobytes()


def name_of(value: object) -> str:
    return "a set" if isinstance(value, set) else repr(value)[:20]  # sets have no order


@pytest.mark.parametrize("value", VALUES, ids=name_of)
def test_values_come_back(value):
    back = loaded(saved(value))
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize("format", ["torch", "safetensors", "npz"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3, 4)])
def test_every_dtype_and_shape(dtype, shape, format):
    tensor = (gpukit.rand(*shape) * 9).to(dtype) if shape else gpukit.tensor(3).to(dtype)
    if format == "npz" and dtype == "bfloat16":
        with pytest.raises(DTypeError, match="bfloat16"):
            saved({"x": tensor}, format=format)
        return
    same(loaded(saved({"x": tensor}, format=format))["x"], tensor)


def test_views_share_memory_again():
    base = gpukit.arange(24).reshape(4, 6)
    views = [base, base.T, base[1:, ::2], base[2], base[:1].expand(3, 6), base]
    back = loaded(saved(views))
    for view, mine in zip(views, back, strict=True):
        same(mine, view)
        assert mine.stride() == view.stride()
    assert back[5] is back[0]
    back[0][2, 2] = -1
    assert back[1][2, 2].item() == back[2][1, 1].item() == back[3][2].item() == -1


def test_storage_is_written_once(tmp_path):
    base = gpukit.zeros(100_000)
    assert len(saved([base, base[:10], base.reshape(100, 1000)])) < 1.01 * base.nbytes


def test_negative_strides_become_plain_ones():
    tensor = gpukit.arange(6)[::-1]
    back = loaded(saved(tensor))
    same(back, tensor)
    assert back.stride() == (1,)


def test_requires_grad_and_attributes_are_kept():
    weight = gpukit.ones(2, requires_grad=True)
    weight.note = {"layer": 3}
    weight, plain = loaded(saved([weight, gpukit.ones(2)]))
    assert weight.requires_grad
    assert not plain.requires_grad
    assert weight.note == {"layer": 3}


def test_parameters_stay_parameters():
    weight = gpukit.nn.Parameter(gpukit.ones(2))
    frozen = gpukit.nn.Parameter(weight.detach(), requires_grad=False)
    weight, frozen = loaded(saved([weight, frozen]))
    assert type(weight) is type(frozen) is gpukit.nn.Parameter
    assert (weight.requires_grad, frozen.requires_grad) == (True, False)
    frozen.fill_(3)
    assert weight.tolist() == [3, 3]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_objects_of_gpukit_that_another_pickler_wrote(protocol):
    tensor = gpukit.arange(6).reshape(2, 3).float()
    tensor.note = "kept"
    tensor.grad = gpukit.ones(2, 3)
    value = [
        tensor,
        tensor.T,
        gpukit.nn.Parameter(gpukit.ones(2, dtype="bfloat16")),
        gpukit.device("cuda:1"),
        gpukit.float16,
        gpukit.tensor(2.5, requires_grad=True),
        gpukit.ones(0, 3),
    ]
    back = loaded(torch_zip(pickle.dumps(value, protocol)))
    for mine, other in zip(back, value, strict=True):
        if isinstance(other, gpukit.Tensor):
            same(mine, other)
            assert type(mine) is type(other)
            assert mine.requires_grad == other.requires_grad
        else:
            assert mine == other
    assert back[0].note == "kept"
    assert back[0].grad.tolist() == [[1] * 3] * 2


def test_older_files_name_the_extension():
    value = [gpukit.ones(2), gpukit.device("cuda:1"), gpukit.float16]
    pickled = pickle.dumps(value, 2)
    older = pickled.replace(b"cgpukit\n", b"cgpukit._core\n")
    assert older != pickled
    back = loaded(torch_zip(older))
    assert (back[0].tolist(), back[1:]) == ([1.0, 1.0], value[1:])


def test_network_and_optimizer(tmp_path):
    """The lesson: train, save the states, load them into another network."""
    nn, path = gpukit.nn, tmp_path / "net.pth"

    def made():
        net = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 10))
        return net, gpukit.optim.Adam(net.parameters())

    net, optimizer = made()
    for parameter in net.parameters():
        parameter.grad = gpukit.ones_like(parameter)
    optimizer.step()
    gpukit.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, path)
    other, fresh = made()
    state = gpukit.load(path, map_location=gpukit.try_gpu(63, quiet=True))
    assert str(other.load_state_dict(state["net"])) == "<All keys matched successfully>"
    fresh.load_state_dict(state["optimizer"])
    x = gpukit.rand(3, 20)
    assert gpukit.equal(net(x), other(x))


def test_cycles_and_shared_containers_come_back():
    inner = {"x": 1}
    outer = [inner, inner]
    outer.append(outer)
    back = loaded(saved(outer))
    assert back[0] is back[1]
    assert back[2] is back


def test_metadata_of_a_state_dict_is_kept():
    state = OrderedDict(w=gpukit.ones(1))
    state._metadata = OrderedDict([("", {"version": 1})])
    assert loaded(saved(state))._metadata == {"": {"version": 1}}


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


REFUSED = {
    "a function": ({"f": len}, r"obj\['f'\] is a builtins.builtin_function"),
    "an array of objects": ([np.array([len])], r"obj\[0\] is a numpy.ndarray.*astype"),
    "a date of NumPy": ([np.datetime64("2026-01-01")], r"obj\[0\] is a numpy.datetime64"),
    "a module": ([type("Net", (), {"state_dict": dict})()], r"state_dict\(\)"),
    "a deep list": (nested(300), "nested more than 200 deep"),
    "a huge int": ([1 << 4000], r"obj\[0\] is an int of 501 bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_saved_is_named(name, tmp_path):
    value, message = REFUSED[name]
    path = tmp_path / "x.pth"
    with pytest.raises(CheckpointError, match=message):
        gpukit.save(value, path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["safetensors", "npz"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], "got a list"),
        ({1: gpukit.ones(1)}, "text as keys"),
        ({"a": 1}, r"obj\['a'\] is a int"),
    ],
)
def test_dict_formats_refuse_other_values(format, value, message):
    with pytest.raises(CheckpointError, match=message):
        saved(value, format=format)


@pytest.mark.parametrize("suffix", [".pth", ".pt", "", ".safetensors", ".npz"])
def test_suffix_chooses_the_format(suffix, tmp_path):
    path = tmp_path / f"net{suffix}"
    gpukit.save({"file": gpukit.ones(3), "b": gpukit.zeros(2, 2)}, str(path))
    start = path.read_bytes()[:4]
    assert (start == b"PK\x03\x04") == (suffix != ".safetensors")
    assert set(gpukit.load(path)) == {"file", "b"}
    if suffix == ".npz":
        with np.load(path) as archive:
            assert archive["file"].tolist() == [1, 1, 1]


def test_npz_of_numpy_is_read(tmp_path):
    path = tmp_path / "a.npz"
    big_endian = np.arange(3, dtype=">f4")
    np.savez_compressed(path, a=np.asfortranarray(np.arange(6.0).reshape(2, 3)), b=big_endian)
    back = gpukit.load(path)
    assert back["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert back["b"].tolist() == [0, 1, 2]
    np.savez(path, c=np.ones(2, np.clongdouble))
    with pytest.raises(CheckpointError, match=r"'c' of '?complex256"):
        gpukit.load(path)


def test_same_value_gives_the_same_bytes():
    value = {"w": gpukit.ones(3), "n": [1, "x"]}
    assert saved(value) == saved(value)


def test_written_zip_is_whole_and_aligned(tmp_path):
    path = tmp_path / "net.pth"
    gpukit.save({"a": gpukit.rand(1000, 700), "b": gpukit.ones(3)}, path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        data = path.read_bytes()
        for info in archive.infolist():
            start = data.index(archive.read(info), info.header_offset)
            assert start % 64 == 0


def test_checksum_is_that_of_zlib():
    data = np.random.default_rng(5).integers(0, 256, 5000, dtype=np.uint8).tobytes()
    for size in (*range(200), 1023, 1024, 1025, 4999):
        for start in (0, 1, 15):
            piece = memoryview(data)[start : start + size]
            assert _core.crc32(piece) == zlib.crc32(piece)
            assert _core.crc32(piece, 0xDEADBEEF) == zlib.crc32(piece, 0xDEADBEEF)
    with pytest.raises(TypeError):
        _core.crc32("text")
    with pytest.raises(BufferError):
        _core.crc32(memoryview(data)[::2])


class OneWay:
    """A stream that can only be written, as a pipe."""

    def __init__(self):
        self.parts = []

    def write(self, data):
        self.parts.append(bytes(data))


def test_stream_that_cannot_seek():
    stream = OneWay()
    gpukit.save({"x": gpukit.arange(5)}, stream)
    assert loaded(b"".join(stream.parts))["x"].tolist() == [0, 1, 2, 3, 4]


# ---- where tensors go ----


def test_map_location_forms():
    data = saved({"x": gpukit.ones(2)})
    seen = []
    for where in ("cpu", gpukit.device("cpu"), {"cpu": "cpu"}, {"cuda:1": "cpu"}):
        assert loaded(data, where)["x"].device.type == "cpu"

    def location(storage, name):
        seen.append((storage.dtype, storage.numel(), name))
        return storage

    assert loaded(data, location)["x"].tolist() == [1, 1]
    assert seen == [(gpukit.uint8, 8, "cpu")]
    assert loaded(data, lambda storage, name: None)["x"].tolist() == [1, 1]
    assert loaded(data, lambda storage, name: "cpu")["x"].tolist() == [1, 1]


def test_map_location_that_is_not_there():
    data = saved({"x": gpukit.ones(2)})
    for where in ("cuda:63", {"cpu": "cuda:63"}, lambda storage, name: "cuda:63"):
        with pytest.raises(DeviceNotFoundError, match="cuda:63") as caught:
            loaded(data, where)
        assert caught.value.fix == "map_location=gpukit.try_gpu()"
        assert str(caught.value).count("Use ") == 1
    with pytest.raises(TypeError, match="map_location must be"):
        loaded(data, 1.5)
    with pytest.raises(TypeError, match="return the storage"):
        loaded(data, lambda storage, name: storage[:1])


def test_absent_saved_device_falls_back_with_one_note(capsys):
    data = saved([gpukit.ones(2), gpukit.zeros(3)])
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            new.writestr(info.filename, content.replace(b"X\x03\0\0\0cpu", b"X\x03\0\0\0mps"))
    for _ in range(2):
        back = loaded(file.getvalue())
    assert [t.device.type for t in back] == ["cpu", "cpu"]
    assert capsys.readouterr().err.count("'mps'") == 1


# ---- arguments ----


@pytest.mark.parametrize("weights_only", [True, False, None, np.bool_(False), 0])
def test_no_code_runs_whatever_weights_only_says(tmp_path, weights_only):
    path = tmp_path / "x.pth"
    gpukit.save({"x": gpukit.arange(3)}, path)
    assert gpukit.load(path, weights_only=weights_only)["x"].tolist() == [0, 1, 2]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("x/data.pkl", b"cos\nsystem\n(S'true'\ntR.")
        file.writestr("x/version", "3")
    with pytest.raises(gpukit.CheckpointError, match=r"os\.system"):
        gpukit.load(path, weights_only=weights_only)


def test_arguments_are_checked(tmp_path):
    with pytest.raises(TypeError, match="weights_only must be True, False or None"):
        gpukit.load("x.pth", weights_only="no")
    with pytest.raises(TypeError, match="mmap must be True or False"):
        gpukit.load("x.pth", mmap=1)
    with pytest.raises(FileNotFoundError, match="absent"):
        gpukit.load(tmp_path / "absent.pth")
    with pytest.raises(FileNotFoundError, match="absent"):
        gpukit.save(1, tmp_path / "absent" / "x.pth")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        gpukit.save(1, tmp_path)
    with pytest.raises(ValueError, match="format must be one of"):
        gpukit.save(1, tmp_path / "x", format="hdf5")
    with pytest.raises(TypeError, match=r"write\(\)"):
        gpukit.save(1, 5)
    with pytest.raises(TypeError, match=r"read\(\)"):
        gpukit.load(5)
    with pytest.raises(TypeError, match="binary mode"):
        gpukit.load(io.StringIO("x"))
    with pytest.raises(ValueError, match="needs a path"):
        loaded(saved(1), mmap=True)


# ---- mapping ----


@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_mapped_tensors(suffix, tmp_path):
    path = tmp_path / f"net{suffix}"
    values = {name: (gpukit.rand(50, 3) * 9).to(name) for name in DTYPES}
    gpukit.save(values | {"empty": gpukit.ones(0, 2)}, path)
    before = path.read_bytes()
    back = gpukit.load(path, mmap=True)
    for name in DTYPES:
        same(back[name], values[name])
    back["float32"].fill_(7)
    path.unlink()  # the mapping needs no name
    assert back["float32"].sum().item() == 7 * 150
    gpukit.save(back, path)
    assert len(path.read_bytes()) == len(before)


def test_npz_is_not_mapped(tmp_path):
    gpukit.save({"a": gpukit.ones(1)}, tmp_path / "a.npz")
    with pytest.raises(ValueError, match="npz is always read"):
        gpukit.load(tmp_path / "a.npz", mmap=True)


def test_misaligned_entries_are_copied(tmp_path):
    path = tmp_path / "odd.pth"
    gpukit.save({"w": gpukit.arange(5).double()}, path)
    file = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(file, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    path.write_bytes(file.getvalue())
    assert gpukit.load(path, mmap=True)["w"].tolist() == [0, 1, 2, 3, 4]


# ---- the file ----


def test_permissions_and_links_are_kept(tmp_path):
    real, link = tmp_path / "real.pth", tmp_path / "link.pth"
    gpukit.save(1, real)
    real.chmod(0o640)
    link.symlink_to(real.name)
    gpukit.save(2, link)
    assert link.is_symlink()
    assert gpukit.load(real) == 2
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(tmp_path.iterdir()) == [link, real]


def test_new_file_gets_the_permissions_of_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        gpukit.save(1, tmp_path / "x.pth")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x.pth").stat().st_mode) == 0o640


def test_pipe_is_written_in_place(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(Path(pipe).read_bytes()))
    reader.start()
    gpukit.save({"x": gpukit.arange(3)}, pipe)
    reader.join()
    assert loaded(got[0])["x"].tolist() == [0, 1, 2]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


class Broken:
    """A stream whose disk is full after some bytes."""

    def write(self, data):
        raise OSError(28, "No space left on device")


def test_failing_stream_keeps_its_error():
    with pytest.raises(OSError, match="No space left"):
        gpukit.save(gpukit.rand(1 << 19), Broken())


def test_safetensors_without_its_package(monkeypatch, tmp_path):
    path = tmp_path / "x.safetensors"
    gpukit.save({"a": gpukit.ones(1)}, path)
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(CheckpointError, match="pip install safetensors"):
        gpukit.load(path)
