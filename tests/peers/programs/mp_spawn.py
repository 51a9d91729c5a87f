import torch
import torch.multiprocessing as mp


def fill(rank, results, scale):
    results[rank] = rank * scale


def fail(rank):
    if rank == 1:
        raise ValueError("one is too many")


def leave(rank):
    raise SystemExit(3)


if __name__ == "__main__":
    results = torch.zeros(3)
    mp.spawn(fill, args=(results, 10), nprocs=3)
    print(results, results.is_shared())
    context = mp.spawn(fill, args=(results, 7), nprocs=2, join=False)
    while not context.join():
        pass
    print(results, len(context.pids()))
    try:
        mp.spawn(fail, nprocs=2)
    except mp.ProcessRaisedException as error:
        print(type(error).__name__, error.error_index)
        print(str(error).strip().splitlines()[0], "|", str(error).strip().splitlines()[-1])
    try:
        mp.start_processes(leave, nprocs=1, start_method="fork")
    except mp.ProcessExitedException as error:
        print(error, error.error_index, error.exit_code, error.signal_name)
    print(sorted(mp.get_all_sharing_strategies()), mp.get_sharing_strategy())
    mp.set_sharing_strategy("file_system")
    print(mp.get_sharing_strategy())
