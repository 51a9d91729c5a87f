"""Sizes of images changed: interpolate and Upsample in all modes, pixel shuffle, padding layers."""

import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.arange(1, 5, dtype=torch.float32).view(1, 1, 2, 2)
print(x)
print(nn.Upsample(scale_factor=2, mode="nearest")(x))
print(nn.Upsample(scale_factor=2, mode="bilinear")(x))
print(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)(x))
print(nn.Upsample(size=(3, 5), mode="bicubic", align_corners=False)(x))
print(nn.Upsample(scale_factor=2, mode="nearest"), nn.Upsample(size=(3, 5), mode="bilinear"))
print(nn.UpsamplingNearest2d(scale_factor=3)(x).shape, nn.UpsamplingBilinear2d(size=4)(x))
print(F.interpolate(x, size=5))
print(F.interpolate(x, scale_factor=(1.5, 3)).shape)
line = torch.tensor([[[1.0, 4.0, 9.0]]])
print(F.interpolate(line, scale_factor=2, mode="linear", align_corners=False))
print(F.interpolate(line, 7, mode="linear", align_corners=True))
cube = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
print(F.interpolate(cube, size=(3, 2, 3), mode="trilinear", align_corners=True))
big = torch.arange(36.0).reshape(1, 1, 6, 6)
print(F.interpolate(big, scale_factor=0.5, mode="area"))
print(F.interpolate(big, size=(4, 3), mode="area"))

pixel_shuffle = nn.PixelShuffle(3)
input = torch.arange(1 * 9 * 2 * 2.0).reshape(1, 9, 2, 2)
output = pixel_shuffle(input)
print(output.size(), output[0, 0, 0], pixel_shuffle)
print(torch.equal(nn.PixelUnshuffle(3)(output), input))
print(F.pixel_shuffle(input, 3).equal(output))

m = nn.ReflectionPad2d(2)
input = torch.arange(9, dtype=torch.float).reshape(1, 1, 3, 3)
print(m, m(input))
print(nn.ReflectionPad2d((1, 1, 2, 0))(input))
print(nn.ReplicationPad2d((1, 1, 2, 0))(input))
print(nn.ZeroPad2d(1)(input), nn.ZeroPad2d((1, 1, 2, 0)))
print(nn.ConstantPad1d(2, 3.5)(torch.ones(1, 2, 2)), nn.ConstantPad2d(1, 0.5))
print(nn.CircularPad2d(1)(input))
print(F.pad(input, (1, 2)).shape, F.pad(input, (1, 1, 1, 1), "constant", -1.0))
print(F.pad(input, (0, 1, 1, 0), mode="circular"))
try:
    nn.ReflectionPad2d(3)(input)
except RuntimeError:
    print("too wide")
try:
    F.interpolate(x, size=2, scale_factor=2)
except ValueError:
    print("ValueError")
try:
    F.interpolate(x)
except ValueError:
    print("ValueError")
try:
    F.interpolate(x, size=(2, 3, 4))
except ValueError:
    print("ValueError")

unfold = nn.Unfold(kernel_size=(2, 3))
inp = torch.arange(2 * 2 * 3 * 4.0).reshape(2, 2, 3, 4)
w = torch.arange(2 * 2 * 2 * 3.0).reshape(2, 2, 2, 3)
inp_unf = unfold(inp)
print(unfold, inp_unf.size())
out_unf = inp_unf.transpose(1, 2).matmul(w.view(w.size(0), -1).t()).transpose(1, 2)
out = F.fold(out_unf, (2, 2), (1, 1))
print((F.conv2d(inp, w) - out).abs().max())
fold = nn.Fold(output_size=(3, 4), kernel_size=(2, 3))
print(fold, fold(unfold(torch.ones(1, 1, 3, 4))))
