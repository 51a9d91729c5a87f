"""Progress of longer work: a line in a terminal, a bar in a notebook, nothing when piped."""

from __future__ import annotations

import html
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gpukit._language import shown

if TYPE_CHECKING:
    from typing_extensions import Self


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs, also Colab's, whose class is derived from Jupyter's."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__)


class Progress:
    """Shows what is being done, step by step.

    A terminal shows one line on stderr, cleared at the end. A notebook shows a bar by a plain
    display handle, which is empty at the end. Elsewhere nothing is written.

    Example:
        >>> from gpukit.report import Progress
        >>> with Progress(total=2) as progress:
        ...     progress.step("first")
        ...     progress.step("second")
    """

    def __init__(self, total: int, *, visible: bool = True) -> None:
        self.total = total
        self.done = 0
        self._handle: Any = None
        self._terminal = visible and sys.stderr.isatty() and not in_notebook()
        self._notebook = visible and in_notebook()

    def step(self, text: str) -> None:
        """Names the step that begins now."""
        self.done += 1
        text = shown(text)
        if self._terminal:
            sys.stderr.write(f"\r\x1b[2K[{self.done}/{self.total}] {text}")
            sys.stderr.flush()
        elif self._notebook:
            bar = f'<progress max="{self.total}" value="{self.done}"></progress>'
            self._show(f"[{self.done}/{self.total}] {text}", bar)

    def _show(self, text: str, bar: str = "") -> None:
        from IPython.display import display

        bundle = {"text/plain": text, "text/html": f"{bar} {html.escape(text)}"}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._terminal and self.done:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
        elif self._notebook and self._handle is not None:
            self._show("")
