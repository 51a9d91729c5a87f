"""pytest plugin: runs one of GPU_DAY_PARTS parts of the suite, chosen by GPU_DAY_SEED."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    parts, seed = int(os.environ["GPU_DAY_PARTS"]), int(os.environ["GPU_DAY_SEED"])

    def chosen(item: pytest.Item) -> bool:
        return (zlib.crc32(item.nodeid.encode()) + seed) % parts == 0

    left_out = [item for item in items if not chosen(item)]
    items[:] = [item for item in items if chosen(item)]
    config.hook.pytest_deselected(items=left_out)
