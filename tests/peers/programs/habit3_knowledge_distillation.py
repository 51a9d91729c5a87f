import torch
import torch.nn.functional as F
from torch import nn

teacher = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 4))
student = nn.Linear(3, 4)
for i, p in enumerate([*teacher.parameters(), *student.parameters()]):
    p.data = torch.sin(torch.arange(p.numel(), dtype=torch.float) + i).view_as(p)
x = torch.linspace(-1, 1, 12).view(4, 3)
labels = torch.tensor([0, 1, 2, 3])
T, alpha = 2.0, 0.7
opt = torch.optim.Adam(student.parameters(), lr=0.05, weight_decay=1e-4)
teacher.eval()
for epoch in range(6):
    with torch.no_grad():
        t = teacher(x)
    s = student(x)
    soft = (
        F.kl_div(F.log_softmax(s / T, dim=1), F.softmax(t / T, dim=1), reduction="batchmean")
        * T
        * T
    )
    hard = F.cross_entropy(s, labels)
    loss = alpha * soft + (1 - alpha) * hard
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("epoch %d loss %.4f soft %.4f hard %.4f" % (epoch, loss, soft, hard))
emb = nn.CosineEmbeddingLoss()(s, t, torch.ones(4))
print(emb, nn.KLDivLoss(reduction="sum", log_target=True)(F.log_softmax(s, 1), F.log_softmax(t, 1)))
