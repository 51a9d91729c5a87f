"""micrograd engine checked against torch, like test/test_engine.py"""

import math

import torch


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, other):
        out = Value(self.data**other, (self,), f"**{other}")

        def _backward():
            self.grad += (other * self.data ** (other - 1)) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(0 if self.data < 0 else self.data, (self,), "ReLU")

        def _backward():
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo, visited = [], set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        self.grad = 1
        for v in reversed(topo):
            v._backward()

    def __neg__(self):
        return self * -1

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + (-other)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return other * self**-1


def more_ops(a, b):
    c = a + b
    d = a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    g += 10.0 / f
    return g


a, b = Value(-4.0), Value(2.0)
g = more_ops(a, b)
g.backward()
apt, bpt = torch.Tensor([-4.0]).double(), torch.Tensor([2.0]).double()
apt.requires_grad, bpt.requires_grad = True, True
gpt = more_ops(apt, bpt)
gpt.backward()
print(f"{g.data:.4f} {a.grad:.4f} {b.grad:.4f}")
print(apt, bpt, gpt, sep="\n")
print(apt.grad, gpt.is_leaf, gpt.grad_fn.name())
print(gpt.data.item(), apt.grad.item(), bpt.grad.item())
tol = 1e-6
print(
    abs(g.data - gpt.data.item()) < tol,
    abs(a.grad - apt.grad.item()) < tol,
    abs(b.grad - bpt.grad.item()) < tol,
)

# a neuron
x1 = torch.Tensor([2.0]).double()
x1.requires_grad = True
x2 = torch.Tensor([0.0]).double()
x2.requires_grad = True
w1 = torch.Tensor([-3.0]).double()
w1.requires_grad = True
w2 = torch.Tensor([1.0]).double()
w2.requires_grad = True
bb = torch.Tensor([6.8813735870195432]).double()
bb.requires_grad = True
n = x1 * w1 + x2 * w2 + bb
o = torch.tanh(n)
print(o.data.item())
o.backward()
print("---")
for name, t in zip(("x2", "w2", "x1", "w1"), (x2, w2, x1, w1)):
    print(name, "%.6f" % t.grad.item())
v = [Value(t.item()) for t in (x1, x2, w1, w2, bb)]
ov = (v[0] * v[2] + v[1] * v[3] + v[4]).tanh()
ov.backward()
print([round(t.grad, 6) for t in v], o, o.dtype, torch.Tensor([2.0]).dtype, sep="\n")
