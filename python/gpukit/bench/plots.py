"""Drawings of results. matplotlib is the extra "plot"."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gpukit._system import installing
from gpukit.report import Table, bytes_text

_WATERMARK = "simulated"


def draw(table: Table, path: Any = None, *, simulated: bool = False) -> Any:
    """Draws a result by its kind and returns the figure; saves it to `path` if one is given.

    Raises:
        ImportError: matplotlib is not installed. TypeError: this kind has nothing to draw.
    """
    kind = type(table).__name__
    if kind not in _DRAWERS:
        raise TypeError(f"plot: {kind} has no plot; these have one: {', '.join(_DRAWERS)}")
    figure = _figure()
    axes = figure.add_subplot()
    axes.set_title(table.title)
    _DRAWERS[kind](table, axes)
    axes.grid(visible=True, alpha=0.3)
    if axes.get_legend_handles_labels()[1]:
        axes.legend()
    if simulated:
        _mark_simulated(axes)
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure


def _figure() -> Any:
    """A figure that no window system and no global state of matplotlib knows."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        fix = installing.command("plot")
        raise ImportError(f"plot() needs matplotlib. Use: {fix}") from error
    return Figure(figsize=(7, 4.3), layout="constrained")


def _mark_simulated(axes: Any) -> None:
    axes.text(
        0.5,
        0.5,
        _WATERMARK,
        transform=axes.transAxes,
        fontsize=44,
        alpha=0.18,
        ha="center",
        va="center",
        rotation=25,
    )


def _line(axes: Any, rows: Iterable[dict[str, Any]], x: str, y: str, **style: Any) -> None:
    points = [(row[x], row[y]) for row in rows if row.get(x) is not None and row.get(y)]
    if points:
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, **style)


def _double_steps(axes: Any, text: Callable[[float, int], str]) -> None:
    """An axis of sizes in powers of two."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(text)


def _draw_samples(table: Any, axes: Any) -> None:
    for result in table:
        if result.samples:
            times = [1e3 * second for second in result.samples]
            label = f"{result.name} on {result.device_name}"
            axes.plot(times, ".", markersize=4, label=label)
            axes.axhline(1e3 * result.median, linewidth=0.8, color="0.5")
    axes.set(xlabel="sample", ylabel="time of one call (ms)", yscale="log")


def _draw_crossover(table: Any, axes: Any) -> None:
    for key, label in (
        ("cpu", "CPU"),
        ("gpu", "GPU, work alone"),
        ("gpu_total", "GPU with both copies"),
    ):
        _line(axes, table.rows, "n", key, label=label)
    for n in (table.n_compute, table.n_total):
        if n is not None:
            axes.axvline(n, linestyle="--", linewidth=0.8, color="0.5")
    axes.set(xlabel="size n", ylabel="time of one call (s)", yscale="log")
    _double_steps(axes, lambda n, _: f"{n:.0f}")


def _draw_bandwidth(table: Any, axes: Any) -> None:
    for kind in dict.fromkeys(row["kind"] for row in table.rows):
        rows = [row for row in table.rows if row["kind"] == kind]
        _line(axes, rows, "bytes", "gbps", label=kind)
    axes.set(xlabel="size", ylabel="GB/s", yscale="log")
    _double_steps(axes, lambda size, _: bytes_text(size))


def _draw_scaling(table: Any, axes: Any) -> None:
    rows = [row for row in table.rows if row.get("seconds") is not None]
    axes.bar([row["how"] for row in rows], [1e3 * row["seconds"] for row in rows])
    axes.set(ylabel="time (ms)")


def _draw_batching(table: Any, axes: Any) -> None:
    _line(axes, table.rows, "batch", "per_item", label="time of one product in a batch")
    axes.set(xlabel="products in one call", ylabel="time of a product (s)", yscale="log")
    _double_steps(axes, lambda count, _: f"{count:.0f}")


_DRAWERS: dict[str, Callable[[Any, Any], None]] = {
    "BenchTable": _draw_samples,
    "Crossover": _draw_crossover,
    "BandwidthTable": _draw_bandwidth,
    "ScalingResult": _draw_scaling,
    "BatchingResult": _draw_batching,
}
