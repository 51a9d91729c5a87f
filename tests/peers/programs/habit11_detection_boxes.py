import torch
import torch.nn.functional as F


def box_iou(a, b):
    area = lambda x: (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
    lt = torch.max(a[:, None, :2], b[:, :2])
    rb = torch.min(a[:, None, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area(a)[:, None] + area(b) - inter)


def nms(boxes, scores, thr):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0]
        keep.append(i.item())
        if order.numel() == 1:
            break
        iou = box_iou(boxes[i][None], boxes[order[1:]])[0]
        order = order[1:][iou <= thr]
    return torch.tensor(keep, dtype=torch.long)


def grid_anchors(scales, ratios, size, stride):
    scales, ratios = torch.as_tensor(scales).float(), torch.as_tensor(ratios)
    h_r = torch.sqrt(ratios)
    w_r = 1 / h_r
    ws, hs = (w_r[:, None] * scales[None, :]).view(-1), (h_r[:, None] * scales[None, :]).view(-1)
    base = (torch.stack([-ws, -hs, ws, hs], dim=1) / 2).round()
    ys, xs = torch.meshgrid(
        torch.arange(size[0]) * stride, torch.arange(size[1]) * stride, indexing="ij"
    )
    shifts = torch.stack((xs.reshape(-1), ys.reshape(-1), xs.reshape(-1), ys.reshape(-1)), dim=1)
    return (shifts.view(-1, 1, 4) + base.view(1, -1, 4)).reshape(-1, 4)


def encode(gt, anchors):
    cx = lambda b: ((b[:, :2] + b[:, 2:]) / 2, b[:, 2:] - b[:, :2])
    (gc, gs), (ac, as_) = cx(gt), cx(anchors)
    return torch.cat([(gc - ac) / as_, torch.log(gs / as_)], dim=1)


def decode(d, anchors):
    c, s = (anchors[:, :2] + anchors[:, 2:]) / 2, anchors[:, 2:] - anchors[:, :2]
    nc, ns = c + d[:, :2] * s, s * d[:, 2:].exp()
    return torch.cat([nc - ns / 2, nc + ns / 2], 1)


boxes = torch.tensor(
    [[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [21, 19, 31, 29], [0, 0, 5, 5]]
).float()
scores = torch.tensor([0.8, 0.9, 0.6, 0.7, 0.95])
print(box_iou(boxes, boxes))
print(nms(boxes, scores, 0.5), nms(boxes, scores, 0.2))
cls = torch.tensor([0, 1, 0, 0, 0])
print("batched", nms(boxes + (cls * (boxes.max() + 1))[:, None], scores, 0.5))
anchors = grid_anchors([8, 16], [0.5, 1.0, 2.0], (3, 4), 8)
print(anchors.shape, anchors[:3])
gt = torch.tensor([[2.0, 3.0, 12.0, 13.0], [10.0, 4.0, 26.0, 20.0]])
iou = box_iou(gt, anchors)
vals, matches = iou.max(dim=0)
best_per_gt, _ = iou.max(dim=1)
matches[vals < 0.3] = -1
matches[torch.where(iou == best_per_gt[:, None])[1]] = torch.where(iou == best_per_gt[:, None])[0]
print((matches >= 0).sum(), best_per_gt, torch.unique(matches, return_counts=True))
pos = matches >= 0
t = encode(gt[matches[pos]], anchors[pos])
print(t[0], torch.allclose(decode(t, anchors[pos]), gt[matches[pos]], atol=1e-4))
pred = torch.zeros_like(t, requires_grad=True)
loss = F.smooth_l1_loss(pred, t, beta=1.0 / 9, reduction="sum") / max(1, pos.sum().item())
loss.backward()
print(loss, pred.grad.abs().max())
feat = torch.arange(2 * 6 * 6).float().view(1, 2, 6, 6)


def roi_align(feat, roi, out, scale):
    H, W = feat.shape[-2:]
    x1, y1, x2, y2 = (roi * scale).tolist()
    ys = y1 + (torch.arange(out) + 0.5) * (y2 - y1) / out - 0.5
    xs = x1 + (torch.arange(out) + 0.5) * (x2 - x1) / out - 0.5
    gy, gx = torch.meshgrid(2 * ys / (H - 1) - 1, 2 * xs / (W - 1) - 1, indexing="ij")
    return F.grid_sample(feat, torch.stack([gx, gy], -1)[None], align_corners=True)


print(roi_align(feat, torch.tensor([8.0, 8.0, 32.0, 32.0]), 2, 1 / 8))
clipped = boxes.clone()
clipped[:, 0::2].clamp_(0, 25)
clipped[:, 1::2].clamp_(0, 28)
print(clipped[2:4], ((clipped[:, 2:] - clipped[:, :2]) >= 6).all(1))
