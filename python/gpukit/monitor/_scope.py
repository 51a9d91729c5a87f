"""What begins and ends with a `with` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Scope(ABC):
    """Something to start and stop, also by `with`."""

    @abstractmethod
    def start(self) -> Self:
        """Begin."""

    @abstractmethod
    def stop(self) -> None:
        """End. Calling it twice is fine."""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
