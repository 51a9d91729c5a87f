"""What other formats call the dtypes of gpukit."""

from __future__ import annotations

from gpukit._dtypes import ROWS

# torch gave its later dtypes no storage class.
STORAGE_OF = {row.name: row.storage for row in ROWS.values() if row.storage}
SAFETENSORS_OF = {row.name: row.safetensors for row in ROWS.values() if row.safetensors}
BY_NAME = {row.name: dtype for dtype, row in ROWS.items()}
BY_STORAGE = {row.storage: dtype for dtype, row in ROWS.items() if row.storage}
BY_SAFETENSORS = {row.safetensors: dtype for dtype, row in ROWS.items() if row.safetensors}
