"""The forms in which programs for torch call its functions: positional, by torch's keyword names, `out=`.

A row is an expression of `t` (torch, or gpukit), `F` (its nn.functional) and these tensors:
`x` 2x3 floats, `y` 2x3 floats, `v` and `w` 3 floats, `m` 3x3 floats, `n` 2x3 whole numbers, `i` places, `b` 2x3 bools.
Several statements end in the value to compare. Names that gpukit lacks are none of this table's: `gpukit port` lists them.
"""

from __future__ import annotations

ELEMENTWISE = """
t.add(x, y, alpha=2)
t.add(input=x, other=y)
x.add(y, alpha=0.5)
x.add(other=y)
t.sub(x, y, alpha=2)
t.subtract(x, y)
t.mul(input=x, other=2)
t.multiply(x, y)
t.div(x, y, rounding_mode="floor")
t.div(x, y, rounding_mode="trunc")
t.div(x, y, rounding_mode=None)
t.divide(x, y)
t.true_divide(x, y)
t.pow(x.abs(), exponent=2)
t.pow(2, x)
t.pow(self=2, exponent=x)
t.clamp(x, -0.5, 0.5)
t.clamp(x, min=0)
t.clamp(x, max=0)
x.clamp(min=-0.5, max=0.5)
t.where(b, x, y)
t.where(b, x, 0.0)
t.where(b, 1.0, x)
t.where(condition=b, input=x, other=y)
x.where(b, y)
t.where(b)
t.round(x, decimals=1)
t.round(input=x)
t.nan_to_num(x, nan=0.0, posinf=1.0, neginf=-1.0)
t.nan_to_num(x, 0.0, 1.0, -1.0)
t.maximum(x, other=y)
t.remainder(x, 2)
t.atan2(input=x, other=y)
t.absolute(x)
t.negative(x)
t.positive(x)
t.clip(x, -1, 1)
t.clip(x, min=-1)
t.logical_and(n, b)
t.logical_not(n)
t.bitwise_and(n, 3)
t.bitwise_left_shift(n, 1)
t.sigmoid(input=x)
t.softmax(x, 1)
t.softmax(x, dim=-1, dtype=t.float64)
t.softmax(input=x, dim=0)
t.log_softmax(x, 1, dtype=t.float64)
x.softmax(-1)
x.softmax(dim=0)
t.exp(x, out=t.empty(2, 3))
t.add(x, y, out=t.empty(2, 3))
t.eq(x, other=y)
t.equal(x, other=x)
t.isclose(x, y, rtol=0.1, atol=0.2, equal_nan=True)
t.isclose(x, y, 0.1, 0.2, True)
t.allclose(x, y, 0.1, 0.2, True)
t.square(x)
t.gt(x, 0)
x.gt(other=0)
x.ne(y)
x.not_equal(y)
x.greater(y)
x.less_equal(y)
"""

REDUCTIONS = """
t.sum(x, 1, True)
t.sum(x, dim=(0, 1))
t.sum(input=x, dim=0, keepdim=True)
t.sum(n, dtype=t.float32)
x.sum(0, keepdim=True, dtype=t.float64)
x.sum(axis=1)
x.sum((0, 1))
x.sum([0, 1])
t.mean(x, 0, True)
t.mean(x, dim=[0, 1])
t.mean(x, (0, 1), keepdim=True)
t.mean(n, dtype=t.float32)
x.mean(axis=0)
t.prod(x, 1)
t.prod(x, dim=1, keepdim=True)
t.prod(n, dtype=t.float32)
t.std(x)
t.std(x, 0)
t.std(x, 0, False)
t.std(x, dim=0, unbiased=False, keepdim=True)
t.std(x, dim=0, correction=0)
t.std(x, False)
x.std(unbiased=False)
x.std(0, unbiased=True)
x.var(1, False)
t.var(x, dim=1, correction=0, keepdim=True)
t.var(x, 1, True, True)
t.max(x)
t.max(x, 1)
t.max(x, dim=1, keepdim=True)
t.max(x, y)
t.max(x, other=y)
t.max(x, 0, out=(t.empty(3), t.empty(3, dtype=t.int64)))
t.min(x, 1, True)
t.min(x, y)
t.min(x, 0, out=(t.empty(3), t.empty(3, dtype=t.int64)))
x.max(1)[1]
x.max(1).indices
x.max(axis=1).values
values, indices = x.max(dim=1); values + indices
x.max(y)
x.min(0, keepdim=True)
t.amax(x, 1)
t.amax(x, (0, 1), keepdim=True)
t.amin(x, dim=1, out=t.empty(2))
t.argmax(x)
t.argmax(x, 1, True)
t.argmax(x, dim=1, keepdim=True)
x.argmax(-1)
x.argmax(axis=1)
t.argmin(x, 0)
t.all(b)
t.all(b, 1)
t.all(b, dim=1, keepdim=True)
t.any(b, 0)
b.any(-1, True)
t.norm(x)
t.norm(x, 2)
t.norm(x, p=1, dim=1)
t.norm(x, 2, 1, True)
t.norm(x, p="fro")
t.norm(x, dim=1, keepdim=True)
x.norm(2, -1, True)
x.norm(p=2, dim=1)
x.norm(dim=1, p=2)
t.linalg.norm(x, dim=1)
t.linalg.vector_norm(x, 2, dim=1, keepdim=True)
t.linalg.norm(v, ord=2)
t.logsumexp(x, 1)
t.logsumexp(x, dim=(0, 1), keepdim=True)
t.cumsum(x, 1)
t.cumsum(x, dim=0, dtype=t.float64)
x.cumsum(-1)
x.cumsum(axis=0)
t.cumsum(x, 1, out=t.empty(2, 3))
t.cumprod(x, dim=1)
t.median(x)
t.median(x, 1)
t.median(x, dim=1, keepdim=True)
x.median(0).values
t.count_nonzero(x, dim=1)
t.bincount(i, minlength=5)
t.bincount(i, v, 4)
t.bincount(i, weights=v, minlength=4)
t.diff(x, n=1, dim=1)
t.diff(v, prepend=t.zeros(1), append=t.ones(2))
t.trace(m)
t.unique(n)
t.unique(n, sorted=True, return_inverse=True)
t.unique(n, True, True, True)
t.unique(n, return_counts=True)
t.unique(n, dim=0)
"""

