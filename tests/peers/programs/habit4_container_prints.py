from collections import OrderedDict

import torch
from torch import nn

net = nn.Sequential(
    OrderedDict(
        [
            (
                "conv1",
                nn.Conv2d(
                    1, 20, 5, stride=(2, 1), padding="same" if False else 2, dilation=1, groups=1
                ),
            ),
            ("relu1", nn.ReLU(inplace=True)),
            ("bn", nn.BatchNorm2d(20, momentum=None, affine=False)),
            ("pool", nn.MaxPool2d(2, ceil_mode=True)),
            ("drop", nn.Dropout2d(0.25)),
        ]
    )
)
print(net)
print(nn.ModuleList([nn.Linear(1, 2) for _ in range(3)]))
print(nn.ModuleDict({"choice": nn.Identity(), "act": nn.PReLU(num_parameters=3, init=0.1)}))
print(nn.ParameterList([nn.Parameter(torch.zeros(2)), nn.Parameter(torch.ones(1, 3))]))
print(nn.ParameterDict({"w": nn.Parameter(torch.zeros(2, 2))}))
for m in (
    nn.Embedding(10, 3, padding_idx=0),
    nn.LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True),
    nn.GRUCell(3, 4),
    nn.MultiheadAttention(8, 2),
    nn.LayerNorm((2, 3), eps=1e-6),
    nn.GroupNorm(2, 4),
    nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
    nn.ConvTranspose2d(3, 2, 3, stride=2, output_padding=1, padding=1, bias=False),
    nn.Softmax(dim=1),
    nn.LeakyReLU(0.2),
    nn.GELU(approximate="tanh"),
    nn.Hardtanh(-2, 2),
    nn.CrossEntropyLoss(label_smoothing=0.1),
    nn.BCEWithLogitsLoss(pos_weight=torch.ones(2)),
    nn.Bilinear(2, 3, 4),
    nn.Unflatten(1, (2, 3)),
    nn.PixelShuffle(2),
    nn.ZeroPad2d(1),
    nn.AvgPool2d(3, stride=2, count_include_pad=False),
    nn.AdaptiveMaxPool2d((None, 2)),
    nn.CosineSimilarity(dim=1),
    nn.TripletMarginLoss(margin=2.0),
    nn.Fold((4, 5), kernel_size=(2, 2)),
    nn.InstanceNorm1d(3, affine=True),
    nn.RMSNorm(4),
    nn.Threshold(0.1, 20),
):
    print(m)
print(nn.Parameter(torch.ones(2)), len(net), net[0:2], list(net.named_modules())[1][0])
net.add_module("id", nn.Identity())
print(net[-1], [type(m).__name__ for m in net.children()], net.conv1.extra_repr())
