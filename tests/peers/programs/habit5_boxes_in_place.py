import torch


def xywh2xyxy(x):
    y = x.clone()
    y[..., 0] = x[..., 0] - x[..., 2] / 2
    y[..., 1] = x[..., 1] - x[..., 3] / 2
    y[..., 2] = x[..., 0] + x[..., 2] / 2
    y[..., 3] = x[..., 1] + x[..., 3] / 2
    return y


def clip_coords(boxes, shape):
    boxes[:, 0].clamp_(0, shape[1])
    boxes[:, 1].clamp_(0, shape[0])
    boxes[:, 2].clamp_(0, shape[1])
    boxes[:, 3].clamp_(0, shape[0])


def box_iou(a, b):
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    inter = (
        (torch.min(a[:, None, 2:], b[:, 2:]) - torch.max(a[:, None, :2], b[:, :2])).clamp(0).prod(2)
    )
    return inter / (area(a)[:, None] + area(b) - inter)


def nms(boxes, scores, thr):
    keep = []
    order = scores.argsort(descending=True)
    while order.numel() > 0:
        i = order[0]
        keep.append(i.item())
        if order.numel() == 1:
            break
        iou = box_iou(boxes[i].unsqueeze(0), boxes[order[1:]])[0]
        order = order[1:][iou <= thr]
    return keep


raw = torch.tensor([[5.0, 5, 4, 4], [6, 5, 4, 4], [1, 1, 6, 3], [9, 9, 4, 4]], requires_grad=True)
boxes = xywh2xyxy(raw)
clip_coords(boxes, (10, 10))
print(boxes)
iou = box_iou(boxes, boxes)
print(iou)
print(nms(boxes.detach(), torch.tensor([0.9, 0.8, 0.7, 0.6]), 0.3))
iou.sum().backward()
print(raw.grad)
gain = torch.ones(4)
gain[[0, 2]] *= 640
gain[1::2] *= 480
scaled = boxes.detach() * 0.1
scaled[:, [0, 2]] -= 0.5
scaled[:, :4] /= gain.view(1, 4)
print(scaled)
