"""Calls drawn at random, in gpukit and in torch or NumPy: the same results, errors, gradients."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from peers.generator import coverage, differences
from peers.generator.__main__ import MARK, noted_crash
from peers.generator.arguments import Array, Call
from peers.generator.calls import draw_call, kills_torch, with_out
from peers.generator.catalogue import rows
from peers.generator.runner import Runner

import gpukit

SEED = 20261122
TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def one_thread_of_torch():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(5))
def test_calls_drawn_at_random(part):
    runner = Runner(SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tally = runner.run(range(1000 * part, 1000 * (part + 1)))
    assert tally.calls == 1000
    assert tally.values > 500 and tally.gradients > 20 and tally.simulated > 20
    shown = "\n\n".join(map(str, tally.findings[:10]))
    assert not tally.findings, f"{len(tally.findings)} of {tally.calls} calls differ\n\n{shown}"


def test_every_public_name_is_drawn_or_has_a_reason():
    drawn, left_out, public = coverage.drawn(), coverage.not_drawn(), coverage.public()
    assert not sorted(public - drawn - set(left_out)), "neither in the catalogue nor in NOT_DRAWN"
    assert not sorted(set(left_out) & drawn), "drawn, so no reason is needed"
    assert not sorted(set(left_out) - public), "in NOT_DRAWN, but not public"


def test_the_same_seed_draws_the_same_calls():
    from peers.generator.arguments import snippet

    first, again = (snippet(draw_call(3, number)[0], "gpukit") for number in (17, 17))
    assert first == again
    assert len({draw_call(3, number)[1].key for number in range(300)}) > 100


def test_documented_differences_are_on_their_pages():
    names = [row.name for row in differences.TABLE]
    assert len(set(names)) == len(names)
    for row in differences.TABLE:
        text = " ".join((TESTS.parent / row.page).read_text().split())
        assert row.words in text, f"{row.page} does not say: {row.words}"


def _rows_named(*names):
    return tuple(row for row in rows() if row.name in names and row.library == "torch")


def test_a_child_that_dies_is_noted_and_the_run_goes_on(tmp_path):
    program = (
        "import os, sys; sys.argv = ['x', '--child', *sys.argv[1:]]\n"
        "from peers.generator import runner, __main__ as main\n"
        "one = runner.Runner.one\n"
        "dies = lambda self, number: os.abort() if number == 7 else one(self, number)\n"
        "runner.Runner.one = dies\n"
        "sys.exit(main.main())"
    )
    marks = tmp_path / "call"
    marks.write_bytes(b" " * MARK)
    run = subprocess.run(
        [sys.executable, "-c", program, "1", "0", "20", str(marks)],
        cwd=TESTS, env=os.environ, capture_output=True, check=False,
    )  # fmt: skip
    assert run.returncode < 0
    assert int(marks.read_text().split()[0]) == 7


@pytest.mark.parametrize("who", ["gpukit", "torch"])
def test_the_library_that_dies_is_named(tmp_path, who):
    program = (
        "import os, sys; who = sys.argv[1]; sys.argv = ['x', '--child', *sys.argv[2:]]\n"
        "from peers.generator import outcome, __main__ as main\n"
        "result = outcome.Run.result\n"
        "dies = lambda self: os.abort() if self.library.name == who else result(self)\n"
        "outcome.Run.result = dies\n"
        "sys.exit(main.main())"
    )
    marks = tmp_path / "call"
    marks.write_bytes(b" " * MARK)
    run = subprocess.run(
        [sys.executable, "-c", program, who, "1", "0", "20", str(marks)],
        cwd=TESTS, env=os.environ, capture_output=True, check=False,
    )  # fmt: skip
    assert run.returncode < 0
    record = {"crashes": [], "peer_crashes": []}
    at = noted_crash(record, marks.read_text(), 0, {"seed": 1})
    assert at < 20
    kind, other = ("crashes", "peer_crashes") if who == "gpukit" else ("peer_crashes", "crashes")
    assert record == {kind: [{"call": at, "library": who, "seed": 1}], other: []}


def test_calls_that_kill_torch_are_not_drawn():
    lowest = Array("int64", np.array([-(2**63)]))
    drawn = Call("function div", "function", "div", "div", [lowest, -1], {"rounding_mode": "trunc"})
    assert kills_torch(drawn)
    assert not kills_torch(replace(drawn, arguments=[lowest, 2]))
    assert gpukit.div(gpukit.tensor([-(2**63)]), -1, rounding_mode="trunc").item() == -(2**63)
    batch = with_out(replace(drawn, name="triu"), random.Random(1), "int64", (2, 3, 4))
    assert not any(view for array in batch.arrays() for view in array.views)


PLANTED = {}


def planted(*names):
    """A fault that was once in gpukit, put back: the generator has to see it."""

    def keep(function):
        PLANTED[function.__name__] = (names, function)
        return function

    return keep


@planted("add")
def alpha_in_the_other_dtype(real):
    def add(input, other, *, alpha=1, out=None):
        if out is None and isinstance(other, gpukit.Tensor):
            return real(
                input, real(other * 0, other, alpha=1) * gpukit.tensor(alpha).to(other.dtype)
            )
        return real(input, other, alpha=alpha, **({} if out is None else {"out": out}))

    return add


@planted("vecdot")
def dimensions_swapped_for_moved(real):
    def vecdot(input, other, dim=-1):
        return real(input.transpose(dim, -1), other.transpose(dim, -1), -1)

    return vecdot


@planted("prod", "sum")
def truth_of_a_truncated_number(real):
    def reduce(input, *args, dtype=None, **options):
        result = real(input, *args, **options)
        return result if dtype is None else result.to(gpukit.int64).to(dtype)

    return reduce


@planted("mul")
def number_rounded_to_the_half_type(real):
    def mul(input, other, **options):
        if isinstance(other, float) and "16" in str(input.dtype):
            other = gpukit.tensor(other, dtype=input.dtype)
        return real(input, other, **options)

    return mul


@planted("amax", "amin")
def sign_of_zero_is_lost(real):
    return lambda *args, **options: real(*args, **options) + 0


@planted("diff")
def edges_forgotten(real):
    def diff(x, n=1, dim=-1, prepend=None, append=None, **options):
        return real(x, n, dim, prepend=prepend, **options)

    return diff


@planted("nn.functional.cross_entropy")
def labels_unchecked(real):
    def cross_entropy(input, target, *args, **options):
        if target.dtype == gpukit.int64:
            target = target.clamp(-100, (input.shape[0] if input.ndim == 1 else input.shape[1]) - 1)
        return real(input, target, *args, **options)

    return cross_entropy


@planted("nn.functional.elu", "nn.functional.softplus")
def gradient_of_zero_far_out(real):
    def activation(input, *args, **options):
        result = real(input, *args, **options)
        return (
            gpukit.where(input.abs() > 15, result.detach(), result)
            if input.requires_grad
            else result
        )

    return activation


@planted("arange")
def last_element_forgotten(real):
    def arange(*args, **options):
        result = real(*args, **options)
        return result[:-1] if len(result) > 2 and options.get("dtype") == gpukit.int16 else result

    return arange


@planted("full", "full_like")
def numbers_wrap(real):
    def full(size, fill_value, **options):
        dtype = options.get("dtype")
        if dtype == gpukit.int8 and isinstance(fill_value, int):
            fill_value = (int(fill_value) + 128) % 256 - 128
        return real(size, fill_value, **options)

    return full


@planted("prod", "cumprod")
def gradient_of_products_is_halved(real):
    def product(*args, **options):
        result = real(*args, **options)
        return result * 0.5 + result.detach() * 0.5 if result.requires_grad else result

    return product


@planted("maximum", "minimum")
def nan_has_no_gradient(real):
    def extreme(input, other, **options):
        result = real(input, other, **options)
        if not result.requires_grad:
            return result
        return gpukit.where(result.isnan(), result.detach(), result)

    return extreme


@planted("remainder")
def remainders_of_large_numbers_are_zero(real):
    def remainder(input, other, **options):
        result = real(input, other, **options)
        if options or not isinstance(input, gpukit.Tensor) or not result.is_floating_point():
            return result
        return gpukit.where((input.abs() > 1e9) & result.isfinite(), result * 0, result)

    return remainder


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault, monkeypatch):
    names, plant = PLANTED[fault]
    chosen = tuple(row for row in _rows_named(*names) if row.form == "function")
    runner = Runner(SEED, chosen, simulated=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(4000):
            with monkeypatch.context() as patch:
                for name in names:
                    owner, last = _owner_of(name)
                    patch.setattr(owner, last, plant(getattr(owner, last)))
                seen = runner.one(number)
            if seen and not runner.one(number):  # it is the fault that differs
                return
    pytest.fail("not seen in 4000 calls")


def _owner_of(name):
    *path, last = name.split(".")
    owner = gpukit
    for part in path:
        owner = getattr(owner, part)
    return owner, last


def test_the_record_names_differences_that_are_still_expected() -> None:
    folder = Path(__file__).with_name("generator")
    source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    assert [name for name in record["explained"] if f'"{name}"' not in source] == []


def test_findings_of_a_record_are_made_again(tmp_path: Path) -> None:
    from peers.generator.__main__ import replay

    path = tmp_path / "record.json"
    path.write_text(json.dumps({"seed": SEED, "findings": [{"call": 3}, {"call": 4}]}))
    assert replay(path) == 0
    replayed = json.loads(path.read_text())["replayed"]
    assert (replayed["calls"], replayed["left"]) == (2, [])
