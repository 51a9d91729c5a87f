"""Sequences of several lengths in one tensor: padded, or packed step by step."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.nn.utils._packed_sequence import PackedSequence, invert_permutation
from gpukit.nn.utils._packing import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    unpack_sequence,
)
from gpukit.nn.utils._padding import pad_sequence, unpad_sequence

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

__getattr__ = module_getattr(__name__)
