"""One memory for cuda.core and gpukit: buffers and views go in and out without a copy.

With strides, streams and two devices; on a machine with a GPU, as a simulated one does not share:
python examples/cuda/share_with_cuda_core.py
"""

from itertools import product

import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, Stream, launch
from cuda.core.utils import StridedMemoryView

import gpukit

SOURCE = r"""
extern "C" __global__ void count_up(float* x, long long rows, long long columns,
                                    long long row_stride, long long column_stride, int turns) {
  const int i = threadIdx.y, j = threadIdx.x;
  if (i >= rows || j >= columns) return;
  for (int turn = 0; turn < turns; ++turn) x[i * row_stride + j * column_stride] += 1;
}
"""
ROWS, COLUMNS = 6, 8
NUMBERS = np.arange(ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
VIEWS = {
    "all": lambda x: x,
    "every second column": lambda x: x[:, ::2],
    "inner part": lambda x: x[1:4, 3:7],
    "transposed": lambda x: x.T,
}


def count_up(kernel, stream: Stream, view: StridedMemoryView, turns: int) -> None:
    """Add one to each element, `turns` times: work that takes a while."""
    rows, columns = view.shape
    # None stands for rows without gaps.
    row_stride, column_stride = view.strides or (columns, 1)
    sizes = (np.int64(n) for n in (rows, columns, row_stride, column_stride))
    config = LaunchConfig(grid=1, block=(8, 8))
    launch(stream, config, kernel, view.ptr, *sizes, np.int32(turns))


def check_view(device: Device, kernel, name: str, form: str) -> None:
    """A tensor as a StridedMemoryView, a kernel on it, and the view as a tensor again."""
    place = f"cuda:{device.device_id}"
    stream, side = device.create_stream(), gpukit.cuda.Stream(place)
    make = {
        "dlpack": StridedMemoryView.from_dlpack,
        "interface": StridedMemoryView.from_cuda_array_interface,
        "any": StridedMemoryView.from_any_interface,
    }[form]
    whole = gpukit.tensor(NUMBERS).to(place)
    want = NUMBERS.copy()
    gpukit.cuda.synchronize(place)
    with gpukit.cuda.stream(side):
        x = VIEWS[name](whole)
        for _ in range(2):
            x *= 2
            view = make(x, stream_ptr=int(stream.handle))  # the stream waits for what x waits for
            assert (view.ptr, view.device_id) == (x.data_ptr(), device.device_id)
            assert view.shape == tuple(x.shape)
            assert view.strides in ({x.stride(), None} if x.is_contiguous() else {x.stride()})
            count_up(kernel, stream, view, 500)
            side.wait_stream(gpukit.cuda.ExternalStream(int(stream.handle), place))
            VIEWS[name](want)[...] = VIEWS[name](want) * 2 + 500
        back = gpukit.from_dlpack(view)
        assert (str(back.device), back.data_ptr()) == (place, x.data_ptr())
        assert (back.shape, back.stride()) == (x.shape, x.stride())
        del view, x
        np.testing.assert_array_equal(back.cpu().numpy(), VIEWS[name](want), f"{name} by {form}")
        np.testing.assert_array_equal(whole.cpu().numpy(), want)


def check_buffer(device: Device, kernel) -> None:
    """A Buffer as a tensor of bytes, and as the numbers in it."""
    place = f"cuda:{device.device_id}"
    stream = device.create_stream()
    buffer = device.allocate(NUMBERS.nbytes, stream=stream)
    buffer.fill(b"\0", stream=stream)
    stream.sync()
    x = gpukit.from_dlpack(buffer)
    assert (str(x.device), x.dtype, x.numel()) == (place, gpukit.int8, NUMBERS.nbytes)
    floats = x.view(gpukit.float32).reshape(ROWS, COLUMNS)
    floats += gpukit.tensor(NUMBERS).to(place)
    count_up(
        kernel, stream, StridedMemoryView.from_dlpack(floats, stream_ptr=int(stream.handle)), 500
    )
    typed = StridedMemoryView.from_buffer(buffer, shape=(ROWS, COLUMNS), dtype=np.dtype("float32"))
    stream.sync()
    again = gpukit.from_dlpack(typed)
    assert again.data_ptr() == floats.data_ptr() == int(buffer.handle)
    np.testing.assert_array_equal(again.cpu().numpy(), NUMBERS + 500)


def main() -> None:
    """Run on every device."""
    for device in Device.get_all_devices():
        device.set_current()
        options = ProgramOptions(arch="compute_75", std="c++17")
        kernel = Program(SOURCE, "c++", options).compile("ptx").get_kernel("count_up")
        for current in range(gpukit.cuda.device_count()):
            gpukit.cuda.set_device(current)  # the data says where it is
            device.set_current()
            for name, form in product(VIEWS, ("dlpack", "interface", "any")):
                check_view(device, kernel, name, form)
            check_buffer(device, kernel)
        print(f"cuda:{device.device_id}: views in {len(VIEWS)} layouts and a buffer agree")


main()
