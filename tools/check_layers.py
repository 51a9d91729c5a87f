"""The include rule of the house: which folder of csrc may use which, and who may touch what.

The import rule of python/gpukit stands in tools/python_layers.py and is run with it.

Prints each broken rule as `file:line: message`; exit code 1 if there is one. The tables are the
rule; docs/architecture.md explains it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import python_layers

ROOT = Path(__file__).resolve().parent.parent
OP_CODES = "kernels/op_codes.h"
ELEMENTWISE = f"{OP_CODES} kernels/elementwise.def"


@dataclass(frozen=True)
class Row:
    """What the files of one folder may include, beside the folder's own headers."""

    folders: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()  # patterns of single headers elsewhere in csrc
    system: frozenset[str] | None = None  # patterns of <headers>; None: any that no rule reserves


def row(folders: str = "", files: str = "", system: str | None = None) -> Row:
    """A row from words."""
    patterns = None if system is None else frozenset(system.split())
    return Row(frozenset(folders.split()), frozenset(files.split()), patterns)


LAYERS: dict[str, Row] = {
    "base": row(),
    "core": row("base"),
    "driver": row("base"),
    "backend": row("core base", ELEMENTWISE),
    "memory": row("backend core base"),
    "kernels": row(files="base/dtypes.def", system="cuda_fp16.h cuda_bf16.h"),
    "cpu": row(
        "backend core base",
        f"{OP_CODES} kernels/portable.h kernels/scalar_ops.h kernels/complex_math.h "
        "kernels/kernel_args.h kernels/philox.h",
    ),
    "cuda": row(
        "backend driver core base",
        f"{OP_CODES} kernels/kernel_args.h kernels/kernel_list.h kernels/images.h kernels/philox.h "
        "kernels/chain_operators.h",
    ),
    "meta": row("backend core base"),
    "tensor": row("memory backend core base", OP_CODES),
    "ops": row("tensor memory backend core base", ELEMENTWISE),
    "autograd": row("ops tensor core base", ELEMENTWISE),
    "bindings": row(
        "base core driver backend memory cpu cuda tensor ops autograd", f"kernels/*.h {ELEMENTWISE}"
    ),
    "ptx": row("base"),
    "sim": row("base kernels ptx", "driver/*_functions.h driver/cublas_abi.h"),
}

# Single files that may do more than their folder.
EXCEPTIONS: dict[str, Row] = {
    "kernels/device_compat.h": row(system="cuda_fp16.h cuda_bf16.h"),
    # Host-side files of the folder: the image index and its reader.
    "kernels/image_order.h": row(system="cstddef"),
    "kernels/image_order.cpp": row(system="cstring"),
    "kernels/cubin_order.h": row(system="cstddef"),
    "kernels/cubin_order.cpp": row(system="algorithm array cstdint cstring elf.h vector"),
    "kernels/ptx_order.h": row(system="cstddef"),
    "kernels/ptx_order.cpp": row(
        system="algorithm charconv cstdint cstring string_view system_error vector"
    ),
    "kernels/images.h": row(system="cstddef"),
    "kernels/images.cpp": row(system="cstdint cstring lzma.h memory mutex new utility vector"),
    # Shared with cpu/, and the mathematics that NVRTC has built in.
    "kernels/portable.h": row(files="base/half.h", system="*"),
    "kernels/scalar_math.h": row(system="math.h cmath"),
    "kernels/philox.h": row(system="math.h cmath"),
}


@dataclass(frozen=True)
class Reserved:
    """Text that only some files may hold."""

    what: str
    pattern: re.Pattern[str]
    allowed: tuple[str, ...]
    applies_to: tuple[str, ...] = ("*",)

    def forbids(self, path: str) -> bool:
        """Whether `path`, relative to csrc, may not hold the text."""
        applies = any(fnmatch(path, pattern) for pattern in self.applies_to)
        return applies and not any(fnmatch(path, pattern) for pattern in self.allowed)


def reserved(what: str, pattern: str, allowed: str, applies_to: str = "*") -> Reserved:
    """A Reserved from words."""
    return Reserved(what, re.compile(pattern), tuple(allowed.split()), tuple(applies_to.split()))


# A capability has a name of its own, such as shares_memory_with_others. The label 'simulated' goes
# from the driver's file to people through these files, and nothing in them is decided by it.
LABEL_FILES = (
    "driver/cuda_library.* driver/load_report.h backend/backend.h backend/device_properties.h "
    "cuda/cuda_backend.cpp bindings/session_hook.h bindings/bind_session.cpp "
    "bindings/bind_device.cpp bindings/bind_diagnostics.cpp"
)

