"""Calls every kernel family once on the GPU, beside the CPU; exit code 1 if one differs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import gpukit

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16")
WIDE = ("float32", "float64")
ROWS, COLUMNS = 33, 65


def operand(dtype: str) -> gpukit.Tensor:
    """Small whole numbers, positive, exact in every dtype."""
    values = np.random.default_rng(3).integers(1, 4, (ROWS, COLUMNS))
    return gpukit.tensor(values.astype(np.float64)).to(dtype)


ANY: dict[str, Callable[[Any], Any]] = {
    "copy": lambda x: x.clone(),
    "transpose": lambda x: x.t().contiguous(),
    "cast": lambda x: x.to("float32"),
    "fill": lambda x: gpukit.full_like(x, 1),
    "where": lambda x: gpukit.where(x < 2, x, x),
    "triangle": gpukit.tril,
    "gather": lambda x: x[x.to("int64")[:, 0] % 3],
    "sum": lambda x: x.sum(1),
    "max": lambda x: x.amax(0),
    "sort": lambda x: gpukit.sort(x.flatten())[0],  # long enough for digits, but of 8-byte dtypes
    "compare": lambda x: x < 2,
    "step": lambda x: x[::2, 1::3].clone(),
}


def put_rows(x: gpukit.Tensor) -> gpukit.Tensor:
    """A scatter whose rows do not repeat."""
    y = x.clone()
    y[gpukit.arange(0, ROWS, 2, device=x.device)] = x[: (ROWS + 1) // 2]
    return y


def added_rows(x: gpukit.Tensor) -> gpukit.Tensor:
    """A scatter that adds: two rows each go to the same place."""
    places = (gpukit.arange(ROWS) // 2).to(x.device)
    return gpukit.zeros_like(x).index_add_(0, places, x)


NUMBERS: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x + x,
    "sub": lambda x: x - x,
    "mul": lambda x: x * x,
    "maximum": lambda x: gpukit.maximum(x, x),
    "neg": lambda x: -x,
    "clamp": lambda x: x.clamp(1, 2),
    "cumsum": lambda x: x.cumsum(1),
    "scatter": put_rows,
    "scatter_add": added_rows,
    "matmul": lambda x: x @ x.t(),
}


def loss_gradient(x: gpukit.Tensor) -> gpukit.Tensor:
    """Forward and backward of the cross entropy."""
    logits = x.clone().requires_grad_()
    target = (gpukit.arange(ROWS) % COLUMNS).to(x.device)
    gpukit.nn.functional.cross_entropy(logits, target).backward()
    return logits.grad


def optimizer_step(x: gpukit.Tensor) -> gpukit.Tensor:
    parameter = gpukit.nn.Parameter(x.clone())
    parameter.grad = x
    gpukit.optim.Adam([parameter], lr=0.1).step()
    return parameter.detach()


def scaled_sigmoid(x: gpukit.Tensor) -> gpukit.Tensor:
    return (x * 2 + 1).sigmoid() - x


FLOATING: dict[str, Callable[[Any], Any]] = {
    "div": lambda x: x / (x + 1),
    "exp": lambda x: x.exp(),
    "tanh": lambda x: x.tanh(),
    "sqrt": lambda x: x.sqrt(),
    "sigmoid": lambda x: x.sigmoid(),
    "relu": lambda x: x.relu(),
    "softmax": lambda x: gpukit.softmax(x, 1),
    "layer_norm": lambda x: gpukit.nn.functional.layer_norm(x, (COLUMNS,)),
    "loss": loss_gradient,
    "optimizer": optimizer_step,
    "var": lambda x: x.var(1),
    "cumulative": lambda x: x.logcumsumexp(1),
    "special": lambda x: gpukit.special.gammaln(x) + gpukit.special.erf(x),
    "chain": gpukit.compile(scaled_sigmoid),
    "uniform": lambda x: drawn(x, gpukit.rand_like),
    "normal": lambda x: drawn(x, gpukit.randn_like),
}


# Of float32 and float64, whose complex numbers have twice the bytes.
COMPLEX: dict[str, Callable[[Any], Any]] = {
    "complex product": lambda x: gpukit.view_as_real(
        gpukit.complex(x, x + 1) * gpukit.complex(x, x)
    ),
    "complex function": lambda x: gpukit.view_as_real(gpukit.complex(x, x + 1).exp()),
    "fft": lambda x: gpukit.view_as_real(gpukit.fft.fft(x, dim=1)),
    "rfft": lambda x: gpukit.view_as_real(gpukit.fft.rfft(x[:, :64], dim=1)),
    "convolution": lambda x: gpukit.nn.functional.conv2d(x[None, None], x[None, None, :3, :3]),
    "pooling": lambda x: gpukit.nn.functional.max_pool2d(x[None, None], 2),
    "attention": lambda x: gpukit.nn.functional.scaled_dot_product_attention(
        *(3 * (x[:32, :64].reshape(1, 2, 16, 64) / 8,))
    ),
    "solve": lambda x: gpukit.linalg.solve(
        x[:8, :8] + 9 * gpukit.eye(8, device=x.device), x[:8, 8:]
    ),
}


def drawn(x: gpukit.Tensor, draw: Callable[[Any], Any]) -> gpukit.Tensor:
    gpukit.manual_seed(5)
    return draw(x)


def tolerance(dtype: str) -> float:
    return {"float16": 1e-2, "bfloat16": 8e-2, "float64": 1e-12}.get(dtype, 2e-5)


def differs(name: str, dtype: str, function: Callable[[Any], Any]) -> str:
    """Why the GPU's answer is not the CPU's; empty if it is."""
    x = operand(dtype)
    expected = function(x).to("float64").numpy()
    got = function(x.to("cuda:0")).cpu().to("float64").numpy()
    if np.allclose(got, expected, rtol=tolerance(dtype), atol=tolerance(dtype)):
        return ""
    return f"{name} {dtype}: largest difference {np.max(np.abs(got - expected)):.3g}"


def cases() -> list[tuple[str, str, Callable[[Any], Any]]]:
    table = [(name, d, f) for name, f in ANY.items() for d in (*DTYPES, *WIDE)]
    table += [(name, d, f) for name, f in NUMBERS.items() for d in (*DTYPES[1:], *WIDE)]
    table += [(name, d, f) for name, f in FLOATING.items() for d in ("float16", "bfloat16", *WIDE)]
    table += [(name, d, f) for name, f in COMPLEX.items() for d in WIDE]
    return table


def main() -> int:
    faults = [fault for case in cases() if (fault := differs(case[0], case[1], case[2]))]
    for fault in faults:
        print(fault)
    print(f"{len(cases())} calls, {len(faults)} differ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
