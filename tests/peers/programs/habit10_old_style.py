import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import FloatTensor, LongTensor
from torch.autograd import Variable

x = Variable(torch.Tensor([[1, 2], [3, 4]]), requires_grad=True)
print(x.data, x.volatile if False else x.requires_grad, x.grad)
out = torch.mean(3 * (x + 2) * (x + 2))
out.backward()
print(
    x.grad.data,
    out.data.item() if out.data.dim() == 0 else out.data[0],
    x.creator if False else None,
)
a = torch.Tensor(2, 3).zero_()
b = FloatTensor([[1, 2, 3], [4, 5, 6]])
idx = LongTensor([0, 2])
print(
    a + b,
    b.index_select(1, idx),
    torch.cat([a, b], 0).size(),
    b.type(),
    b.type(torch.LongTensor),
    b.type("torch.DoubleTensor").type(),
    b.int().type(),
    b.size(0),
    b.nelement(),
    b.dim(),
    b.t(),
    b.view(-1),
    b.cuda if False else 0,
)
print(
    torch.mm(b, b.t()),
    torch.addmm(torch.ones(2, 2), b, b.t()),
    torch.clamp(b, min=2, max=5),
    torch.sum(b, 1),
    torch.sum(b, 1, keepdim=True),
    torch.max(b, 1)[1],
    b.max(1, keepdim=True)[0],
    torch.pow(b, 2),
    torch.sqrt(b),
    torch.norm(b),
    torch.norm(b, 2, 1),
    torch.mul(b, 2),
    torch.div(b, 2),
    torch.sub(b, 1),
    torch.eq(b, 2),
    torch.gt(b, 2),
    torch.ge(b, 2).sum(),
    torch.le(b, 2),
    torch.ne(b, 2),
    torch.lt(b, 3),
    torch.equal(b, b),
    torch.cumsum(b, 0),
    torch.numel(b),
    torch.squeeze(b.unsqueeze(0)),
    torch.transpose(b, 0, 1),
    torch.sign(b - 3),
    torch.remainder(b, 2),
    torch.fmod(b, 2),
    torch.frac(b / 2),
    torch.trunc(b / 2),
    torch.ceil(b / 2),
    torch.rsqrt(b),
    torch.reciprocal(b),
    torch.neg(b),
    torch.sigmoid(b),
    torch.tanh(b),
    torch.exp(b),
    torch.log(b),
    torch.log1p(b),
    torch.cos(b),
    torch.acos(b / 10),
    torch.atan2(b, b),
    torch.addcmul(b, b, b, value=0.5),
    torch.addcdiv(b, b, b),
    torch.lerp(b, b * 2, 0.5),
    torch.bmm(b[None], b.t()[None]),
    torch.ger(torch.ones(2), torch.arange(2.0)),
    torch.mv(b, torch.ones(3)),
    torch.dot(b[0], b[1]),
    sep="\n",
)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 2, kernel_size=3)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(18, 5)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = self.conv2_drop(x)
        x = x.view(-1, self.num_flat_features(x))
        x = F.dropout(x, training=self.training)
        return F.log_softmax(self.fc1(x), dim=1)

    def num_flat_features(self, x):
        size = x.size()[1:]
        num_features = 1
        for s in size:
            num_features *= s
        return num_features


net = Net()
for p in net.parameters():
    p.data.fill_(0.05)
net.eval()
inp = Variable(torch.arange(64).float().view(1, 1, 8, 8) / 64)
target = Variable(LongTensor([2]))
o = net(inp)
loss = F.nll_loss(o, target)
net.zero_grad()
loss.backward()
print(o, loss.data, net.fc1.bias.grad.data, net.conv1.bias.grad)
lr = 0.01
for f in net.parameters():
    f.data.sub_(f.grad.data * lr)
print(
    net.fc1.bias.data,
    F.sigmoid(torch.zeros(1)),
    F.tanh(torch.ones(1)),
    F.softmax(torch.ones(2), 0),
    nn.Softmax(0)(torch.ones(2)),
    len(list(net.parameters())),
    list(net.parameters())[0].size(),
)
pred = o.data.max(1, keepdim=True)[1]
correct = pred.eq(target.data.view_as(pred)).long().cpu().sum()
print(pred, correct, "{}/{} ({:.0f}%)".format(correct, 1, 100.0 * correct / 1))
for t in (
    torch.FloatTensor,
    torch.DoubleTensor,
    torch.IntTensor,
    torch.ByteTensor,
    torch.ShortTensor,
    torch.CharTensor,
):
    print(t([1, 2]), t(1).size(), t.dtype if hasattr(t, "dtype") else "")
y = torch.zeros(3, 4)
y.scatter_(1, torch.LongTensor([[0], [2], [1]]), 1)
print(
    y,
    y.narrow(0, 0, 2),
    y.select(1, 0),
    torch.masked_select(y, y.byte().bool()),
    y.unfold(1, 2, 1).size(),
    y.storage_offset(),
    y.is_contiguous(),
    y.expand_as(torch.zeros(2, 3, 4)).size(),
    y.new(2).fill_(1),
    y.new().size(),
    y.index_add_(0, torch.LongTensor([0]), torch.ones(1, 4))[0],
    y.unsqueeze(0).repeat(2, 1, 1).size(),
    y.chunk(2, 0)[0].size(),
    torch.split(y, 2, 0)[1].size(),
    torch.multinomial(torch.Tensor([0, 1, 0]), 1),
    torch.bernoulli(torch.Tensor([1, 0])),
    torch.linspace(1, 2, 3),
    torch.histc(torch.Tensor([1, 2, 1]), 4, 0, 3),
    torch.trace(y[:, :3]),
    torch.triu(y),
    torch.eye(2),
    torch.diag(torch.Tensor([1, 2])),
    torch.sort(torch.Tensor([3, 1, 2])),
    torch.topk(torch.Tensor([3, 1, 2]), 1),
    torch.kthvalue(torch.Tensor([3, 1, 2]), 2),
    torch.mode(torch.Tensor([1, 1, 2])),
    torch.median(torch.Tensor([1, 3, 2])),
    torch.std(torch.Tensor([1, 3])),
    torch.var(torch.Tensor([1, 3])),
    torch.prod(torch.Tensor([2, 3])),
    torch.cross(torch.Tensor([[1, 0, 0]]), torch.Tensor([[0, 1, 0]]), dim=1),
    torch.inverse(torch.eye(2)),
    torch.svd(torch.eye(2))[1],
    torch.qr(torch.eye(2))[0].abs() if hasattr(torch, "qr") else 0,
    torch.is_tensor(y),
    torch.unbind(y, 1)[0],
    sep="\n",
)
crit = nn.MSELoss(size_average=False)
print(
    crit(torch.ones(2), torch.zeros(2)),
    nn.L1Loss(reduce=False)(torch.ones(2), torch.zeros(2)),
    nn.BCELoss()(torch.Tensor([0.5]), torch.Tensor([1])),
    nn.functional.upsample(torch.ones(1, 1, 2, 2), scale_factor=2).size(),
    nn.UpsamplingBilinear2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).size(),
    nn.utils.clip_grad_norm(net.parameters(), 1.0) if hasattr(nn.utils, "clip_grad_norm") else 0,
    nn.init.xavier_uniform(torch.empty(2, 2)).shape if hasattr(nn.init, "xavier_uniform") else 0,
)