RESERVED = [
    reserved("Python and pybind11", r"#\s*include\s*[<\"](Python\.h|pybind11/)", "bindings/*"),
    reserved("CUDA's driver headers", r"#\s*include\s*<cuda", "driver/* cuda/* sim/* kernels/*"),
    reserved(
        "dlopen and dlsym",
        r"\b(dlopen|dlmopen|dlsym)\s*\(",
        "base/dynamic_library.cpp sim/bridge_exports.cpp sim/cublas_gemm.h sim/nccl_exports.cpp "
        "sim/nvml_state.cpp",
    ),
    # GCC 11 has another one.
    reserved("shuffles of vectors", r"\b__builtin_shuffle", "cpu/simd/vector.h"),
    reserved("getenv", r"\b(secure_)?getenv\s*\(", "base/env.cpp"),
    # zig's library, which release wheels have, answers no to each.
    reserved(
        "__builtin_cpu_supports (ask base/x86_features.h)", r"\b__builtin_cpu_(is|supports)\b", ""
    ),
    reserved("SIMD intrinsics", r"#\s*include\s*<\w*intrin\.h>|<arm_neon\.h>", "cpu/simd/*"),
    reserved("raw __shared__", r"\b__shared__\b", "kernels/device_compat.h sim/device_runtime.h"),
    reserved("__global__", r"\b__global__\b", "kernels/* sim/device_runtime.h"),
    # The threads of a block take turns in the simulator: one that waits for another never ends.
    reserved(
        "a wait for another thread of the kernel",
        r"\bvolatile\b|\b__nanosleep\b|\bwhile\s*\(\s*(!\s*)?(atomic|ld_)",
        "kernels/device_compat.h",
        "kernels/*",
    ),
    # libdevice's take the processor's approximate reciprocal root for granted at the extremes.
    reserved(
        "a root that the library approximates (gk_hypot, 1 / gk_sqrt)",
        r"(?<!\w)(r?hypotf?|rsqrtf?|r?norm[34]df?|r?cbrtf?)\s*\(|MATH_FUNCTION\w*\((hypot|rsqrt|cbrt)\)",
        "",
        "kernels/*",
    ),
    reserved("abort and exit", r"(?<![.>\w])(std::)?(abort|exit)\s*\(", "sim/*"),
    reserved(
        "printing",
        r"(?<![\w.>])(std::)?(printf|fprintf|puts|fputs)\s*\(|std::(cout|cerr|clog)\b",
        "base/log.cpp sim/*",
    ),
    # A call counts the dimensions that a user names from 0 where it enters, once (ops::dim_of).
    reserved("a second look at the dims of a call", r"\bnormalize_dim\s*\(", "", "autograd/*"),
    reserved(
        "the label 'simulated'",
        r"simulated",
        f"sim/* {LABEL_FILES}",
    ),
    reserved(
        "a decision on whether the device is simulated",
        r"\b(if|while|switch)\s*\([^;{]*simulated|simulated\w*(\(\))?\s*(\?|&&|\|\||==|!=)"
        r"|!\s*[\w.>()-]*simulated|\bGPUKIT_CHECK\([^;]*simulated",
        "",
        LABEL_FILES,
    ),
    reserved(
        "std::format and other C++23 or GCC 13 library parts",
        r"#\s*include\s*<(format|print|expected|stacktrace|generator|mdspan)>",
        "",
    ),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL
)
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".inl"}


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass
class Source:
    """A file of csrc, with its comments and strings blanked out."""

    path: str  # relative to csrc
    text: str
    code: str = field(init=False)

    def __post_init__(self) -> None:
        self.code = COMMENT_OR_STRING.sub(_blank, self.text)

    def line_of(self, position: int) -> int:
        """The line number of a position in `text`."""
        return self.text.count("\n", 0, position) + 1


def _blank(match: re.Match[str]) -> str:
    text = match.group()
    if text.startswith('"'):
        # Include paths are strings too, and short ones are kept for the patterns above.
        return text if "/" in text and text.endswith('.h"') else '""'.ljust(len(text))
    return "".join(character if character == "\n" else " " for character in text)


def top_folder(path: str) -> str:
    """The folder of csrc that `path` stands in."""
    return path.split("/", maxsplit=1)[0]


def may_include(path: str, header: str) -> bool:
    """Whether the file `path` may include the project's `header`."""
    folder, target = top_folder(path), top_folder(header)
    rules = [LAYERS[folder], *([EXCEPTIONS[path]] if path in EXCEPTIONS else [])]
    if target == folder or any(target in rule.folders for rule in rules):
        return True
    return any(fnmatch(header, pattern) for rule in rules for pattern in rule.files)


def may_include_system(path: str, header: str) -> bool:
    """Whether the file `path` may include `<header>`, as far as its row says."""
    allowed = LAYERS[top_folder(path)].system
    if allowed is None:
        return True
    if path in EXCEPTIONS:
        allowed |= EXCEPTIONS[path].system or frozenset()
    return any(fnmatch(header, pattern) for pattern in allowed)