ORDER = """
t.sort(x)
t.sort(x, 1)
t.sort(x, 1, True)
t.sort(x, dim=0, descending=True)
t.sort(x, dim=0, stable=True)
t.sort(x, stable=True, dim=1, descending=True)
t.sort(x, 0, out=(t.empty(2, 3), t.empty(2, 3, dtype=t.int64)))
x.sort(descending=True)
x.sort(1, True)
values, indices = x.sort(); indices
x.sort(stable=True).indices
t.argsort(x)
t.argsort(x, 1, True)
t.argsort(x, dim=0, descending=True)
t.argsort(x, dim=0, stable=True)
x.argsort(-1, descending=True)
t.topk(x, 2)
t.topk(x, 2, 1)
t.topk(x, 2, 1, False, True)
t.topk(x, k=2, dim=1, largest=False, sorted=True)
t.topk(x, 2, out=(t.empty(2, 2), t.empty(2, 2, dtype=t.int64)))
x.topk(1, dim=1)[1]
x.topk(2, -1, True)
t.searchsorted(v.sort()[0], w)
t.searchsorted(v.sort()[0], w, right=True)
t.searchsorted(v.sort()[0], 0.5, side="right")
t.isin(n, t.tensor([1, 2]))
t.isin(elements=n, test_elements=i)
t.nonzero(x)
t.nonzero(b, as_tuple=True)
b.nonzero()
b.nonzero(as_tuple=True)
t.argwhere(b)
"""

SHAPES = """
x.view(3, 2)
x.view((3, 2))
x.view(-1)
x.view(size=(6,))
x.reshape(3, -1)
x.reshape((3, 2))
x.reshape(shape=(3, 2))
t.reshape(x, (3, 2))
t.reshape(input=x, shape=(6,))
t.flatten(x)
t.flatten(x, 0, 1)
t.flatten(x, start_dim=0)
x.flatten(start_dim=0, end_dim=1)
t.squeeze(x.unsqueeze(0), 0)
t.squeeze(x.unsqueeze(0), dim=0)
t.squeeze(x.view(1, 2, 1, 3), (0, 2))
t.unsqueeze(x, 1)
t.unsqueeze(x, dim=-1)
x.unsqueeze(dim=0)
t.transpose(x, 0, 1)
t.transpose(x, dim0=0, dim1=1)
x.transpose(0, 1)
t.swapaxes(x, 0, 1)
t.swapaxes(x, axis0=0, axis1=1)
t.permute(x, (1, 0))
t.permute(x, dims=(1, 0))
x.permute(1, 0)
x.permute((1, 0))
x.permute(dims=(1, 0))
t.movedim(x, 0, 1)
t.movedim(x, source=0, destination=1)
t.moveaxis(x, 0, 1)
x.t()
x.T
m.mT
x.expand(4, 2, 3)
x.expand((4, 2, 3))
x.expand(size=(4, 2, 3))
x.expand(-1, 3)
x.expand_as(y)
x.view_as(y)
x.reshape_as(y)
x.repeat(2, 1)
x.repeat((2, 1))
t.tile(x, (2, 1))
t.tile(x, dims=(2,))
x.tile(2, 1)
t.repeat_interleave(x, 2)
t.repeat_interleave(x, 2, dim=1)
t.repeat_interleave(x, t.tensor([1, 2]), dim=0)
x.repeat_interleave(2, 0)
t.cat([x, y])
t.cat((x, y), 1)
t.cat(tensors=(x, y), dim=1)
t.cat([x, y], axis=1)
t.cat([x, y], dim=-1, out=t.empty(2, 6))
t.concat([x, y], dim=1)
t.concatenate([x, y], axis=0)
t.stack([x, y])
t.stack((x, y), 1)
t.stack([x, y], dim=-1)
t.hstack([x, y])
t.vstack((x, y))
t.split(x, 2, 1)
t.split(x, 2, dim=1)
t.split(x, [1, 2], dim=1)
x.split(1)
x.split(split_size=1, dim=1)
t.chunk(x, 2, 1)
t.chunk(x, chunks=2, dim=1)
x.chunk(2, dim=-1)
t.unbind(x)
t.unbind(x, 1)
x.unbind(dim=1)
t.narrow(x, 1, 0, 2)
x.narrow(dim=1, start=0, length=2)
x.select(1, 2)
t.flip(x, [0])
t.flip(x, dims=(0, 1))
x.flip(0)
x.flip(0, 1)
t.roll(x, 1)
t.roll(x, shifts=1, dims=0)
t.roll(x, (1, 1), (0, 1))
x.roll(1, 0)
t.diag(v)
t.diag(m, 1)
t.diag(m, diagonal=-1)
t.diagonal(m)
t.diagonal(m, offset=1, dim1=0, dim2=1)
t.tril(m)
t.tril(m, -1)
t.triu(m, diagonal=1)
m.triu(1)
t.meshgrid(v, w, indexing="ij")
t.meshgrid([v, w], indexing="xy")
t.broadcast_to(v, (2, 3))
t.broadcast_to(v, size=(2, 3))
t.broadcast_tensors(x, v)
t.ravel(x)
t.numel(x)
t.squeeze(x)
"""

