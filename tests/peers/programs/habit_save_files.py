import os
import tempfile

import torch

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.pt")
    torch.save(torch.arange(3), path)
    print(torch.load(path))
    torch.save({"a": torch.ones(2), "b": [1, (2, 3)], "c": None}, path)
    print(torch.load(path, map_location=torch.device("cpu")))
    model = torch.nn.Linear(2, 1)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    model(torch.ones(1, 2)).sum().backward()
    opt.step()
    torch.save(
        {
            "model_state_dict": model.state_dict(),
            "optimizer_state_dict": opt.state_dict(),
            "epoch": 4,
        },
        path,
    )
    ckpt = torch.load(path, map_location=lambda storage, loc: storage)
    fresh = torch.nn.Linear(2, 1)
    fresh_opt = torch.optim.Adam(fresh.parameters())
    fresh.load_state_dict(ckpt["model_state_dict"])
    fresh_opt.load_state_dict(ckpt["optimizer_state_dict"])
    print(
        ckpt["epoch"],
        torch.equal(fresh.weight, model.weight),
        fresh_opt.param_groups[0]["lr"],
        fresh_opt.state_dict()["state"][0]["step"],
    )
    with open(path, "wb") as f:
        torch.save(torch.tensor([[1.5]]), f)
    with open(path, "rb") as f:
        print(torch.load(f))
    missing = fresh.load_state_dict({"weight": torch.zeros(1, 2)}, strict=False)
    print(missing.missing_keys, missing.unexpected_keys)
    try:
        fresh.load_state_dict({"weight": torch.zeros(3, 3), "bias": torch.zeros(1)})
    except RuntimeError as e:
        print("size mismatch" in str(e))
