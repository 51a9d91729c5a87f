"""Worker processes of DataLoader once the driver was started: nothing is forked then."""

from __future__ import annotations

import pytest

import gpukit
from gpukit.utils.data import DataLoader


@pytest.mark.parametrize(
    ("context", "kind", "text"),
    [
        ("fork", RuntimeError, "multiprocessing_context='fork' after the GPU driver was started"),
        (None, ValueError, r"collate_fn.*cannot be pickled.*num_workers=0"),
    ],
)
def test_workers_are_not_forked(context, kind, text):
    gpukit.ones(1, device="cuda:0")
    loader = DataLoader(
        [1, 2], num_workers=1, collate_fn=lambda batch: batch, multiprocessing_context=context
    )
    with pytest.raises(kind, match=text):
        iter(loader)
