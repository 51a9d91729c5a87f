"""The linter knows every name of the torch that is installed."""

from __future__ import annotations

import pytest
import torch

from support.lint_names import mistyped_names


@pytest.mark.parametrize("module", [torch, torch.cuda])
def test_no_name_of_torch_is_called_mistyped(module):
    assert mistyped_names(module) == []
