"""More programs as in view_writes.py: views of memory (`as_strided`, `unfold`), of tensors that are
not contiguous, as another dtype, and views made in `no_grad`."""

from typing import Any

import numpy as np

from .view_writes import PROGRAMS, leaf, program

__all__ = ["PROGRAMS"]


def of_numpy(lib: Any, device: Any, array: Any) -> Any:
    """A tensor of the array's strides; on a GPU one of its own, transposed."""
    made = lib.from_numpy(array)
    if str(device) == "cpu":
        return made
    return lib.tensor(array.T.tolist(), dtype=made.dtype, device=device).t().detach()


@program
def as_strided_multiplied(lib, device):
    x = leaf(lib, device, 4)
    y = x * 2
    v = y.as_strided((2,), (2,), 1)
    v.mul_(x[:2])
    (y * y).sum().backward()
    return y, v, x.grad, v.grad_fn.name()


@program
def as_strided_of_buffer(lib, device):
    x = leaf(lib, device, 2)
    y = lib.zeros(4, device=device)
    v = y.as_strided((2,), (2,), 1)
    v.add_(x * 3)
    (y * y).sum().backward()
    return y, v, x.grad, v.requires_grad


@program
def as_strided_windows(lib, device):
    x = leaf(lib, device, 6)
    v = x.as_strided((3, 3), (1, 1), 1)
    (v * v).sum().backward()
    return v, x.grad, v.data_ptr() == x.data_ptr() + 4


@program
def as_strided_windows_after_change(lib, device):
    x = leaf(lib, device, 4)
    y = x * 2
    v = y.as_strided((3, 2), (1, 1))
    y.mul_(x)
    (v * v).sum().backward()
    return v, x.grad


@program
def as_strided_of_transposed(lib, device):
    x = leaf(lib, device, 2, 3)
    y = (x * 2).t()
    v = y.as_strided((2, 2), (3, 1), 1)
    (v * v).sum().backward()
    return v, x.grad