PLACES = """
t.gather(x, 1, i.view(1, 3))
t.gather(x, dim=1, index=i.view(1, 3))
t.gather(input=x, dim=1, index=i.view(1, 3), sparse_grad=False)
x.gather(1, i.view(1, 3))
t.take(x, i)
t.take(input=x, index=i)
t.take_along_dim(x, t.argsort(x, dim=1), dim=1)
t.take_along_dim(x, indices=i.view(1, 3), dim=1)
t.index_select(x, 1, i)
t.index_select(x, dim=1, index=i)
x.index_select(1, i)
x.index_select(dim=1, index=i)
t.index_add(x, 1, i, y)
t.index_add(x, 1, i, y, alpha=2)
t.index_add(x, dim=1, index=i, source=y, alpha=-1)
x.index_add(1, i, y, alpha=0.5)
x.index_add_(1, i, y, alpha=2)
x.index_add_(dim=1, index=i, source=y)
t.scatter(x, 1, i.view(1, 3), y)
t.scatter(x, dim=1, index=i.view(1, 3), src=y)
t.scatter(x, 1, i.view(1, 3), 2.0)
t.scatter(x, 1, i.view(1, 3), value=2.0)
x.scatter(1, t.tensor([[2, 0, 1]]), 5.0)
x.scatter_(1, t.tensor([[2, 0, 1]]), y)
x.scatter_(1, t.tensor([[2, 0, 1]]), 1)
x.scatter_(1, t.tensor([[2, 0, 1]]), 2.0, reduce="multiply")
x.scatter_(1, t.tensor([[2, 0, 1]]), y, reduce="add")
t.scatter_add(x, 1, i.view(1, 3), y)
x.scatter_add_(1, i.view(1, 3), y)
x.scatter_add_(dim=1, index=i.view(1, 3), src=y)
t.masked_fill(x, b, 0.0)
t.masked_fill(x, mask=b, value=0.0)
x.masked_fill(b, float("-inf"))
x.masked_fill(b == 0, -1e9)
x.masked_fill_(b, 0)
x.masked_fill(b, t.tensor(3.0))
t.masked_select(x, b)
t.masked_select(x, mask=b)
x[b]
x[b].sum()
x[:, i]
x[..., None]
x[None]
x[[0, 1], [1, 2]]
x[(0, 1)]
x.fill_(value=2)
x.copy_(y)
x.copy_(src=v)
x.zero_()
"""

PRODUCTS = """
t.mm(m, m)
t.mm(input=m, mat2=m)
m.mm(m)
m.mm(mat2=m)
t.bmm(m[None], m[None])
t.bmm(m[None], mat2=m[None])
t.matmul(x, m)
t.matmul(input=x, other=m)
x.matmul(m)
x.matmul(other=m)
t.mv(m, v)
t.mv(m, vec=v)
t.dot(v, w)
t.dot(v, tensor=w)
t.outer(v, w)
t.outer(v, vec2=w)
t.addmm(x, x, m)
t.addmm(x, x, m, beta=0.5, alpha=2)
t.addmm(input=x, mat1=x, mat2=m)
x.addmm(x, m, beta=2, alpha=0.5)
t.einsum("ij,jk->ik", x, m)
t.einsum("ij,jk->ik", [x, m])
t.tensordot(x, m, dims=1)
t.tensordot(x, m, dims=([1], [0]))
t.tensordot(x, m, ([1], [0]))
t.linalg.matrix_norm(m)
t.matmul(x, m, out=t.empty(2, 3))
t.mm(m, m, out=t.empty(3, 3))
x @ m
v @ m
m.trace()
"""

