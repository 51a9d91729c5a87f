"""Forms of calls of methods, layers, losses, optimizers and data: rows as call_forms.py has them."""

from __future__ import annotations

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