@program
def as_strided_outside_of_its_slice(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    s = y[2:4]
    before, across = s.as_strided((2,), (1,), 0), s.as_strided((4,), (1,), 1)
    ((before * before).sum() + (across * across).sum()).backward()
    return before, across, x.grad


@program
def as_strided_written_outside_of_its_slice(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    s = y[2:4]
    v = s.as_strided((3,), (1,), 0)
    v.zero_()
    (y * y).sum().backward()
    return v, s, x.grad


@program
def as_strided_second_derivative(lib, device):
    x = leaf(lib, device, 6)
    v = (x * x).as_strided((3, 3), (1, 1), 1)
    (first,) = lib.autograd.grad((v**2).sum(), x, create_graph=True)
    (second,) = lib.autograd.grad((first**2).sum(), x)
    return first, second


@program
def windows_written(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    windows = y.unfold(0, 2, 2)
    windows[0].mul_(3)
    (y * y).sum().backward()
    return y, windows, x.grad


@program
def patches_second_derivative(lib, device):
    x = leaf(lib, device, 2, 4, 4)
    patches = (x * x).unfold(1, 3, 1).unfold(2, 2, 1)
    (first,) = lib.autograd.grad((patches**2).sum(), x, create_graph=True)
    (second,) = lib.autograd.grad((first**2).sum(), x)
    return patches, patches.stride(), first, second


@program
def windows_after_change(lib, device):
    x = leaf(lib, device, 5)
    y = x * 2
    windows = y.unfold(0, 3, 1)
    y[1:3].mul_(x[0])
    (windows * windows).sum().backward()
    return windows, x.grad


@program
def transposed_array_whose_view_is_left(lib, device):
    x = leaf(lib, device, 2, 3)
    b = of_numpy(lib, device, np.ones((2, 3), np.float32).T)
    v = b[:2]
    del b
    v.mul_(x[:, :2].t())
    v.sum().backward()
    return v, x.grad


@program
def transposed_array_written(lib, device):
    x = leaf(lib, device, 2, 3)
    b = of_numpy(lib, device, np.ones((2, 3), np.float32).T)
    v, other = b[:2], b[1:]
    v.add_(x.t()[:2] * 3)
    (b * b).sum().backward(retain_graph=True)
    (other * other).sum().backward()
    return b, v, other, x.grad


@program
def every_other_column(lib, device):
    x = leaf(lib, device, 4)
    b = of_numpy(lib, device, np.zeros((3, 4), np.float32)[:, ::2])
    v = b[1:]
    v.add_(x.view(2, 2))
    b.mul_(2)
    b[0].add_(v[0].clone() * x[:2])
    (b * b).sum().backward()
    return b, v, x.grad


@program
def every_other_column_second_derivative(lib, device):
    x = leaf(lib, device, 4)
    b = of_numpy(lib, device, np.zeros((3, 4), np.float32)[:, ::2])
    b[1:].add_((x * x).view(2, 2))
    b[:2].mul_(b[1:].clone())
    (first,) = lib.autograd.grad((b * b).sum(), x, create_graph=True)
    (second,) = lib.autograd.grad((first * first).sum(), x)
    return b, first, second


@program
def bits_of_changed(lib, device):
    x = leaf(lib, device, 4)
    b = lib.zeros(4, device=device)
    bits, wide = b.view(lib.int32), b.view(lib.float64)
    b.mul_(x)
    bits[0] = 5
    return bits.requires_grad, wide.requires_grad, wide.is_leaf, bits, (bits + 1).requires_grad


@program
def view_of_no_grad_requires_grad(lib, device):
    x = leaf(lib, device, 3)
    y = x * 2
    with lib.no_grad():
        v, w = y[:2], x[:2]
    return v.requires_grad, v.is_leaf, v.grad_fn, (v * 2).requires_grad, w.requires_grad


@program
def view_before_its_leaf(lib, device):
    b = lib.zeros(3, device=device)
    v = b[:2]
    b.requires_grad_()
    return v.requires_grad, v.is_leaf, v.grad_fn


@program
def view_before_its_leaf_written(lib, device):
    b = lib.zeros(3, device=device)
    v = b[:2]
    b.requires_grad_()
    v.mul_(2)
    return b


@program
def view_of_no_grad_multiplied(lib, device):
    y = leaf(lib, device, 3) * 2
    with lib.no_grad():
        v = y[:2]
    v.mul_(3)
    return y


@program
def view_of_no_grad_set(lib, device):
    y = leaf(lib, device, 3) * 2
    with lib.no_grad():
        v = y[:2]
    v[0] = 3
    return y


@program
def view_of_no_grad_of_buffer(lib, device):
    b = lib.zeros(3, device=device)
    with lib.no_grad():
        v = b[:2]
    v.view(2, 1).add_(leaf(lib, device, 2, 1))
    return b


@program
def view_of_inference(lib, device):
    b = lib.zeros(3, device=device)
    with lib.inference_mode():
        v = b[:2]
    v.add_(leaf(lib, device, 2))
    return b


@program
def view_of_no_grad_after_change(lib, device):
    y = leaf(lib, device, 3) * 2
    with lib.no_grad():
        v = y[:2]
    y.mul_(3)
    return v * 2


@program
def view_of_no_grad_read_after_change(lib, device):
    y = leaf(lib, device, 3) * 2
    with lib.no_grad():
        v = y[:2]
    y.mul_(3)
    with lib.no_grad():
        doubled = v * 2
    return v.requires_grad, v.tolist(), doubled, "<Invalid>" in repr(v)


@program
def view_of_no_grad_changed_there(lib, device):
    x = leaf(lib, device, 3)
    y = x * 2
    with lib.no_grad():
        v = y[:2]
        v.mul_(2)
        y.mul_(2)
    y.sum().backward()
    return y, v.detach(), x.grad


@program
def as_strided_beyond_its_input(lib, device):
    x = leaf(lib, device, 4)
    y = x * 1
    v = y[:2].as_strided((2,), (1,), 1)
    v.mul_(3.0)
    y.sum().backward()
    return y, v, x.grad


@program
def as_strided_beyond_its_input_and_unchanged(lib, device):
    x = leaf(lib, device, 4)
    y = x * 1
    v = y[:2].as_strided((3,), (1,), 1)
    v.sum().backward()
    return v, x.grad


@program
def part_of_as_strided_beyond_its_input(lib, device):
    x = leaf(lib, device, 5)
    y = x * 1
    w = y[:2].as_strided((3,), (1,), 2)[1:]
    w.mul_(w)
    (y * y).sum().backward()
    return y, w, x.grad