MAKING = """
t.zeros(2, 3)
t.zeros((2, 3))
t.zeros(size=(2, 3))
t.zeros([2, 3], dtype=t.int64)
t.zeros(2, 3, dtype=t.float64, device="cpu", requires_grad=False)
t.zeros(2, 3, out=t.empty(2, 3))
t.zeros(())
t.ones(size=(2,))
t.full((2, 3), 1.5)
t.full(size=(2,), fill_value=3)
t.full((2,), True)
t.full_like(x, 2)
t.full_like(x, fill_value=2, dtype=t.int64)
t.zeros_like(x, dtype=t.int64)
t.zeros_like(input=x)
t.ones_like(x, requires_grad=True)
t.empty_like(x).shape
t.arange(5)
t.arange(1, 5)
t.arange(1, 5, 2)
t.arange(0, 1, 0.25)
t.arange(start=1, end=5, step=2)
t.arange(end=5)
t.arange(5, dtype=t.float32)
t.arange(5.0)
t.linspace(0, 1, 5)
t.linspace(start=0, end=1, steps=5)
t.linspace(0, 1, steps=3, dtype=t.float64)
t.eye(3)
t.eye(2, 3)
t.eye(n=2, m=3)
t.eye(3, dtype=t.int64)
t.tensor([1, 2])
t.tensor(data=[1, 2])
t.tensor([1, 2], dtype=t.float32)
t.tensor(3.5).item()
t.tensor([[1, 2], [3, 4]], dtype=t.float)
t.tensor(x)
t.as_tensor([1.0, 2.0])
t.as_tensor(x)
t.asarray([1, 2])
t.empty(2, 3).shape
t.empty((2, 3), dtype=t.int32).dtype
t.empty(size=(2, 3)).shape
x.new_zeros(2)
x.new_zeros((2, 3))
x.new_zeros(size=(2, 3))
x.new_ones((2, 3), dtype=t.int64)
x.new_full((2,), 7)
x.new_full(size=(2,), fill_value=7.0)
x.new_tensor([1, 2])
x.new_empty((2, 3)).shape
t.rand(2, 3).shape
t.rand((2, 3)).shape
t.rand(size=(2, 3)).shape
t.rand(2, generator=t.Generator()).shape
t.randn(2, 3, generator=t.Generator().manual_seed(1)).shape
t.randn(size=(2,)).shape
t.randint(10, (2, 3)).shape
t.randint(0, 10, (2, 3)).shape
t.randint(0, 10, (2,), dtype=t.int32).dtype
t.randint(low=0, high=10, size=(2, 3)).shape
t.randint(high=10, size=(2,)).shape
t.randperm(5).shape
t.randperm(n=5).sum()
t.randperm(5, generator=t.Generator()).shape
t.rand_like(x).shape
t.randn_like(x, dtype=t.float64).dtype
t.normal(0.0, 1.0, (2, 3)).shape
t.normal(mean=0.0, std=1.0, size=(2, 3)).shape
t.normal(v, w.abs()).shape
t.normal(v).shape
t.bernoulli(x.abs() / 9).shape
t.bernoulli(t.zeros(3), 1.0)
t.multinomial(w.abs() + 1, 2).shape
t.multinomial(input=w.abs() + 1, num_samples=2, replacement=True).shape
t.zeros(3).uniform_(0, 1).shape
t.zeros(3).uniform_(a=-1, b=1).shape
t.zeros(3).uniform_(**{"from": -1, "to": 1}).shape
t.zeros(3).normal_(0, 1).shape
t.zeros(3).normal_(mean=0, std=0.02).shape
t.from_numpy(__import__("numpy").ones(3))
t.frombuffer(bytearray(8), dtype=t.float32)
t.is_tensor(x)
t.is_floating_point(x)
t.get_default_dtype()
t.finfo(t.float32).eps
t.iinfo(t.int32).max
"""

