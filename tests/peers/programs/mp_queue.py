import torch
import torch.multiprocessing as mp


def work(tasks, results, done):
    for x in iter(tasks.get, None):
        x.add_(1)
        results.put((x.sum(), {"square": x * x, "rows": list(x.shape)}))
    done.wait()


if __name__ == "__main__":
    ctx = mp.get_context("spawn")
    tasks, results, done = ctx.Queue(), ctx.Queue(), ctx.Event()
    p = ctx.Process(target=work, args=(tasks, results, done))
    p.start()
    sent = [torch.arange(4.0), torch.ones(2, 3).t(), torch.tensor([1.5, 2.5])[1:]]
    for x in sent:
        tasks.put(x)
        total, more = results.get()
        print(total, more)
        print(x, x.is_shared(), total.is_shared(), x.is_contiguous())
    w = torch.nn.Parameter(torch.ones(2))
    tasks.put(w.detach())
    print(results.get()[0], w, type(w).__name__)
    tasks.put(None)
    done.set()
    p.join()
    print(p.exitcode)
    a = torch.zeros(4)
    b = a[1:3]
    recv, send = ctx.Pipe(duplex=False)
    send.send((a, b, a))
    x, y, z = recv.recv()
    x[1] = 5
    print(a, b, y, z, x.data_ptr() + 4 == y.data_ptr())
    with mp.Pool(1) as pool:
        print(pool.map(torch.square, [torch.tensor([2.0, 3.0]), torch.tensor(4)]))
