import torch

x = torch.zeros(2, 3, 4)
print(x.shape, x.size(), x.size(0), x.size(-1), len(x.shape), x.shape[1:], x.shape[0] * x.shape[1])
print(
    x.shape == (2, 3, 4),
    x.shape == torch.Size([2, 3, 4]),
    isinstance(x.shape, tuple),
    isinstance(x.shape, torch.Size),
)
print(x.shape.numel(), torch.Size([2, 5]).numel(), list(x.shape), tuple(x.shape), x.shape + (1,))
b, c, d = x.size()
print(b, c, d, x.view(b, -1).shape, x.view(x.size(0), -1).size())
print(
    torch.zeros(x.shape).shape,
    torch.empty(x.size()).numel(),
    x.new_zeros(x.shape[:2]).shape,
    x.new_ones(3).shape,
)
print(
    x.type(),
    x.long().type(),
    x.type(torch.int32).dtype,
    x.type("torch.DoubleTensor").dtype,
    x.type_as(x.double()).dtype,
)
print(
    torch.Tensor([1, 2]).dtype,
    torch.Tensor(2, 3).shape,
    torch.Tensor().shape,
    torch.FloatTensor([1]).type(),
)
print(
    x.dim(),
    x.ndim,
    x.ndimension(),
    x.nelement(),
    x.element_size(),
    x.stride(),
    x.is_contiguous(),
    x.storage_offset(),
)
print(
    x.is_floating_point(),
    torch.is_tensor(x),
    torch.get_default_dtype(),
    torch.finfo(torch.float32).eps,
    torch.iinfo(torch.int8).max,
)
print(
    "{}".format(x.shape),
    f"{x.shape[-1]:>4}",
    str(x.size()),
    x.squeeze().shape,
    x.unsqueeze(0).size(0),
)
print(torch.Size((3,)), torch.Size([]), hash(x.shape) == hash((2, 3, 4)))