TENSOR = """
x.to(t.float64)
x.to(dtype=t.float64)
x.to("cpu")
x.to(device="cpu")
x.to(t.device("cpu"))
x.to("cpu", t.float64)
x.to(device="cpu", dtype=t.float64, non_blocking=True)
x.to(y.double())
x.to(other=y.double())
x.to(t.float64, copy=True)
x.to("cpu", non_blocking=True, copy=True)
x.type(t.float64)
x.type(dtype=t.float64)
x.type()
x.type_as(n)
x.double()
x.long()
x.int()
x.bool()
x.half()
x.bfloat16()
x.float()
x.cpu()
x.numpy()
x.tolist()
x.detach()
x.data
x.size()
x.size(0)
x.size(dim=1)
x.shape[0]
x.dim()
x.ndimension()
x.nelement()
x.numel()
x.stride()
x.stride(0)
x.stride(dim=1)
x.element_size()
x.is_contiguous()
x.is_floating_point()
x.get_device()
x.device.type
x.dtype
x.requires_grad
x.requires_grad_(True).requires_grad
x.requires_grad_(requires_grad=False).requires_grad
x.storage_offset()
x.nbytes
x.itemsize
len(x)
x.abs_()
x.add_(1)
x.add_(y, alpha=2)
x.sub_(y, alpha=2)
x.mul_(2)
x.div_(2)
x.div_(2, rounding_mode="floor")
x.pow_(2)
x.neg_()
x.sqrt_()
x.exp_()
x.clamp_(-1, 1)
x.clamp_(min=0)
x.clip_(0, 1)
x.relu_()
x.sigmoid_()
x.tanh_()
x.round_()
x.floor_()
x.ceil_()
x.masked_fill_(b, 1)
x.swapaxes(0, 1)
x.eq(y).sum()
x.all()
x.zero_().sum()
x.index_select(0, t.tensor([0]))
x.lt(0).any()
(x > 0) & (y > 0)
~b
-x
x ** 2
2 ** x
x // 2
x % 2
1 - x
1 / (x + 10)
x.__len__()
x.view(t.int32)
x.is_cuda
x.is_leaf
x.names
x.grad
x.ndim
x.equal(y)
x.allclose(y)
x.isnan()
x.argmax().item()
round(v.sum().item(), 3)
"""

GRADIENTS = """
a = x.requires_grad_(); a.sum().backward(); a.grad
a = x.requires_grad_(); (a * 2).backward(t.ones(2, 3)); a.grad
a = x.requires_grad_(); (a * 2).backward(gradient=t.ones(2, 3), retain_graph=True); a.grad
a = x.requires_grad_(); c = y.requires_grad_(); (a * c).sum().backward(inputs=[a]); (a.grad, c.grad)
a = x.requires_grad_(); c = y.requires_grad_(); (a * c).sum().backward(inputs=a); (a.grad, c.grad)
a = x.requires_grad_(); t.autograd.grad(a.sum(), a)
a = x.requires_grad_(); t.autograd.grad(outputs=(a ** 2).sum(), inputs=[a], create_graph=True)
a = x.requires_grad_(); t.autograd.grad(a * 2, a, grad_outputs=t.ones(2, 3))
a = x.requires_grad_(); t.autograd.grad(a * 2, a, t.ones(2, 3), True)
a = x.requires_grad_(); t.autograd.grad(a.sum(), [a, y.requires_grad_()], allow_unused=True)
a = x.requires_grad_(); t.autograd.grad(a.sum(), y.requires_grad_(), materialize_grads=True)
a = x.requires_grad_(); a.register_hook(lambda g: g * 2); a.sum().backward(); a.grad
a = x.requires_grad_(); z = a * 2; z.retain_grad(); z.sum().backward(); z.grad
a = x.requires_grad_(); z = a * 2; z.sum().backward(retain_graph=True); z.sum().backward(); a.grad
a = t.tensor([1.0], requires_grad=True); a.grad = t.ones(1); a.grad
a = x.requires_grad_(); a.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(3)); a.sum().backward(); a.grad
t.no_grad()(lambda: x.requires_grad_() * 2)().requires_grad
t.set_grad_enabled(True); t.is_grad_enabled()
t.inference_mode(True)(lambda: x * 2)()
t.enable_grad()(lambda: (x.requires_grad_() * 2).requires_grad)()
t.autograd.set_grad_enabled(mode=True); t.is_grad_enabled()
t.nn.Parameter(x).requires_grad
t.nn.Parameter(data=x, requires_grad=False).requires_grad
t.nn.utils.clip_grad_norm_(t.nn.Parameter(x), 1.0)
t.nn.utils.clip_grad_norm_(parameters=[t.nn.Parameter(x)], max_norm=1.0, norm_type=2)
t.nn.utils.clip_grad_value_([t.nn.Parameter(x)], clip_value=0.5)
"""

