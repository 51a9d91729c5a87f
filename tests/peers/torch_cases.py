"""The cases of the derivative table that torch has, too."""

from __future__ import annotations

import torch

import gpukit
from support.gradients import CASES

# An elementwise operator that torch lacks is left to finite differences.
# What torch has elsewhere; their cases call it there.
ELSEWHERE = {"gelu", "zeta"}
# A case named for a function of gpukit that torch lacks has no peer.
SHARED = [
    case
    for case in CASES
    if case.name in ELSEWHERE or hasattr(torch, case.name) or not hasattr(gpukit, case.name)
]
