"""The arguments of `gpukit.simulate()` as the text of GPUKIT_SIMULATE."""

from __future__ import annotations

import re
from typing import Any

from gpukit._arguments import int_from, plain

CHECKS = {"memory", "race", "init", "sync", "all"}


def text_of(
    n: int,
    card: Any,
    *,
    memory: Any,
    link_gbps: Any,
    launch_us: Any,
    realtime: Any,
    fault: Any,
    seed: Any,
    engine: Any,
    check: Any,
    counts: Any,
) -> str:
    """The text, or a TypeError or ValueError that names the argument that will not do."""
    parts = [_devices(n, card)]
    parts += [_memory(memory)] if memory is not None else []
    parts += [_number("link_gbps", link_gbps)] if link_gbps is not None else []
    parts += [_number("launch_us", launch_us)] if launch_us is not None else []
    _refuse_no_bool("realtime", realtime)
    seed = int_from("simulate", "seed", seed, 0)
    if fault is not None and not isinstance(fault, str):
        raise TypeError(f"simulate: fault must be text such as 'oom@3', got {fault!r}")
    if engine not in {"host", "ptx"}:
        raise ValueError(f"simulate: engine must be 'host' or 'ptx', got {engine!r}")
    parts += [f"engine={engine}"] if engine != "host" else []
    parts += [_check(check)] if check is not None else []
    _refuse_no_bool("counts", counts)
    parts += ["counts=1"] if counts else []
    parts += ["realtime=1"] if realtime else []
    parts += [f"order=rnd:{seed}"] if seed else []
    parts += [f"fault={fault}"] if fault is not None else []
    return ",".join(parts)


def bytes_of(memory: Any) -> int:
    """The bytes of a memory that `text_of` has taken."""
    units = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
    match = re.fullmatch(r"\s*([\d.]+)\s*([kmg]?)i?b?\s*", str(memory).lower())
    assert match is not None
    return int(float(match[1]) * units[match[2]])


def _refuse_no_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"simulate: {name} must be True or False, got {value!r}")


def _number(name: str, value: Any) -> str:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"simulate: {name} must be a number, got {value!r}")
    if not value >= 0 or value == float("inf"):
        raise ValueError(f"simulate: {name} must be 0 or more, got {value!r}")
    return f"{name}={value!r}"


def _check(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"simulate: check must be text such as 'race+init', got {value!r}")
    if not set(value.split("+")) <= CHECKS:
        names = ", ".join(sorted(CHECKS))
        raise ValueError(f"simulate: check must be made of {names}, joined by '+', got {value!r}")
    return f"check={value}"


def _memory(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise TypeError(f"simulate: memory must be bytes or text such as '4GiB', got {value!r}")
    if isinstance(value, int) and value <= 0:
        raise ValueError(f"simulate: memory must be above 0 bytes, got {value!r}")
    if isinstance(value, str) and not re.fullmatch(
        r"\s*[\d.]+\s*([KMG]i?)?B?\s*", value, re.IGNORECASE
    ):
        raise ValueError(f"simulate: memory must be text such as '4GiB', got {value!r}")
    return f"mem={value}"


def _devices(n: int, card: Any) -> str:
    if not 1 <= n <= 64:
        raise ValueError(f"simulate: n must be 1 to 64, got {n!r}")
    if not isinstance(card, str):
        raise TypeError(f"simulate: card must be text such as 'T4', got {card!r}")
    if "," in card or "=" in card or not card.strip():
        raise ValueError(f"simulate: card must be one name such as 'T4', got {card!r}")
    return f"{n}x{card}"
