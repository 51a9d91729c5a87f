import torch

X = torch.tensor([[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0], [2.3, 2.7]])
Xc = X - X.mean(dim=0, keepdim=True)
C = Xc.T @ Xc / (X.shape[0] - 1)
evals, evecs = torch.linalg.eigh(C)
print(evals, evecs.abs())
U, S, Vh = torch.linalg.svd(Xc, full_matrices=False)
print(S**2 / (len(X) - 1), Vh.abs())
proj = Xc @ Vh.T[:, :1]
recon = proj @ Vh[:1] + X.mean(0)
print((recon - X).norm(), proj.abs().squeeze())
explained = S.pow(2) / S.pow(2).sum()
print(explained.cumsum(0))
U2, S2, V2 = torch.svd(Xc)
print(torch.allclose(S2, S), torch.allclose(U2 @ torch.diag(S2) @ V2.t(), Xc, atol=1e-5))
