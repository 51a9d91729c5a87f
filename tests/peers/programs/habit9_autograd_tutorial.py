import torch

x = torch.ones(5)
y = torch.zeros(3)
w = torch.linspace(-1, 1, 15).view(5, 3).requires_grad_()
b = torch.zeros(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(f"Gradient function for z = {z.grad_fn.name()}")
print(f"Gradient function for loss = {loss.grad_fn.name()}")
loss.backward()
print(w.grad)
print(b.grad)
print(z.requires_grad, z.detach().requires_grad)
inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out))
print(f"\nCall after zeroing gradients\n{inp.grad}")
a = torch.tensor([2.0, 3.0], requires_grad=True)
c = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - c**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad, -2 * c == c.grad, Q, a, c.grad)
x = torch.tensor(1.0, requires_grad=True)
y = x
n = 0
while y.data.norm() < 1000:
    y = y * 2
    n += 1
y.backward()
print(n, y, x.grad, type(y.grad_fn).__name__, y.is_leaf)
f = lambda v: v**3 + 2 * v
x = torch.tensor(2.0, requires_grad=True)
y = f(x)
(d1,) = torch.autograd.grad(y, x, create_graph=True)
(d2,) = torch.autograd.grad(d1, x, create_graph=True)
(d3,) = torch.autograd.grad(d2, x)
print(y, d1, d2, d3)


def walk(fn, depth=0, out=None):
    out = [] if out is None else out
    if fn is not None:
        out.append("  " * depth + fn.name())
        for g, _ in fn.next_functions:
            walk(g, depth + 1, out)
    return out


m = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
l = m(torch.ones(4, 2)).mean()
print(walk(l.grad_fn)[:2])
u = torch.tensor([1.0, 2.0], requires_grad=True)
v = u.clone()
v[0] = 5.0
v.sum().backward()
print(v, u.grad)
u.grad = None
s = u.detach()
s[0] = 9
print(u, s)
try:
    u.sum().backward()
    (u * u).backward()
except RuntimeError as e:
    print("refused")
try:
    q = u**2
    q.sum().backward()
    q.sum().backward()
except RuntimeError as e:
    print("refused")
try:
    torch.ones(2).sum().backward()
except RuntimeError as e:
    print("refused")
try:
    u[0] = 1.0
except RuntimeError as e:
    print("refused")
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print("refused")
try:
    u.numpy()
except RuntimeError as e:
    print("refused")
try:
    u.requires_grad = False
    (u * 2).sum().backward()
except RuntimeError as e:
    print("refused")
try:
    w2 = w * 2
    w2.requires_grad = False
except RuntimeError as e:
    print("refused")
try:
    import copy

    copy.deepcopy(w * 2)
except RuntimeError as e:
    print("refused")
try:
    w.grad = torch.ones(2)
except RuntimeError as e:
    print("refused")
with torch.autograd.detect_anomaly(check_nan=True):
    try:
        t = torch.tensor([0.0], requires_grad=True)
        (torch.sqrt(t) * 0).sum().backward()
    except RuntimeError as e:
        print("refused")
with torch.no_grad():
    k = w * 2
    print(k.requires_grad, type(k.grad_fn).__name__)
    w.sub_(0.1 * w.grad)
    print(w)
with torch.inference_mode():
    k = w * 2
print(k.is_inference(), torch.is_inference_mode_enabled())
p = torch.nn.Parameter(torch.zeros(2))
print(
    p,
    p.requires_grad,
    p.is_leaf,
    isinstance(p, torch.Tensor),
    type(p.data),
    p.grad,
    p * 1,
    p + torch.ones(2),
    -p,
    p[0],
    p.sum(),
    p.view(1, 2),
    p.T,
    p.detach(),
    p.clone(),
    torch.nn.Parameter(p.data),
    sep="\n",
)
g = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
outs = [
    g.sum(),
    g.mean(),
    g.max(),
    g.norm(),
    g.prod(),
    g.std(),
    g.var(),
    g.median(),
    g.logsumexp((0, 1)),
    g.det() if False else g.trace(),
    g.inverse().sum(),
    g.cumsum(0).sum(),
    g.sort(descending=True)[0][0].sum(),
    g.topk(1)[0].sum(),
    g.softmax(1)[0, 0],
    (g @ g).sum(),
    g.pow(3).sum(),
    g.tril().sum(),
    g.flip(0)[0, 0],
    g[g > 2].sum(),
    torch.where(g > 2, g, g * 0).sum(),
    g.clamp(1.5, 3.5).sum(),
    g.abs().sqrt().sum(),
    torch.einsum("ij,ji->", g, g),
    torch.cat([g, g]).sum(),
    g.repeat(2, 2).sum(),
    g.expand(3, 2, 2).sum(),
    g.gather(1, torch.tensor([[0], [1]])).sum(),
    g.index_select(0, torch.tensor([1])).sum(),
    g.masked_fill(g > 3, 0).sum(),
    g.view(-1)[1:3].sum(),
    g.t().reshape(-1).dot(torch.arange(4.0)),
    g.unfold(0, 2, 1).sum(),
    g.diagonal().prod(),
    g.roll(1, 0)[0].sum(),
    torch.cdist(g, g + 1).sum(),
    torch.linalg.svdvals(g).sum(),
    torch.logdet(g @ g.T),
    g.atan2(g + 1).sum(),
    torch.nn.functional.normalize(g).sum(),
    torch.nn.functional.cosine_similarity(g, g + 1).sum(),
    g.double().sum(),
    g.sin().cos().tan().sum(),
    g.erf().sum(),
    g.lgamma().sum(),
    g.kthvalue(1)[0].sum(),
    g.amax(0).sum(),
    g.aminmax()[0],
    g.cummax(0)[0].sum(),
    g.logcumsumexp(1).sum(),
    g.renorm(2, 0, 1.0).sum(),
    g.cross(g, dim=0).sum() if False else g.outer(g) if False else g.ravel().outer(g.ravel()).sum(),
]
for i, o in enumerate(outs):
    (gr,) = torch.autograd.grad(o, g, retain_graph=True)
    print(i, o, gr.tolist() if gr.dtype == torch.int else gr)
