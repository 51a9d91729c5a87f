"""Small programs that change tensors in place through views, as in torch's tests and forum posts.

Each takes the module (torch or gpukit) and a device, and returns tensors or numbers.
"""

from collections.abc import Callable
from typing import Any

PROGRAMS: list[Callable[[Any, Any], Any]] = []


def program(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    PROGRAMS.append(function)
    return function


def leaf(lib: Any, device: Any, *shape: int, start: float = 1.0) -> Any:
    count = 1
    for size in shape:
        count *= size
    values = lib.arange(count, dtype=lib.float32, device=device).reshape(shape) * 0.5 + start
    return values.detach().requires_grad_()


@program
def view_element_set(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * 2
    v = y.view(-1)
    v[0] = 5
    y.sum().backward()
    return y, v, x.grad


@program
def view_multiplied(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * 2
    v = y.view(-1)
    v.mul_(2)
    (y * y).sum().backward()
    return y, v, x.grad


@program
def masked_softmax(lib, device):
    x = leaf(lib, device, 2, 2, 4)
    lengths = lib.tensor([1, 3, 2, 2], device=device)
    scores = x * 0.5
    shape = scores.shape
    flat = scores.reshape(-1, shape[-1])
    mask = lib.arange(shape[-1], device=device)[None, :] < lengths[:, None]
    flat[~mask] = -1e6
    weights = lib.nn.functional.softmax(flat.reshape(shape), dim=-1)
    (weights * x).sum().backward()
    return weights, x.grad


@program
def row_in_place_add(lib, device):
    x = leaf(lib, device, 3, 2)
    y = x * x
    y[1] += 10
    y[1] *= 3
    y.sum().backward()
    return y, x.grad


@program
def selected_row_variable(lib, device):
    x = leaf(lib, device, 3, 2)
    y = x * x
    row = y[1]
    row += 10
    row *= x[0]
    (y * y).sum().backward()
    return y, row, x.grad


@program
def chain_of_views(lib, device):
    x = leaf(lib, device, 2, 3, 4)
    y = x * 1.5
    v = y.transpose(0, 1)[1].t()[1:3].unsqueeze(0)
    v.mul_(x[0, 0, :2].reshape(1, 2, 1))
    (y * y).sum().backward()
    return y, v, x.grad


@program
def sibling_sees_change(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    a, b = y[:4], y[2:]
    a.mul_(3)
    (b * b).sum().backward()
    return a, b, x.grad


@program
def sibling_before_and_after(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    a, b = y[:4], y[2:]
    before = b.sum()
    a.mul_(3)
    after = b.sum()
    (before * 5 + after).backward()
    return a, b, x.grad


@program
def view_of_base_changed_later(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * 2
    v = y.view(3, 2)
    y.mul_(x)
    v.sum().backward()
    return y, v, x.grad


@program
def whole_copy_through_view(lib, device):
    x = leaf(lib, device, 2, 3)
    w = leaf(lib, device, 6, start=-1.0)
    y = x * 2
    y.view(-1).copy_(w * w)
    (y * y).sum().backward()
    return y, x.grad, w.grad


@program
def rows_of_buffer(lib, device):
    x = leaf(lib, device, 3, 4)
    out = lib.zeros(3, 4, device=device)
    for i in range(3):
        out[i].copy_(x[i] * (i + 1))
    out.sum().backward()
    return out, out.requires_grad, x.grad


@program
def rows_of_buffer_iterated(lib, device):
    x = leaf(lib, device, 3, 4)
    out = lib.zeros(3, 4, device=device)
    for row, source in zip(out.unbind(0), x * 3, strict=True):
        row[:] = source
    return out, x


@program
def buffer_columns(lib, device):
    x = leaf(lib, device, 4)
    out = lib.ones(4, 3, device=device)
    column = out[:, 1]
    column += x * x
    column *= 2
    (out * out).sum().backward()
    return out, column, column.requires_grad, x.grad


@program
def buffer_sibling_requires_grad(lib, device):
    x = leaf(lib, device, 3)
    base = lib.zeros(6, device=device)
    first, other = base[:3], base[1:4]
    first.copy_(x)
    (other * other).sum().backward()
    return base.requires_grad, other.requires_grad, other.is_leaf, x.grad


@program
def detached_view_writes(lib, device):
    x = leaf(lib, device, 3)
    y = x * 2
    d = y.detach()
    d[0] = 100
    y.sum().backward()
    return y, d, d.requires_grad, x.grad


@program
def detached_write_is_noticed(lib, device):
    x = leaf(lib, device, 3)
    y = x.exp()
    y.detach().view(-1)[0] = 100
    y.sum().backward()
    return x.grad


@program
def saved_value_changed_through_view(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * 2
    z = y * y
    y.view(-1)[0] = 3
    z.sum().backward()
    return x.grad


@program
def view_of_leaf(lib, device):
    x = leaf(lib, device, 2, 3)
    x.view(-1)[0] = 5
    return x


@program
def view_of_leaf_multiplied(lib, device):
    x = leaf(lib, device, 2, 3)
    v = x[0]
    v.mul_(2)
    return x


@program
def view_of_leaf_no_grad(lib, device):
    x = leaf(lib, device, 2, 3)
    with lib.no_grad():
        x.view(-1)[0] = 5
        x[1].mul_(2)
    (x * x).sum().backward()
    return x, x.grad


@program
def no_grad_write_through_view(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * 2
    v = y.view(-1)
    with lib.no_grad():
        v[0] = 50
    y.sum().backward()
    return y, v, x.grad


@program
def diagonal_filled(lib, device):
    x = leaf(lib, device, 3, 3)
    y = x * x
    y.diagonal().fill_(0)
    y.sum().backward()
    return y, x.grad


@program
def diagonal_of_transposed(lib, device):
    x = leaf(lib, device, 3, 4)
    y = x * x
    d = y.t().diagonal()
    d.sub_(x[:, 0])
    (y * x).sum().backward()
    return y, d, x.grad


@program
def transposed_columns(lib, device):
    x = leaf(lib, device, 3, 4)
    y = x.t() * 2
    y.t()[0].zero_()
    (y * y).sum().backward()
    return y, x.grad


@program
def nested_writes(lib, device):
    x = leaf(lib, device, 4, 4)
    y = x * 2
    block = y[1:3]
    block[:, 1:3] = x[:2, :2] * 5
    block[0].add_(1)
    (y * y).sum().backward()
    return y, block, x.grad


@program
def view_written_twice(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    v = y.view(2, 3)
    v[0] = x[:3] * 3
    v[0] = x[3:] * 4
    y.sum().backward()
    return y, x.grad


@program
def masked_fill_of_view(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * x
    y.view(-1).masked_fill_(lib.tensor([True, False, True, False, False, True], device=device), -1)
    (y * y).sum().backward()
    return y, x.grad


@program
def index_add_of_view(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * x
    y.view(-1).index_add_(0, lib.tensor([0, 0, 5], device=device), x[0])
    (y * y).sum().backward()
    return y, x.grad


@program
def scatter_of_view(lib, device):
    x = leaf(lib, device, 2, 3)
    y = x * x
    y.t().scatter_(0, lib.tensor([[2, 1]], device=device), x[:, :1].t() * 7)
    (y * y).sum().backward()
    return y, x.grad


@program
def relu_of_view(lib, device):
    x = leaf(lib, device, 2, 3, start=-1.2)
    y = x * 2
    y.view(-1).relu_()
    (y * y).sum().backward()
    return y, x.grad


@program
def clamp_of_view(lib, device):
    x = leaf(lib, device, 2, 3, start=-1.2)
    y = x * 2
    y[:, 1:].clamp_(-1, 1)
    (y * y).sum().backward()
    return y, x.grad


@program
def second_derivative(lib, device):
    x = leaf(lib, device, 4)
    y = x * x * x
    y.view(2, 2)[0].mul_(x[2:])
    (first,) = lib.autograd.grad((y * y).sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(first.sum(), x)
    return y, first, second


@program
def expanded_sibling(lib, device):
    x = leaf(lib, device, 3)
    y = x * 2
    wide = y.expand(2, 3)
    y[0] = 7
    (wide * wide).sum().backward()
    return wide, x.grad


@program
def write_into_expanded(lib, device):
    x = leaf(lib, device, 3)
    y = x * 2
    y.expand(2, 3).mul_(2)
    return y


@program
def grad_fn_names(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    v = y.view(2, 3)
    v.mul_(2)
    return v.grad_fn.name(), y.grad_fn.name(), v.is_leaf, y.is_leaf


@program
def hook_on_changed_view(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    v = y[:3]
    v.mul_(3)
    seen = []
    v.register_hook(lambda gradient: seen.append(gradient.clone()))
    (v.sum() + y.sum()).backward()
    return seen[0], x.grad


@program
def no_grad_view_written(lib, device):
    x = leaf(lib, device, 6)
    y = x * 2
    with lib.no_grad():
        v = y.view(2, 3)
    v.mul_(y[:3])
    return y


@program
def complex_parts(lib, device):
    x = leaf(lib, device, 4)
    z = lib.complex(x * 2, x * 3)
    lib.view_as_real(z)[1:3].mul_(2)
    z.real[0] = 5
    (z * z.conj()).real.sum().backward()
    return z, x.grad


@program
def lstm_gates_in_place(lib, device):
    x = leaf(lib, device, 2, 8)
    gates = x * 0.25
    gates[:, :2].sigmoid_()
    gates[:, 2:4].tanh_()
    (gates * gates).sum().backward()
    return gates, x.grad


@program
def functions_of_views_then_write(lib, device):
    x = leaf(lib, device, 4)
    y = x * 2
    v = y[:2]
    used = (v + 1).sum()
    v += 4
    (used + (v * 3).sum() + y.sum()).backward()
    return v, y, x.grad


@program
def box_coordinates(lib, device):
    x = leaf(lib, device, 2, 4)
    boxes = x.clone()
    boxes[..., 2:] += boxes[..., :2]
    boxes[..., [0, 2]] *= 10
    boxes[:, 0].clamp_(min=11)
    (boxes * x).sum().backward()
    return boxes, x.grad


@program
def squeeze_and_flatten(lib, device):
    x = leaf(lib, device, 2, 1, 3)
    y = x * 2
    v = y.squeeze(1).flatten()
    v[2:4] = v[:2] * 3
    (y * y).sum().backward()
    return y, v, x.grad


@program
def value_used_after_own_write(lib, device):
    x = leaf(lib, device, 3)
    y = x.sigmoid()
    y[:1].mul_(2)
    y.sum().backward()
    return x.grad


@program
def retained_gradient_of_base(lib, device):
    x = leaf(lib, device, 4)
    y = x * 2
    v = y.view(2, 2)
    v.mul_(3)
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad, x.grad


@program
def detach_in_place_of_base(lib, device):
    x = leaf(lib, device, 4)
    y = x * 2
    y.view(-1).add_(1)
    y.detach_()
    return y.requires_grad, y.is_leaf, y.grad_fn


@program
def float_buffer_of_other_dtype(lib, device):
    x = leaf(lib, device, 4)
    out = lib.zeros(2, 4, dtype=lib.float64, device=device)
    out[0].copy_(x)
    out[1].add_(x)
    (out * out).sum().backward()
    return out, x.grad


@program
def whole_numbers_take_no_gradient(lib, device):
    x = leaf(lib, device, 4)
    out = lib.zeros(2, 4, dtype=lib.int64, device=device)
    out[0].copy_(x)
    return out, out.requires_grad