def check_includes(source: Source, root: Path) -> Iterator[Finding]:
    """Arrows that point the wrong way, and headers that are not there."""
    name = f"csrc/{source.path}"
    folder = top_folder(source.path)
    for match in INCLUDE.finditer(source.text):
        line, header = source.line_of(match.start()), match.group(2)
        if match.group(1) == "<":
            if not may_include_system(source.path, header):
                yield Finding(name, line, f"{folder}/ may not include <{header}>")
        elif top_folder(header) not in LAYERS:
            yield Finding(name, line, f'"{header}" is not a path that starts at csrc')
        elif not may_include(source.path, header):
            yield Finding(name, line, f'{folder}/ may not include "{header}"')
        elif not (root / "csrc" / header).exists():
            yield Finding(name, line, f'"{header}" does not exist')


def check_reserved(source: Source) -> Iterator[Finding]:
    """Text that stands where it may not."""
    for rule in RESERVED:
        if not rule.forbids(source.path):
            continue
        for match in rule.pattern.finditer(source.code):
            line = source.line_of(match.start())
            places = ", ".join(rule.allowed) or "nowhere here"
            yield Finding(f"csrc/{source.path}", line, f"{rule.what}: allowed in {places}")


def sources(root: Path) -> Iterator[Source]:
    """All files of csrc that a rule can read."""
    for path in sorted((root / "csrc").rglob("*")):
        if path.suffix in SOURCE_SUFFIXES:
            relative = path.relative_to(root / "csrc").as_posix()
            yield Source(relative, path.read_text(encoding="utf-8"))


UPPER_PYTHON = {
    "_cli", "array_api", "bench", "cli", "cloud", "doctor", "lint", "monitor", "nn", "optim",
    "testing", "utils",
}  # fmt: skip


def module_level_imports(tree: ast.Module) -> Iterator[tuple[int, str, int]]:
    """(line, module, relative level) of each import that runs when the module is imported."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or "", node.level
            if not node.module or node.module == "gpukit":
                prefix = f"{node.module}." if node.module else ""
                for alias in node.names:
                    yield node.lineno, prefix + alias.name, node.level
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def check_python(root: Path) -> Iterator[Finding]:
    """The modules that every user loads import no tool, nothing heavy, and read no environment."""
    package = root / "python" / "gpukit"
    for path, line, message in python_layers.faults(package):
        yield Finding(path.relative_to(root).as_posix(), line, message)
    for path in sorted(package.rglob("*.py")):
        relative = path.relative_to(package).as_posix()
        name = f"python/gpukit/{relative}"
        text = path.read_text(encoding="utf-8")
        if relative != "_env.py":
            for match in re.finditer(r"\bos\.(environ|getenv)\b", text):
                line = text.count("\n", 0, match.start()) + 1
                yield Finding(name, line, "os.environ: allowed in _env.py")
        private = relative.startswith("_") and not relative.startswith("_cli/")
        if (private or "/" not in relative) and relative not in {"cli.py", "__main__.py"}:
            yield from check_light_module(name, ast.parse(text))
    for light in ("gpukit_dask", "gpukit_pytest"):
        yield from check_light_package(root / "python" / light)


def check_light_package(package: Path) -> Iterator[Finding]:
    """Every project's pytest, or dask, imports it, so it imports gpukit only inside functions."""
    light = {*sys.stdlib_module_names, "pytest", package.name} - {"ctypes"}
    for path in sorted(package.glob("*.py")):
        for line, module, _ in module_level_imports(ast.parse(path.read_text(encoding="utf-8"))):
            if module.split(".")[0] not in light:
                text = f"{module} must be imported inside a function"
                yield Finding(f"python/{package.name}/{path.name}", line, text)


def check_light_module(name: str, tree: ast.Module) -> Iterator[Finding]:
    """What a module directly in gpukit/ or in a private room may import when it is imported."""
    for line, module, level in module_level_imports(tree):
        parts = module.split(".")
        inside = level > 0 or parts[0] == "gpukit"
        local = parts if level > 0 else parts[1:]
        if inside and local and local[0] in UPPER_PYTHON:
            yield Finding(name, line, f"gpukit.{local[0]} stands above this module")
        if not inside and parts[0] not in sys.stdlib_module_names:
            yield Finding(name, line, f"{parts[0]} must be imported inside a function")


def check(root: Path = ROOT) -> list[Finding]:
    """All findings in the tree at `root`."""
    findings: set[Finding] = set(check_python(root))
    for source in sources(root):
        if top_folder(source.path) not in LAYERS:
            findings.add(Finding(f"csrc/{source.path}", 1, "its folder has no row in the table"))
            continue
        findings.update(check_includes(source, root))
        findings.update(check_reserved(source))
    return sorted(findings)


def main() -> int:
    """Print the findings."""
    findings = check()
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
