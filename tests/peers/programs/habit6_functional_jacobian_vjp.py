import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp


def exp_reducer(x):
    return x.exp().sum(dim=1)


inputs = torch.arange(4.0).view(2, 2) / 4
print(jacobian(exp_reducer, inputs))
print(jacobian(exp_reducer, inputs, create_graph=True).requires_grad)


def exp_adder(x, y):
    return 2 * x.exp() + 3 * y


pair = (torch.tensor([0.1, 0.2]), torch.tensor([1.0, 2.0]))
print(jacobian(exp_adder, pair))


def pow_reducer(x):
    return x.pow(3).sum()


print(hessian(pow_reducer, inputs))


def pow_adder_reducer(x, y):
    return (2 * x.pow(2) + 3 * y.pow(2)).sum()


print(hessian(pow_adder_reducer, pair))
v = torch.ones(2)
print(vjp(exp_reducer, inputs, v))
print(vjp(exp_adder, pair, v))
print(jvp(exp_reducer, inputs, torch.ones(2, 2)))
print(vhp(pow_reducer, inputs, torch.ones(2, 2)))
print(hvp(pow_reducer, inputs, torch.ones(2, 2)))
out, g = vjp(exp_reducer, inputs, v, create_graph=True)
print(out.grad_fn is not None, g.shape)
try:
    vjp(exp_reducer, inputs)
except RuntimeError:
    print("v is needed")
print(jacobian(lambda x: x[:1] * 0 + 3, torch.ones(2), strict=False))
try:
    jacobian(lambda x: torch.ones(2), torch.ones(2), strict=True)
except RuntimeError:
    print("strict")
print(jacobian(exp_reducer, inputs, vectorize=True).shape)
