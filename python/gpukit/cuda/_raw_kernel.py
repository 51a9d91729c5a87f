"""A kernel of one's own, under CuPy's name: `gpukit.cuda.RawKernel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit.cuda import _code_text
from gpukit.cuda._context import present_index
from gpukit.cuda._kernel_attributes import KernelAttributes
from gpukit.cuda._program import Program, checked_options
from gpukit.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex, TextIO

    from gpukit._core import Stream

    Extent = SupportsIndex | Sequence[SupportsIndex]
    State = tuple[Program, str, bool, dict[int, int]]


def check_backend(
    function: str, backend: str, translate_cucomplex: bool, jitify: bool, expressions: object
) -> None:
    if backend != "nvrtc":
        named = " (and name_expressions needs it)" if expressions else ""
        raise ArgumentError(f"{function}: backend must be 'nvrtc'{named}, got {backend!r}")
    if translate_cucomplex:
        raise NotImplementedError(
            f"{function}: translate_cucomplex is not needed: cuComplex.h compiles unchanged. Name "
            "its folder: options=('-I/usr/local/cuda/include',)"
        )
    if jitify:
        raise NotImplementedError(
            f"{function}: jitify is not available. Name the folders of headers: options=('-I…',)"
        )


def one_name(function: str, name: object) -> str:
    if not isinstance(name, str) or not name or "\0" in name:
        raise TypeError(f"{function}: name must be the name of a kernel, got {name!r}")
    return name


class RawKernel(KernelAttributes):
    """A kernel of one's own, compiled from CUDA C++ at its first launch on a device.

    It runs on real GPUs and on simulated ones, which check its accesses and can look for races.
    The compiler is NVRTC (the extra `nvrtc`); PTX and machine code need none.

    Launched as in CuPy, `kernel(grid, block, args)`, or as in numba, `kernel[grid, block](*args)`.
    A launch waits for nothing and goes to this thread's current stream of the device that the
    first tensor is on, or of the current device. Its arguments are checked against the code:
    tensors have to be on that device and contiguous; numbers are converted to the parameter's
    type if they fit; structs are given as bytes or NumPy values of their size. What a kernel does
    is not recorded for derivatives.

    Args:
        code: CUDA C++ or PTX, or the bytes of a cubin.
        name: The kernel's name. CUDA C++ keeps it with `extern "C"`.
        options: Of the compiler, e.g. ("-DN=3", "-Iinclude"). Headers are looked for in these
            folders only.
        backend: "nvrtc".
        translate_cucomplex: False; cuComplex.h compiles unchanged.
        enable_cooperative_groups: All blocks of a launch are resident at a time, so that the
            barrier of the grid can be used.
        jitify: False.

    Raises:
        TypeError: code, name or options is of the wrong type.
        ArgumentError: A value that will not do.
        CompileError: At the first use: the code does not compile (`.log` has the compiler's
            words), the driver does not take it, or there is no compiler.

    Example:
        >>> import gpukit
        >>> source = '''
        ... extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
        ...   int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...   if (i < n) y[i] += a * x[i];
        ... }'''
        >>> saxpy = gpukit.cuda.RawKernel(source, "saxpy")
        >>> with gpukit.simulate(1):
        ...     x, y = gpukit.ones(4, device="cuda"), gpukit.zeros(4, device="cuda")
        ...     saxpy((1,), (32,), (4, 2.0, x, y))
        ...     saxpy[1, 32](4, 0.5, x, y)
        ...     y.tolist()
        [2.5, 2.5, 2.5, 2.5]
    """

    def __init__(
        self,
        code: str | bytes,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        check_backend("RawKernel", backend, translate_cucomplex, jitify, None)
        self._name = one_name("RawKernel", name)
        file = f"{name}.cu" if name.isidentifier() else "kernel.cu"
        checked = checked_options("RawKernel", options)
        super().__init__()
        self._program = Program(_code_text.read_code("RawKernel", code), file, checked, ())
        self._cooperative = bool(enable_cooperative_groups)
        self._functions: dict[tuple[int, int], _core.CodeFunction] = {}

    def __getstate__(self) -> State:
        return self._program, self._name, self._cooperative, self._settings

    def __setstate__(self, state: State) -> None:
        self._program, self._name, self._cooperative, settings = state
        self._settings, self._functions = dict(settings), {}

    def __repr__(self) -> str:
        return f"<gpukit.cuda.RawKernel {self._name}>"

    def __call__(
        self,
        grid: Extent,
        block: Extent,
        args: Any,
        *,
        shared_mem: int = 0,
        stream: Stream | None = None,
    ) -> None:
        """Launch the kernel, as in CuPy.

        Args:
            grid: Blocks: an int, or one to three.
            block: Threads of a block: an int, or one to three.
            args: A tuple of tensors and numbers, one for each parameter.
            shared_mem: Bytes of dynamic shared memory of a block.
            stream: Where it is queued, with its device; None means the current stream.

        Raises:
            TypeError: A wrong number of arguments, or a value that a parameter does not take.
            ArgumentError: grid, block or shared_mem is beyond its limit.
            RangeError: A number does not fit into its parameter.
            DeviceMismatchError: A tensor is on another device.
            ShapeError: A tensor is not contiguous.
            AutogradError: A tensor requires grad, outside `no_grad`.
            CompileError: See the class.
        """
        index = _core.launch_device(args, stream)
        function = self._functions.get((_core.session_id(), index)) or self._function(index)
        function.launch(grid, block, args, stream, shared_mem, self._cooperative)

    def __getitem__(self, configuration: Any) -> Launch:
        """Choose grid and block, as in numba: `kernel[grid, block, stream, shared_mem](*args)`.

        Stream and shared_mem are optional; a stream of None or 0 is the current one.
        """
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise TypeError(
                f"{self._name}: write {self._name}[grid, block](…), or with a stream and the bytes "
                f"of dynamic shared memory behind them; got {configuration!r}"
            )
        return Launch(self, *configuration)

    def _function(self, index: int) -> _core.CodeFunction:
        """The kernel on a device, ready to launch."""
        loaded = self._program.on(index)
        key = (_core.session_id(), index)
        if key not in self._functions:
            entry = self._program.entry(self._name, index)
            parameters = None if loaded.kernels is None else loaded.kernels[entry]
            function = loaded.code.function(entry, self._name, parameters)
            for number, value in self._settings.items():
                function.set_attribute(number, value)
            kept = {one: made for one, made in self._functions.items() if one[0] == key[0]}
            self._functions = {**kept, key: function}
        return self._functions[key]

    def compile(self, log_stream: TextIO | None = None) -> None:
        """Compile and load it for the current device now, instead of at the first launch.

        Args:
            log_stream: Receives what the compiler said: its warnings.

        Raises:
            CompileError: See the class.
            DeviceNotFoundError: There is no usable GPU.
        """
        index = present_index("RawKernel.compile", None)
        self._function(index)
        if log_stream is not None:
            log_stream.write(self._program.on(index).log)

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._name

    @property
    def code(self) -> str | bytes:
        """CUDA C++, PTX or machine code."""
        return self._program.code

    @property
    def options(self) -> tuple[str, ...]:
        """The compiler's options."""
        return self._program.options

    @property
    def backend(self) -> str:
        """Always "nvrtc"."""
        return "nvrtc"

    @property
    def enable_cooperative_groups(self) -> bool:
        """True where all blocks of a launch are resident at a time."""
        return self._cooperative


class Launch:
    """A kernel with its grid and block: `kernel[grid, block]`. Called with the arguments."""

    def __init__(
        self,
        kernel: RawKernel,
        grid: Extent,
        block: Extent,
        stream: Stream | int | None = None,
        shared_mem: int = 0,
    ) -> None:
        self._kernel, self._grid, self._block = kernel, grid, block
        self._stream: Any = None if isinstance(stream, int) and stream == 0 else stream
        self._shared_mem = shared_mem

    def __call__(self, *args: Any) -> None:
        """Launch it; see `RawKernel.__call__`."""
        self._kernel(
            self._grid, self._block, args, shared_mem=self._shared_mem, stream=self._stream
        )

    def __repr__(self) -> str:
        return f"<{self._kernel.name}[{self._grid}, {self._block}]>"
