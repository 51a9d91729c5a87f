"""One memory for numba-cuda and gpukit: arrays go in and out without a copy.

With strides, streams and two devices; on a machine with a GPU, as a simulated one does not share:
python examples/cuda/share_with_numba.py
"""

import gc
from itertools import product

import numpy as np
from numba import config, cuda

import gpukit

config.CUDA_LOW_OCCUPANCY_WARNINGS = 0

ROWS, COLUMNS = 6, 8
DTYPES = (np.float16, np.float32, np.float64, np.int8, np.int64, np.uint16, np.bool_, np.complex64)
VIEWS = {
    "all": lambda x: x,
    "every second column": lambda x: x[:, ::2],
    "inner part": lambda x: x[1:4, 3:7],
    "one column": lambda x: x[:, 5],
}


@cuda.jit
def count_up(x, turns):
    """Adds one to each element, `turns` times: work that takes a while."""
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        for _ in range(turns):
            x[i, j] += 1


def numbers(dtype):
    """Different in each place, as far as the dtype has so many."""
    return np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS).astype(dtype)


def check_layout(place, dtype, order, view):
    """A view in both directions: the same values at the same addresses."""
    host = np.asarray(numbers(dtype), order=order)
    theirs = cuda.to_device(host)
    x = gpukit.as_tensor(view(theirs))
    address, _ = view(theirs).__cuda_array_interface__["data"]
    assert (str(x.device), x.data_ptr()) == (place, address)
    np.testing.assert_array_equal(x.cpu().numpy(), view(host))
    x.zero_()
    gpukit.cuda.synchronize(place)
    assert not view(theirs.copy_to_host()).any()

    mine = gpukit.tensor(numbers(dtype).T.copy()).to(place).T
    if order == "C":
        mine = mine.contiguous()
    back = cuda.as_cuda_array(view(mine))
    assert back.strides == view(host).strides
    places = list(np.ndindex(back.shape))  # numba copies no strided arrays to the host
    assert [back[at] for at in places] == [view(host)[at] for at in places]


def check_streams(place):
    """Work of one library is waited for by the other, on streams of their own."""
    stream, side = cuda.stream(), gpukit.cuda.Stream(place)
    theirs = cuda.to_device(numbers(np.float32), stream=stream)
    for turns in (20_000, 20_000):
        count_up[(1, 1), (ROWS, COLUMNS), stream](theirs, turns)
        with gpukit.cuda.stream(side):
            x = gpukit.as_tensor(theirs)  # its interface names the stream
            x *= 2
            back = cuda.as_cuda_array(x)
        count_up[(1, 1), (ROWS, COLUMNS), back.stream](back, 1)
        back.stream.synchronize()
        stream.synchronize()
    want = ((numbers(np.float32) + 20_000) * 2 + 1 + 20_000) * 2 + 1
    np.testing.assert_array_equal(theirs.copy_to_host(), want)


def check_owners(place):
    """Memory lives as long as its last user."""
    x = gpukit.as_tensor(cuda.to_device(numbers(np.int64)))
    back = cuda.as_cuda_array(gpukit.tensor(numbers(np.int64)).to(place))
    gc.collect()
    others = [gpukit.zeros(ROWS, COLUMNS, dtype=gpukit.int64, device=place) for _ in range(8)]
    gpukit.cuda.synchronize(place)
    assert len(others) == 8
    assert x.cpu().numpy().tolist() == numbers(np.int64).tolist()
    assert back.copy_to_host().tolist() == numbers(np.int64).tolist()


def main():
    for number, device in enumerate(cuda.gpus):
        with device:
            place = f"cuda:{number}"
            for current in range(len(cuda.gpus)):
                gpukit.cuda.set_device(current)  # the data says where it is
                for dtype, order, view in product(DTYPES, "CF", VIEWS):
                    check_layout(place, dtype, order, VIEWS[view])
                check_streams(place)
                check_owners(place)
            print(
                f"{place}: {len(DTYPES)} dtypes in {2 * len(VIEWS)} layouts, streams, owners agree"
            )


main()
