"""The tutorials' device, tensor and copy lessons under simulate(2, "T4"): only the import differs.

The results are those of a machine with two GPUs; simulated tensors say so at the end of their repr.
"""

from __future__ import annotations

import contextlib
import io

import pytest

import gpukit

# What a notebook of the lesson does and shows, cell by cell. `torch` is the changed import.
DEVICES = [
    (
        "torch.device('cpu'), torch.device('cuda'), torch.device('cuda:1')",
        "(device(type='cpu'), device(type='cuda'), device(type='cuda', index=1))",
    ),
    ("torch.cuda.device_count()", "2"),
    ("torch.cuda.is_available()", "True"),
    ("torch.cuda.get_device_name(0)", "'Tesla T4 (simulated)'"),
    (
        """
def try_gpu(i=0):
    if torch.cuda.device_count() >= i + 1:
        return torch.device(f'cuda:{i}')
    return torch.device('cpu')


def try_all_gpus():
    found = [torch.device(f'cuda:{i}') for i in range(torch.cuda.device_count())]
    return found if found else [torch.device('cpu')]
""",
        "",
    ),
    (
        "try_gpu(), try_gpu(10), try_all_gpus()",
        "(device(type='cuda', index=0), device(type='cpu'), "
        "[device(type='cuda', index=0), device(type='cuda', index=1)])",
    ),
]
TENSORS = [
    *DEVICES,
    ("x = torch.tensor([1, 2, 3])", ""),
    ("x.device", "device(type='cpu')"),
    ("X = torch.ones(2, 3, device=try_gpu())", ""),
    (
        "X",
        "tensor([[1., 1., 1.],\n        [1., 1., 1.]], device='cuda:0', simulated=True)",
    ),
    ("Y = torch.rand(2, 3, device=try_gpu(1))", ""),
    ("Y.device, Y.shape, bool(((Y >= 0) & (Y < 1)).all())", "device(type='cuda', index=1)"),
]
COPIES = [
    *TENSORS,
    ("Z = X.cuda(1)", ""),
    (
        "print(X)\nprint(Z)",
        "tensor([[1., 1., 1.],\n        [1., 1., 1.]], device='cuda:0', simulated=True)\n"
        "tensor([[1., 1., 1.],\n        [1., 1., 1.]], device='cuda:1', simulated=True)\n",
    ),
    ("(Y + Z).device, bool((Y + Z == Y + 1).all())", "(device(type='cuda', index=1), True)"),
    ("Z.cuda(1) is Z", "True"),
    ("Z.to('cuda:1') is Z, Z.to('cpu').device", "(True, device(type='cpu'))"),
    ("float((X @ X.T).sum())", "12.0"),
    (
        """
device0, device1 = torch.device('cuda:0'), torch.device('cuda:1')
A, B = (torch.rand(64, 64, device=one) for one in (device0, device1))
C, D = torch.matmul(A, A), torch.matmul(B, B)
torch.cuda.synchronize(device0)
torch.cuda.synchronize(device1)
""",
        "",
    ),
    ("C.device, D.device", "(device(type='cuda', index=0), device(type='cuda', index=1))"),
    (
        """
matrices = [torch.rand((10, 10)).to(try_gpu()) for _ in range(20)]
norms = [torch.norm(torch.mm(m, m.t())) for m in matrices]
""",
        "",
    ),
    ("norms[0].device, norms[0].ndim", "(device(type='cuda', index=0), 0)"),
    ("torch.cuda.empty_cache()", ""),
]


def run_cell(source: str, names: dict[str, object]) -> str:
    """What a notebook shows for a cell: what it prints, and the repr of an expression."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        try:
            code = compile(source.strip(), "cell", "eval")
        except SyntaxError:
            exec(compile(source, "cell", "exec"), names)
        else:
            value = eval(code, names)
            if value is not None:
                print(repr(value))
    return shown.getvalue()


@pytest.mark.parametrize("lesson", [DEVICES, TENSORS, COPIES], ids=["devices", "tensors", "copies"])
def test_lesson(lesson: list[tuple[str, str]]) -> None:
    names: dict[str, object] = {"torch": gpukit}
    for source, expected in lesson:
        shown = run_cell(source, names)
        assert expected.strip() in shown, source
        assert bool(shown) == bool(expected), source


def test_the_same_lesson_adds_across_devices_only_when_asked() -> None:
    x, y = gpukit.ones(2, 3, device="cuda:0"), gpukit.ones(2, 3, device="cuda:1")
    with pytest.raises(gpukit.DeviceMismatchError, match="cuda:1"):
        _ = x + y
    assert (x.to(y.device) + y).tolist() == [[2.0] * 3] * 2
