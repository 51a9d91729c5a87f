import torch
import torch.nn as nn
import torch.nn.functional as F


class Embedder:
    def __init__(self, num_freqs, include_input=True, log_sampling=True):
        self.fns = [lambda x: x] if include_input else []
        if log_sampling:
            bands = 2.0 ** torch.linspace(0.0, num_freqs - 1, steps=num_freqs)
        else:
            bands = torch.linspace(1.0, 2.0 ** (num_freqs - 1), steps=num_freqs)
        for freq in bands:
            for fn in (torch.sin, torch.cos):
                self.fns.append(lambda x, fn=fn, freq=freq: fn(x * freq))
        self.out_dim = 3 * len(self.fns)

    def __call__(self, x):
        return torch.cat([fn(x) for fn in self.fns], -1)


class NeRF(nn.Module):
    def __init__(self, D=4, W=16, in_ch=15, in_ch_views=9, skips=(2,)):
        super().__init__()
        self.in_ch, self.in_ch_views, self.skips = in_ch, in_ch_views, skips
        self.pts_linears = nn.ModuleList(
            [nn.Linear(in_ch, W)]
            + [nn.Linear(W, W) if i not in skips else nn.Linear(W + in_ch, W) for i in range(D - 1)]
        )
        self.views_linears = nn.ModuleList([nn.Linear(in_ch_views + W, W // 2)])
        self.feature_linear, self.alpha_linear, self.rgb_linear = (
            nn.Linear(W, W),
            nn.Linear(W, 1),
            nn.Linear(W // 2, 3),
        )

    def forward(self, x):
        pts, views = torch.split(x, [self.in_ch, self.in_ch_views], dim=-1)
        h = pts
        for i, l in enumerate(self.pts_linears):
            h = F.relu(l(h))
            if i in self.skips:
                h = torch.cat([pts, h], -1)
        alpha = self.alpha_linear(h)
        h = torch.cat([self.feature_linear(h), views], -1)
        for l in self.views_linears:
            h = F.relu(l(h))
        return torch.cat([self.rgb_linear(h), alpha], -1)


def get_rays(H, W, focal, c2w):
    i, j = torch.meshgrid(torch.linspace(0, W - 1, W), torch.linspace(0, H - 1, H), indexing="ij")
    i, j = i.t(), j.t()
    dirs = torch.stack([(i - W * 0.5) / focal, -(j - H * 0.5) / focal, -torch.ones_like(i)], -1)
    rays_d = torch.sum(dirs[..., None, :] * c2w[:3, :3], -1)
    return c2w[:3, -1].expand(rays_d.shape), rays_d


def raw2outputs(raw, z_vals, rays_d, white_bkgd=True):
    dists = z_vals[..., 1:] - z_vals[..., :-1]
    dists = torch.cat([dists, torch.Tensor([1e10]).expand(dists[..., :1].shape)], -1)
    dists = dists * torch.norm(rays_d[..., None, :], dim=-1)
    rgb = torch.sigmoid(raw[..., :3])
    alpha = 1.0 - torch.exp(-F.relu(raw[..., 3]) * dists)
    weights = (
        alpha
        * torch.cumprod(torch.cat([torch.ones((alpha.shape[0], 1)), 1.0 - alpha + 1e-10], -1), -1)[
            :, :-1
        ]
    )
    rgb_map = torch.sum(weights[..., None] * rgb, -2)
    depth = torch.sum(weights * z_vals, -1)
    acc = torch.sum(weights, -1)
    if white_bkgd:
        rgb_map = rgb_map + (1.0 - acc[..., None])
    return rgb_map, depth, acc, weights


def sample_pdf(bins, weights, N):
    weights = weights + 1e-5
    pdf = weights / torch.sum(weights, -1, keepdim=True)
    cdf = torch.cumsum(pdf, -1)
    cdf = torch.cat([torch.zeros_like(cdf[..., :1]), cdf], -1)
    u = torch.linspace(0.0, 1.0, steps=N).expand(list(cdf.shape[:-1]) + [N]).contiguous()
    inds = torch.searchsorted(cdf, u, right=True)
    below = torch.max(torch.zeros_like(inds - 1), inds - 1)
    above = torch.min((cdf.shape[-1] - 1) * torch.ones_like(inds), inds)
    inds_g = torch.stack([below, above], -1)
    ms = [inds_g.shape[0], inds_g.shape[1], cdf.shape[-1]]
    cdf_g = torch.gather(cdf.unsqueeze(1).expand(ms), 2, inds_g)
    bins_g = torch.gather(bins.unsqueeze(1).expand(ms), 2, inds_g)
    denom = cdf_g[..., 1] - cdf_g[..., 0]
    denom = torch.where(denom < 1e-5, torch.ones_like(denom), denom)
    return bins_g[..., 0] + (u - cdf_g[..., 0]) / denom * (bins_g[..., 1] - bins_g[..., 0])


embed, embed_v = Embedder(2), Embedder(1)
net = NeRF()
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.5)
c2w = torch.eye(4)[:3]
c2w[:, 3] = torch.tensor([0.0, 0.0, 3.0])
rays_o, rays_d = get_rays(4, 5, 4.0, c2w)
print(rays_o.shape, rays_d[0, 0], rays_o.stride())
ro, rd = rays_o.reshape(-1, 3), rays_d.reshape(-1, 3)
z = torch.linspace(2.0, 6.0, 8).expand(20, 8)
pts = ro[..., None, :] + rd[..., None, :] * z[..., :, None]
viewdirs = rd / torch.norm(rd, dim=-1, keepdim=True)
flat = torch.reshape(pts, [-1, 3])
dirs = viewdirs[:, None].expand(pts.shape).reshape(-1, 3)
inp = torch.cat([embed(flat), embed_v(dirs)], -1)
raw = torch.cat([net(inp[i : i + 64]) for i in range(0, inp.shape[0], 64)], 0).reshape(20, 8, 4)
rgb, depth, acc, weights = raw2outputs(raw, z, rd)
print(embed.out_dim, inp.shape, raw.shape)
print(rgb[:2])
print(depth[:3], acc.max() <= 1 + 1e-4)
z_mid = 0.5 * (z[..., 1:] + z[..., :-1])
zs = sample_pdf(z_mid, weights[..., 1:-1], 6).detach()
z_all, _ = torch.sort(torch.cat([z, zs], -1), -1)
print(z_all.shape, zs[0])
loss = torch.mean((rgb - 0.5) ** 2)
loss.backward()
print(loss, "psnr", -10.0 * torch.log(loss.detach()) / torch.log(torch.Tensor([10.0])))
print([tuple(l.weight.shape) for l in net.pts_linears], net.alpha_linear.weight.grad.norm())
print(net.pts_linears)