FUNCTIONAL = """
F.relu(x)
F.relu(input=x, inplace=False)
F.relu(x.clone(), inplace=True)
F.relu(x.clone(), True)
F.leaky_relu(x, 0.1)
F.leaky_relu(x, negative_slope=0.1, inplace=False)
F.elu(x, alpha=0.5)
F.elu(x, 0.5, False)
F.silu(x)
F.silu(x, inplace=False)
F.gelu(x)
F.gelu(x, approximate="tanh")
F.gelu(x, approximate="none")
F.softplus(x)
F.softplus(x, beta=2, threshold=10)
F.logsigmoid(x)
F.softmax(x, 1)
F.softmax(x, dim=1, dtype=t.float64)
F.softmax(x, -1)
F.log_softmax(x, dim=1)
F.log_softmax(x, 1)
F.sigmoid(x)
F.tanh(x)
F.linear(x, m)
F.linear(x, m, v)
F.linear(input=x, weight=m, bias=v)
F.one_hot(i, 4)
F.one_hot(i, num_classes=4)
F.one_hot(i)
F.embedding(i, m)
F.embedding(input=i, weight=m, padding_idx=0)
F.embedding(i, m, 0, None, 2.0, False, False)
F.layer_norm(x, (3,))
F.layer_norm(x, [3], v, w)
F.layer_norm(x, normalized_shape=(3,), weight=v, bias=w, eps=1e-6)
F.dropout(x, 0.0)
F.dropout(x, p=0.5, training=False)
F.dropout(x, 0.5, False, True)
F.cross_entropy(x, t.tensor([0, 2]))
F.cross_entropy(input=x, target=t.tensor([0, 2]), weight=v.abs(), reduction="sum")
F.cross_entropy(x, t.tensor([0, 2]), v.abs())
F.cross_entropy(x, t.tensor([0, 2]), ignore_index=2)
F.cross_entropy(x, t.tensor([0, 2]), reduction="none")
F.cross_entropy(x, t.tensor([0, 2]), label_smoothing=0.1)
F.cross_entropy(x, F.softmax(y, 1))
F.cross_entropy(x, t.tensor([0, 3]))
F.cross_entropy(x, t.tensor([0, 2], dtype=t.int32))
F.cross_entropy(x, t.tensor([0.0, 2.0]))
F.nll_loss(F.log_softmax(x, 1), t.tensor([0, 2]))
F.nll_loss(F.log_softmax(x, 1), t.tensor([0, 2]), reduction="sum")
F.nll_loss(F.log_softmax(x, 1), t.tensor([0, 2]), v.abs(), None, -100, None, "mean")
F.mse_loss(x, y)
F.mse_loss(input=x, target=y, reduction="sum")
F.mse_loss(x, y, reduction="none")
F.mse_loss(x, y, None, None, "sum")
F.mse_loss(x, y, reduce=False)
F.mse_loss(x, y, weight=y.abs())
F.l1_loss(x, y)
F.l1_loss(x, y, reduction="none")
F.l1_loss(x, y, size_average=False)
F.smooth_l1_loss(x, y, beta=0.5)
F.smooth_l1_loss(x, y, reduction="sum")
F.huber_loss(x, y, delta=0.5)
F.huber_loss(x, y, "sum")
F.binary_cross_entropy(t.sigmoid(x), b.float())
F.binary_cross_entropy(input=t.sigmoid(x), target=b.float(), weight=y.abs(), reduction="sum")
F.binary_cross_entropy(t.sigmoid(x), b.float() + 0.5)
F.binary_cross_entropy(t.sigmoid(x), b.float() - 0.5)
F.binary_cross_entropy(x, b.float())
F.binary_cross_entropy(t.sigmoid(x), b)
F.binary_cross_entropy(t.sigmoid(x), b.float()[0])
F.binary_cross_entropy(t.sigmoid(x), b.double())
F.binary_cross_entropy_with_logits(x, b.float())
F.binary_cross_entropy_with_logits(x, b.float(), pos_weight=v.abs())
F.binary_cross_entropy_with_logits(x, b.float(), None, None, None, "sum")
F.binary_cross_entropy_with_logits(x, b.float() + 5)
F.binary_cross_entropy_with_logits(x, b.float()[0])
"""

