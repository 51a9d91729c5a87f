import torch

torch.set_printoptions(precision=2)


def multibox_prior(data, sizes, ratios):
    in_height, in_width = data.shape[-2:]
    device, num_sizes, num_ratios = data.device, len(sizes), len(ratios)
    boxes_per_pixel = num_sizes + num_ratios - 1
    size_tensor = torch.tensor(sizes, device=device)
    ratio_tensor = torch.tensor(ratios, device=device)
    center_h = (torch.arange(in_height, device=device) + 0.5) * (1.0 / in_height)
    center_w = (torch.arange(in_width, device=device) + 0.5) * (1.0 / in_width)
    shift_y, shift_x = torch.meshgrid(center_h, center_w, indexing="ij")
    shift_y, shift_x = shift_y.reshape(-1), shift_x.reshape(-1)
    w = torch.cat(
        (size_tensor * torch.sqrt(ratio_tensor[0]), sizes[0] * torch.sqrt(ratio_tensor[1:]))
    )
    h = torch.cat(
        (size_tensor / torch.sqrt(ratio_tensor[0]), sizes[0] / torch.sqrt(ratio_tensor[1:]))
    )
    anchor = torch.stack((-w, -h, w, h)).T.repeat(in_height * in_width, 1) / 2
    out_grid = torch.stack([shift_x, shift_y, shift_x, shift_y], dim=1).repeat_interleave(
        boxes_per_pixel, dim=0
    )
    return (out_grid + anchor).unsqueeze(0)


Y = multibox_prior(torch.rand(1, 3, 4, 5), sizes=[0.75, 0.5, 0.25], ratios=[1, 2, 0.5])
print(Y.shape)
boxes = Y.reshape(4, 5, 5, 4)
print(boxes[2, 2, 0, :])


def box_iou(boxes1, boxes2):
    box_area = lambda boxes: (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    areas1, areas2 = box_area(boxes1), box_area(boxes2)
    upper = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    lower = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    inters = (lower - upper).clamp(min=0)
    inter = inters[:, :, 0] * inters[:, :, 1]
    return inter / (areas1[:, None] + areas2 - inter)


def nms(boxes, scores, iou_threshold):
    B = torch.argsort(scores, dim=-1, descending=True)
    keep = []
    while B.numel() > 0:
        i = B[0]
        keep.append(i)
        if B.numel() == 1:
            break
        iou = box_iou(boxes[i, :].reshape(-1, 4), boxes[B[1:], :].reshape(-1, 4)).reshape(-1)
        inds = torch.nonzero(iou <= iou_threshold).reshape(-1)
        B = B[inds + 1]
    return torch.tensor(keep, device=boxes.device)


anchors = torch.tensor(
    [
        [0.1, 0.08, 0.52, 0.92],
        [0.08, 0.2, 0.56, 0.95],
        [0.15, 0.3, 0.62, 0.91],
        [0.55, 0.2, 0.9, 0.88],
    ]
)
print(box_iou(anchors, anchors[:2]))
print(nms(anchors, torch.tensor([0.9, 0.8, 0.7, 0.9]), 0.5))
max_ious, indices = torch.max(box_iou(anchors, anchors[1:3]), dim=1)
print(max_ious, indices, torch.full((4,), -1, dtype=torch.long))
torch.set_printoptions(profile="default")
