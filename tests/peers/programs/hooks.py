import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.retain_grad()
seen = []
handle = y.register_hook(lambda grad: seen.append(grad.tolist()))
(y**2).sum().backward()
print(y.grad, x.grad, seen)
handle.remove()
x.grad = None
doubled = x.register_hook(lambda grad: grad * 10)
x.sum().backward()
print(x.grad)
doubled.remove()
net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
shapes = {}
handles = [
    m.register_forward_hook(lambda m, inputs, output: shapes.update({type(m): output.shape}))
    for m in net.children()
]
before = net.register_forward_pre_hook(lambda m, inputs: (inputs[0] * 0,))
print(net(torch.ones(4, 2)).equal(net(torch.zeros(4, 2))), list(shapes.values()))
for handle in [*handles, before]:
    handle.remove()
shapes.clear()
print(net(torch.ones(4, 2)).shape, shapes)
(g,) = torch.autograd.grad((x**3).sum(), x)
print(g)
x.grad.zero_()
(x * x).backward(torch.ones(2))
print(x.grad)