LAYERS = """
t.nn.Linear(3, 2, False)(x).shape
t.nn.Linear(in_features=3, out_features=2, bias=True, device="cpu", dtype=t.float32)(x).shape
t.nn.Sequential(t.nn.Linear(3, 4), t.nn.ReLU())(x).shape
t.nn.Sequential(__import__("collections").OrderedDict(a=t.nn.Linear(3, 4), r=t.nn.ReLU()))(x).shape
t.nn.ReLU(inplace=True)(x.clone())
t.nn.ReLU(True)(x.clone())
t.nn.LeakyReLU(0.2, inplace=False)(x)
t.nn.ELU(0.5)(x)
t.nn.GELU(approximate="tanh")(x)
t.nn.SiLU()(x)
t.nn.Softplus(2)(x)
t.nn.Softmax(1)(x)
t.nn.Softmax(dim=-1)(x)
t.nn.LogSoftmax(dim=1)(x)
t.nn.Tanh()(x)
t.nn.Sigmoid()(x)
t.nn.Dropout(0.5).eval()(x)
t.nn.Dropout(p=0.5, inplace=False).eval()(x)
t.nn.Flatten()(x[None]).shape
t.nn.Flatten(start_dim=1, end_dim=-1)(x[None]).shape
t.nn.Identity(54, unused=1)(x)
t.nn.LayerNorm(3)(x)
t.nn.LayerNorm([2, 3], eps=1e-5, elementwise_affine=False)(x)
t.nn.LayerNorm(3, bias=False)(x)
t.nn.Embedding(5, 2)(i).shape
t.nn.Embedding(num_embeddings=5, embedding_dim=2, padding_idx=0)(i).shape
t.nn.CrossEntropyLoss()(x, t.tensor([0, 1]))
t.nn.CrossEntropyLoss(weight=v.abs(), ignore_index=1, reduction="sum", label_smoothing=0.1)(x, t.tensor([0, 1]))
t.nn.CrossEntropyLoss(v.abs())(x, t.tensor([0, 1]))
t.nn.NLLLoss()(F.log_softmax(x, 1), t.tensor([0, 1]))
t.nn.MSELoss(reduction="none")(x, y)
t.nn.MSELoss(None, None, "sum")(x, y)
t.nn.L1Loss(reduction="sum")(x, y)
t.nn.SmoothL1Loss(beta=0.5)(x, y)
t.nn.HuberLoss("mean", 0.5)(x, y)
t.nn.HuberLoss(delta=0.5)(x, y)
t.nn.BCELoss()(t.sigmoid(x), b.float())
t.nn.BCELoss()(x, b.float())
t.nn.BCEWithLogitsLoss(pos_weight=v.abs())(x, b.float())
t.nn.BCEWithLogitsLoss(reduction="sum")(x, b.float())
t.nn.ModuleList([t.nn.ReLU()]).append(t.nn.Tanh()).__len__()
t.nn.ModuleDict({"a": t.nn.ReLU()})["a"](x)
t.nn.init.zeros_(t.empty(2, 3))
t.nn.init.ones_(tensor=t.empty(2, 3))
t.nn.init.constant_(t.empty(2, 3), 0.3)
t.nn.init.constant_(tensor=t.empty(2, 3), val=0.3)
t.nn.init.uniform_(t.empty(2, 3), a=0.0, b=1.0).shape
t.nn.init.normal_(t.empty(2, 3), mean=0.0, std=0.02).shape
t.nn.init.xavier_uniform_(t.empty(2, 3), gain=2.0).shape
t.nn.init.xavier_normal_(t.empty(2, 3)).shape
t.nn.init.kaiming_uniform_(t.empty(2, 3), a=0, mode="fan_in", nonlinearity="relu").shape
t.nn.init.kaiming_normal_(t.empty(2, 3), mode="fan_out", nonlinearity="relu").shape
t.nn.init.calculate_gain("relu")
t.nn.Linear(3, 2).weight.shape
[k for k, _ in t.nn.Linear(3, 2).named_parameters(prefix="p")]
[k for k, _ in t.nn.Sequential(t.nn.Linear(3, 2)).named_modules(prefix="net")]
sum(p.numel() for p in t.nn.Linear(3, 2).parameters(recurse=True))
t.nn.Linear(3, 2).to(t.float64).weight.dtype
t.nn.Linear(3, 2).to(device="cpu", dtype=t.float64).weight.dtype
t.nn.Linear(3, 2).double().weight.dtype
t.nn.Linear(3, 2).train(mode=False).training
t.nn.Linear(3, 2).requires_grad_(False).weight.requires_grad
list(t.nn.Linear(3, 2).state_dict(prefix="a."))
t.nn.Linear(3, 2).load_state_dict(t.nn.Linear(3, 2).state_dict(), strict=True)
t.nn.Linear(3, 2).apply(lambda layer: None).in_features
t.nn.Linear(3, 2).get_parameter("weight").shape
t.nn.Sequential(t.nn.ReLU()).get_submodule("0")(x)
"""

OPTIMIZERS = """
t.optim.SGD([t.nn.Parameter(x)], 0.1).defaults["lr"]
t.optim.SGD([t.nn.Parameter(x)], lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True, maximize=False).defaults["momentum"]
t.optim.SGD([t.nn.Parameter(x)], 0.1, 0.9).defaults["momentum"]
t.optim.SGD(params=[{"params": [t.nn.Parameter(x)], "lr": 0.5}], lr=0.1).param_groups[0]["lr"]
t.optim.Adam([t.nn.Parameter(x)], 1e-3, (0.9, 0.99)).defaults["betas"]
t.optim.Adam([t.nn.Parameter(x)], lr=1e-3, betas=(0.9, 0.99), eps=1e-7, weight_decay=0.1, amsgrad=False).defaults["eps"]
t.optim.Adam([t.nn.Parameter(x)], amsgrad=True).defaults["amsgrad"]
t.optim.Adam([t.nn.Parameter(x)], fused=False, foreach=None).defaults["lr"]
t.optim.AdamW([t.nn.Parameter(x)], lr=1e-3, weight_decay=0.01).defaults["weight_decay"]
t.optim.RMSprop([t.nn.Parameter(x)], lr=0.01, alpha=0.9, momentum=0.1, centered=False).defaults['alpha']
t.optim.Adagrad([t.nn.Parameter(x)], lr=0.01, lr_decay=0.1).defaults["lr_decay"]
t.optim.lr_scheduler.StepLR(t.optim.SGD([t.nn.Parameter(x)], 0.1), 2, 0.5).get_last_lr()
t.optim.lr_scheduler.StepLR(optimizer=t.optim.SGD([t.nn.Parameter(x)], 0.1), step_size=2, gamma=0.5, last_epoch=-1).get_last_lr()
t.optim.lr_scheduler.MultiStepLR(t.optim.SGD([t.nn.Parameter(x)], 0.1), milestones=[1, 2], gamma=0.1).get_last_lr()
t.optim.lr_scheduler.ExponentialLR(t.optim.SGD([t.nn.Parameter(x)], 0.1), gamma=0.9).get_last_lr()
t.optim.lr_scheduler.CosineAnnealingLR(t.optim.SGD([t.nn.Parameter(x)], 0.1), T_max=10, eta_min=0.01).get_last_lr()
t.optim.lr_scheduler.LambdaLR(t.optim.SGD([t.nn.Parameter(x)], 0.1), lr_lambda=lambda e: 0.5).get_last_lr()
t.optim.lr_scheduler.ReduceLROnPlateau(t.optim.SGD([t.nn.Parameter(x)], 0.1), mode="min", factor=0.5, patience=3, threshold=1e-3, min_lr=1e-6).factor
p = t.nn.Parameter(x); o = t.optim.SGD([p], 0.1); p.sum().backward(); o.step(); o.zero_grad(set_to_none=True); (p, p.grad)
p = t.nn.Parameter(x); o = t.optim.SGD([p], 0.1); p.sum().backward(); o.zero_grad(False); p.grad
p = t.nn.Parameter(x); o = t.optim.Adam([p], 0.1); (p ** 2).sum().backward(); o.step(closure=None); p
p = t.nn.Parameter(x); o = t.optim.SGD([p], 0.1); o.step(lambda: (p ** 2).sum())
p = t.nn.Parameter(x); o = t.optim.SGD([p], 0.1); o.add_param_group({"params": [t.nn.Parameter(y)]}); len(o.param_groups)
p = t.nn.Parameter(x); o = t.optim.Adam([p]); o.load_state_dict(o.state_dict()); len(o.state_dict()["param_groups"])
"""

