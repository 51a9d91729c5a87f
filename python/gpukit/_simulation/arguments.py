"""The arguments of `gpukit.simulate()` as the text of GPUKIT_SIMULATE."""

from __future__ import annotations

from typing import Any

from gpukit._arguments import bytes_of, int_from, number_of


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
    parts += [f"mem={memory_of(memory)}"] if memory is not None else []
    parts += [_number("link_gbps", link_gbps)] if link_gbps is not None else []
    parts += [_number("launch_us", launch_us)] if launch_us is not None else []
    _refuse_no_bool("realtime", realtime)
    seed = int_from("simulate", "seed", seed, 0)
    if fault is not None and not isinstance(fault, str):
        raise TypeError(f"simulate: fault must be text such as 'oom@3', got {fault!r}")
    if fault is not None and (set(fault) & {",", "\0"} or not _is_utf8(fault)):
        raise ValueError(f"simulate: fault must be one name such as 'oom@3', got {fault!r}")
    if not isinstance(engine, str) or engine not in {"host", "ptx"}:
        raise ValueError(f"simulate: engine must be 'host' or 'ptx', got {engine!r}")
    parts += [f"engine={engine}"] if engine != "host" else []
    parts += [_check(check)] if check is not None else []
    _refuse_no_bool("counts", counts)
    parts += ["counts=1"] if counts else []
    parts += ["realtime=1"] if realtime else []
    parts += [f"order=rnd:{seed}"] if seed else []
    parts += [f"fault={fault}"] if fault is not None else []
    return ",".join(parts)


def _is_utf8(text: str) -> bool:
    """Whether the driver can read it: a lone surrogate has no bytes."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _refuse_no_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"simulate: {name} must be True or False, got {value!r}")


def _number(name: str, value: Any) -> str:
    number = number_of("simulate", name, value)
    if not number >= 0 or number == float("inf"):
        raise ValueError(f"simulate: {name} must be 0 or more, got {value!r}")
    return f"{name}={float(number)!r}"


def _check(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"simulate: check must be text such as 'race+init', got {value!r}")
    if set(value) & set(",=\0") or not _is_utf8(value):
        raise ValueError(f"simulate: check must be names joined by '+', got {value!r}")
    return f"check={value}"


def memory_of(value: Any) -> int:
    """The bytes of each device."""
    count = bytes_of("simulate", "memory", value)
    if count <= 0:
        raise ValueError(f"simulate: memory must be above 0 bytes, got {value!r}")
    return count


def _devices(n: int, card: Any) -> str:
    if not 1 <= n <= 64:
        raise ValueError(f"simulate: n must be 1 to 64, got {n!r}")
    if not isinstance(card, str):
        raise TypeError(f"simulate: card must be text such as 'T4', got {card!r}")
    if set(card) & set(",=+\0") or not card.strip() or not _is_utf8(card):
        raise ValueError(f"simulate: card must be one name such as 'T4', got {card!r}")
    return f"{n}x{card}"
