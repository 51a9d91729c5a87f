import torch
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F


def train(model, rank, done, steps):
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        x = torch.randn(16, 2)
        y = x @ torch.tensor([[2.0], [-1.0]]) + 0.5
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    done[rank] += 1


if __name__ == "__main__":
    torch.set_num_threads(1)
    model = nn.Linear(2, 1)
    print(model.weight.is_shared(), next(model.parameters()).is_shared())
    print(model.share_memory() is model, all(p.is_shared() for p in model.parameters()))
    done = torch.zeros(2)
    print(done.is_shared(), done.share_memory_() is done, done.is_shared())
    view = done[1:]
    processes = []
    for rank in range(2):
        p = mp.Process(target=train, args=(model, rank, done, 200))
        p.start()
        processes.append(p)
    for p in processes:
        p.join()
    print([p.exitcode for p in processes], done.tolist(), view.tolist())
    print([round(w, 1) + 0.0 for w in model.weight.flatten().tolist() + model.bias.tolist()])
