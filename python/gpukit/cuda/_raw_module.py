"""A module of one's own, under CuPy's name: `gpukit.cuda.RawModule`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpukit.cuda import _code_text
from gpukit.cuda._context import present_index
from gpukit.cuda._program import Program, checked_expressions, checked_options
from gpukit.cuda._raw_kernel import RawKernel, check_backend, one_name
from gpukit.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from gpukit._core import DTypeLike, Tensor


def _plain_path(path: object) -> Path:
    """The path of a file; a device or a pipe would be read forever."""
    if not isinstance(path, (str, Path)):
        raise TypeError(f"RawModule: path must be a str or a Path, got {path!r}")
    found = Path(path)
    if found.exists() and not found.is_file():
        raise ArgumentError(f"RawModule: path must name a file, and '{found}' is none")
    return found


class RawModule:
    """Kernels and variables of one CUDA C++ source, PTX text or cubin; see `RawKernel`.

    Args:
        code: CUDA C++ or PTX, or the bytes of a cubin.
        path: A file with one of these, instead of code.
        options: Of the compiler, e.g. ("-DN=3", "-Iinclude").
        backend: "nvrtc".
        translate_cucomplex: False; cuComplex.h compiles unchanged.
        enable_cooperative_groups: All blocks of a launch are resident at a time.
        name_expressions: C++ names of kernels, such as "scale<float>", which get_function takes.
        jitify: False.

    Raises:
        TypeError: Neither code nor path is given, or both; a value of the wrong type.
        ArgumentError: A value that will not do.
        OSError: The file cannot be read.
        CompileError: At the first use; see `RawKernel`.

    Example:
        >>> import gpukit
        >>> source = '''
        ... __constant__ float factor;
        ... template <class T> __global__ void scale(T* x) { x[threadIdx.x] *= factor; }'''
        >>> module = gpukit.cuda.RawModule(code=source, name_expressions=["scale<double>"])
        >>> with gpukit.simulate(1):
        ...     _ = module.get_global("factor", dtype="float32").fill_(3)
        ...     x = gpukit.ones(2, device="cuda", dtype="float64")
        ...     module.get_function("scale<double>")((1,), (2,), (x,))
        ...     x.tolist()
        [3.0, 3.0]
    """

    def __init__(
        self,
        code: str | bytes | None = None,
        *,
        path: Any = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
    ) -> None:
        check_backend("RawModule", backend, translate_cucomplex, jitify, name_expressions)
        if (code is None) == (path is None):
            raise TypeError("RawModule: give either code or path")
        self._path = None if path is None else _plain_path(path)
        content: object = code if self._path is None else self._path.read_bytes()
        expressions = checked_expressions("RawModule", name_expressions)
        program = Program(
            _code_text.read_code("RawModule", content),
            "module.cu" if self._path is None else self._path.name,
            checked_options("RawModule", options),
            expressions,
        )
        if expressions and not program.is_source:
            raise ArgumentError(
                "RawModule: name_expressions are for CUDA C++, not for compiled code"
            )
        self._program = program
        self._cooperative = bool(enable_cooperative_groups)

    def __repr__(self) -> str:
        return f"<gpukit.cuda.RawModule {self._program.name}>"

    def get_function(self, name: str) -> RawKernel:
        """Return a kernel by its name, or by one of name_expressions.

        Compiles for the current device if that has not been done.

        Args:
            name: The kernel's name.

        Raises:
            ArgumentError: There is no such kernel; the message says what is near.
            CompileError: See the class.
            DeviceNotFoundError: There is no usable GPU.
        """
        one_name("get_function", name)
        index = present_index("get_function", None)
        self._program.entry(name, index)
        kernel = RawKernel.__new__(RawKernel)
        kernel.__setstate__((self._program, name, self._cooperative, {}))
        return kernel

    def get_global(self, name: str, dtype: DTypeLike = "uint8") -> Tensor:
        """Return the memory of a `__device__` or `__constant__` variable on the current device.

        Args:
            name: Its name: as in the source if it is `extern "C"` or outside of
                namespaces.
            dtype: Of the elements; "uint8" for the bytes. CuPy returns a pointer here.

        Returns:
            A tensor of one dimension over the variable itself: what is written there is seen by
            the kernels.

        Raises:
            ArgumentError: There is no such variable.
            DTypeError: Its size is not a multiple of the element size.
            CompileError: See the class.
            DeviceNotFoundError: There is no usable GPU.
        """
        one_name("get_global", name)
        index = present_index("get_global", None)
        return self._program.on(index).code.variable(name, name, dtype)

    def compile(self, log_stream: TextIO | None = None) -> None:
        """Compile and load it for the current device now.

        Args:
            log_stream: Receives what the compiler said: its warnings.

        Raises:
            CompileError: See the class.
            DeviceNotFoundError: There is no usable GPU.
        """
        loaded = self._program.on(present_index("RawModule.compile", None))
        if log_stream is not None:
            log_stream.write(loaded.log)

    @property
    def code(self) -> str | bytes | None:
        """The source; None for a file."""
        return self._program.code if self._path is None else None

    @property
    def file_path(self) -> str | None:
        """The file that it was made of, or None."""
        return None if self._path is None else str(self._path)

    @property
    def options(self) -> tuple[str, ...]:
        """The compiler's options."""
        return self._program.options

    @property
    def name_expressions(self) -> tuple[str, ...]:
        """The C++ names that get_function accepts besides those of `extern "C"`."""
        return self._program.expressions

    @property
    def backend(self) -> str:
        """Always "nvrtc"."""
        return "nvrtc"

    @property
    def enable_cooperative_groups(self) -> bool:
        """True where all blocks of a launch are resident at a time."""
        return self._cooperative
