"""What nvidia-smi shows: a table of GPUs and a table of their processes."""

from __future__ import annotations

from typing import Any

from gpukit.monitor._snapshot import Snapshot, snapshot
from gpukit.monitor.gpu_tables import process_table
from gpukit.report import Table


class SmiTable(Table):
    """What `gpukit.smi()` returns: the table of GPUs, and under it that of their processes.

    `.snapshot` holds the values.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2, "T4"):
        ...     table = gpukit.smi()
        >>> len(table.snapshot.gpus)
        2
    """

    snapshot: Snapshot

    @classmethod
    def of(cls, taken: Snapshot) -> SmiTable:
        """The table of a snapshot."""
        base = taken.to_table()
        table = cls(base.title, base.columns, base.rows, base.notes)
        table.snapshot = taken
        return table

    @property
    def reason(self) -> str:
        """Why there is no GPU; "" when there is one."""
        return self.snapshot.reason

    def to_html(self) -> str:
        """Both tables as HTML fragments."""
        if not self.snapshot.gpus:
            return super().to_html()
        return super().to_html() + process_table(self.snapshot.processes).to_html()

    def to_markdown(self) -> str:
        """Both tables as Markdown."""
        if not self.snapshot.gpus:
            return super().to_markdown()
        return f"{super().to_markdown()}\n\n{process_table(self.snapshot.processes).to_markdown()}"

    def to_dict(self) -> dict[str, Any]:
        """The snapshot as a dict."""
        return self.snapshot.to_dict()

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield from super().__rich_console__(console, options)
        if self.snapshot.gpus:
            yield process_table(self.snapshot.processes)


def smi(*, file: Any = None) -> SmiTable:
    """Return what nvidia-smi shows, without the binary; simulated GPUs too.

    Args:
        file: where to print the table as well, e.g. sys.stdout.

    Example:
        >>> import gpukit
        >>> table = gpukit.smi()
        >>> bool(table.snapshot.gpus) or bool(table.reason)
        True
    """
    table = SmiTable.of(snapshot())
    if file is not None:
        table.print(file)
    return table
