"""torch.utils.hooks: the class of what `register_hook` and its kind return."""

from __future__ import annotations

from gpukit._handles import RemovableHandle

__all__ = ["RemovableHandle"]