DATA = """
len(t.utils.data.TensorDataset(x, n))
[a.shape for a, _ in t.utils.data.DataLoader(t.utils.data.TensorDataset(x, n), 1)]
[a.shape for a, _ in t.utils.data.DataLoader(dataset=t.utils.data.TensorDataset(x, n), batch_size=2, shuffle=True, drop_last=True)]
[a.shape for a, _ in t.utils.data.DataLoader(t.utils.data.TensorDataset(x, n), 2, False, num_workers=0, pin_memory=False)]
[a for a in t.utils.data.DataLoader([1, 2, 3], batch_size=2)]
[a for a in t.utils.data.DataLoader([1, 2, 3], batch_size=2, collate_fn=sum)]
[a for a in t.utils.data.DataLoader([1, 2, 3], sampler=[2, 0])]
[a for a in t.utils.data.DataLoader([1, 2, 3], batch_sampler=[[2, 0], [1]])]
[len(a) for a in t.utils.data.random_split(range(10), [7, 3])]
[len(a) for a in t.utils.data.random_split(range(10), [0.7, 0.3], generator=t.Generator().manual_seed(0))]
list(t.utils.data.Subset([1, 2, 3], [0, 2]))
"""

TABLES = {
    "elementwise": ELEMENTWISE,
    "reductions": REDUCTIONS,
    "order": ORDER,
    "shapes": SHAPES,
    "places": PLACES,
    "products": PRODUCTS,
    "making": MAKING,
    "tensor": TENSOR,
    "gradients": GRADIENTS,
    "functional": FUNCTIONAL,
    "layers": LAYERS,
    "optimizers": OPTIMIZERS,
    "data": DATA,
}
ROWS = [row for text in TABLES.values() for row in text.strip().splitlines()]

# What gpukit answers otherwise, and why.
LEGACY = "size_average and reduce, which torch warns of since 0.4.1, are taken by name only"
LAXER = "gpukit answers where torch refuses"
DIFFERENT = {
    "t.pow(self=2, exponent=x)": "torch calls the number `self` here and `input` elsewhere",
    "t.gather(input=x, dim=1, index=i.view(1, 3), sparse_grad=False)": "there are no sparse tensors",
    "x.copy_(src=v)": LAXER,
    "t.randint(high=10, size=(2,)).shape": "not built: low by name, or randint(10, (2,))",
    "x.to(other=y.double())": LAXER,
    "t.nn.utils.clip_grad_value_([t.nn.Parameter(x)], clip_value=0.5)": LAXER,
    'F.nll_loss(F.log_softmax(x, 1), t.tensor([0, 2]), v.abs(), None, -100, None, "mean")': LEGACY,
    'F.mse_loss(x, y, None, None, "sum")': LEGACY,
    "F.mse_loss(x, y, weight=y.abs())": "not built",
    "F.binary_cross_entropy(t.sigmoid(x), b)": LAXER,
    "F.binary_cross_entropy(t.sigmoid(x), b.double())": LAXER,
    'F.binary_cross_entropy_with_logits(x, b.float(), None, None, None, "sum")': LEGACY,
    't.nn.MSELoss(None, None, "sum")(x, y)': LEGACY,
}
