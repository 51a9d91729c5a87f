import datetime
import math

import numpy as np
import torch
import torch.nn as nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


t = torch.arange(0, 60, dtype=torch.float32)
series = torch.sin(t / 5) + 0.1 * torch.cos(t)
train, test = series[:-12], series[-12:]
mean, std = train.mean(), train.std()
scaled = (train - mean) / std
print(mean, std, scaled.mean().abs() < 1e-5)


def create_inout_sequences(data, tw):
    return [(data[i : i + tw], data[i + tw : i + tw + 1]) for i in range(len(data) - tw)]


pairs = create_inout_sequences(scaled, 6)
print(len(pairs), pairs[0])
x = torch.stack([p[0] for p in pairs]).unsqueeze(-1)
y = torch.cat([p[1] for p in pairs])
print(x.shape, y.shape, torch.equal(x.squeeze(-1), scaled.unfold(0, 6, 1)[:-1]))


class LSTM(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.linear = nn.Linear(hidden, 1)

    def forward(self, x):
        h0 = x.new_zeros(1, x.size(0), self.lstm.hidden_size)
        c0 = torch.zeros_like(h0)
        out, (hn, cn) = self.lstm(x, (h0.requires_grad_(), c0))
        return self.linear(out[:, -1]).squeeze(-1)


class TCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.pad = nn.ConstantPad1d((2, 0), 0)
        self.conv = nn.Conv1d(1, 4, 3)
        self.dilated = nn.Conv1d(4, 1, 3, dilation=2)
        self.pad2 = nn.ReplicationPad1d((4, 0))

    def forward(self, x):
        return self.dilated(self.pad2(torch.relu(self.conv(self.pad(x.transpose(1, 2))))))[:, 0, -1]


for net in (fixed(LSTM()), fixed(TCN())):
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for epoch in range(30):
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(net, f"{loss.item():.3f}")
window = scaled[-6:].tolist()
net.eval()
for i in range(4):
    seq = torch.FloatTensor(window[-6:]).view(1, -1, 1)
    with torch.no_grad():
        window.append(net(seq).item())
print(np.round(np.array(window[-4:]) * float(std) + float(mean), 2).shape)
smooth = torch.nn.functional.conv1d(
    series.view(1, 1, -1), torch.ones(1, 1, 5) / 5, padding="same"
).flatten()
print(
    smooth[:5],
    series.view(12, 5).mean(1)[:3],
    nn.functional.avg_pool1d(series.view(1, 1, -1), 5, 5).flatten()[:3],
)
lag = 3
print(
    (series[lag:] * series[:-lag]).mean(),
    series.diff()[:3],
    torch.diff(series, n=2)[:3],
    series.roll(1)[:2],
)
spectrum = torch.fft.rfft(series)
freq = torch.fft.rfftfreq(len(series), d=1.0)
print(freq[spectrum.abs()[1:].argmax() + 1], spectrum.abs()[:3])
design = torch.stack([torch.ones_like(t), t, t**2], 1)
solution = torch.linalg.lstsq(design.double(), series.double().unsqueeze(1)).solution
print(
    solution.flatten(), torch.linalg.norm(design.double() @ solution - series.double().unsqueeze(1))
)
a = torch.tensor([0.5, -0.2])
ar = [torch.tensor(1.0), torch.tensor(0.5)]
for _ in range(4):
    ar.append((a * torch.stack([ar[-1], ar[-2]])).sum())
print(torch.stack(ar), torch.cumsum(torch.ones(3), 0), torch.tensor(ar)[2:])
mae = (test - test.roll(1))[1:].abs().mean()
percent = ((test[1:] - test[:-1]) / test[1:]).abs().mean() * 100
print(f"MAE {mae:.3f} error {percent:.1f}% RMSE {((test - test.mean()) ** 2).mean().sqrt():.3f}")
days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(3)]
dow = torch.tensor([d.weekday() for d in days])
print(torch.stack([torch.sin(2 * math.pi * dow / 7), torch.cos(2 * math.pi * dow / 7)], -1))
mask = torch.isnan(torch.tensor([1.0, float("nan"), 3.0]))
filled = torch.where(mask, torch.tensor(0.0), torch.tensor([1.0, float("nan"), 3.0]))
print(
    mask,
    filled,
    torch.interpolate(filled)
    if hasattr(torch, "interpolate")
    else nn.functional.interpolate(
        filled.view(1, 1, -1), size=5, mode="linear", align_corners=True
    ),
)
