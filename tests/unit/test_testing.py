"""gpukit.testing: assert_close, and the pytest plugin as a user's project meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import gpukit
from gpukit.testing import assert_close
from support.plugin import ALONE, ALONE_OPTIONS


@pytest.fixture
def project(tmp_path):
    """Writes a test file and runs pytest on it."""

    def run(text, *options):
        (tmp_path / "test_it.py").write_text(text)
        (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                *ALONE_OPTIONS,
                "-p",
                "no:cacheprovider",
                "-q",
                *options,
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
            env={**os.environ, **ALONE},
        )

    return run


MEASURES = """
import gpukit

def test_add(gpubench):
    x = gpukit.ones(100)
    result = gpubench(gpukit.add, x, x, device="cpu", repeats=20)
    assert result.median > 0
"""


# Not a gpukit operation, whose verdict would measure the processor's peak first.
QUICK = """
def test_sum(gpubench):
    gpubench(sum, range(100), repeats=200)
"""


def test_the_fixture_measures_and_the_file_has_it_all(project, tmp_path):
    done = project(MEASURES, "--gpubench-json", "r.json")
    assert done.returncode == 0, done.stdout
    assert "gpubench" in done.stdout
    document = json.loads((tmp_path / "r.json").read_text())
    (row,) = document["rows"]
    assert row["test"].endswith("::test_add")
    assert row["device_name"] == "cpu"
    assert len(row["samples"]) == 20
    assert row["environment"]["gpukit"] == gpukit.__version__
    assert document["kind"] == "gpubench"


def rewrite(path, factor):
    """The results of before, as if everything had taken `factor` times as long, surely."""
    document = json.loads(path.read_text())
    for row in document["rows"]:
        row.update(dict.fromkeys(("low", "high"), row["median"] * factor))
        row["median"] *= factor
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(("factor", "status", "word"), [(1e-3, 1, "slower"), (1e3, 0, "faster")])
def test_a_regression_fails_the_session(project, tmp_path, factor, status, word):
    assert project(QUICK, "--gpubench-json", "r.json").returncode == 0
    rewrite(tmp_path / "r.json", factor)
    done = project(QUICK, "--gpubench-compare", "r.json", "--gpubench-fail=10%")
    assert done.returncode == status, done.stdout
    assert word in done.stdout
    assert project(QUICK, "--gpubench-compare", "r.json").returncode == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--gpubench-fail=10%",), "needs --gpubench-compare"),
        (("--gpubench-fail=much", "--gpubench-compare=x"), "not a percentage"),
        (("--gpubench-fail=-3%", "--gpubench-compare=x"), "not a percentage"),
    ],
)
def test_wrong_options_are_usage_errors(project, options, words):
    done = project(MEASURES, *options)
    assert done.returncode == 4
    assert words in done.stdout + done.stderr


def test_a_file_of_something_else_is_refused(project, tmp_path):
    (tmp_path / "r.json").write_text("{}")
    done = project(MEASURES, "--gpubench-compare", "r.json")
    assert done.returncode != 0
    assert "--gpubench-compare" in done.stdout + done.stderr


def test_pytest_starts_without_gpukits_tools(project):
    done = project(
        "import sys\n"
        "def test_light():\n"
        "    heavy = {'gpukit.bench', 'numpy', 'rich', 'psutil'} & set(sys.modules)\n"
        "    assert not heavy\n"
    )
    assert done.returncode == 0, done.stdout


def test_it_works_beside_pytest_benchmark(project):
    text = QUICK + "\ndef test_both(gpubench, benchmark):\n    benchmark(len, 'abc')\n"
    done = project(text, "-p", "pytest_benchmark.plugin")
    assert done.returncode == 0, done.stdout


class Derived(gpukit.Tensor):
    """A user's class of tensors."""


def test_close_tensors_pass(device):
    x = gpukit.rand(5, 5, device=device)
    assert_close(x, x + 1e-7)
    assert_close(x.cpu().numpy(), x)
    assert_close(gpukit.arange(3, device=device), [0, 1, 2])
    assert_close(gpukit.tensor([float("nan")]), [float("nan")], equal_nan=True)
    assert_close(np.float16(1.0), gpukit.tensor(1.0005, dtype=gpukit.float16))
    assert_close(gpukit.ones(2, dtype=gpukit.bfloat16), gpukit.ones(2), check_dtype=False)
    with pytest.raises(AssertionError, match=r"dtypes gpukit.bfloat16 and gpukit.float32 differ"):
        assert_close(gpukit.ones(2, dtype=gpukit.bfloat16), gpukit.ones(2))
    for derived in (gpukit.nn.Parameter(gpukit.ones(2)), gpukit.ones(2).as_subclass(Derived)):
        assert_close(derived, gpukit.ones(2))
        with pytest.raises(AssertionError, match=r"dtypes gpukit.float32 and gpukit.float64"):
            assert_close(derived, gpukit.ones(2, dtype=gpukit.float64))
    assert_close(derived, np.ones(2))
    with pytest.raises(AssertionError, match="dtypes float32 and float64"):
        assert_close(np.float32(1), np.float64(1))
    assert_close([], gpukit.ones(0))


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ([1.0, 2.0], [1.0, 2.5], "1 of 2 elements differ; the worst at (1,): 2.0 and 2.5"),
        ([1.0], [1.0, 1.0], "shapes (1,) and (2,) differ"),
        ([float("nan")], [float("nan")], "1 of 1 elements differ"),
        ([1, 2], [1, 3], "apart by 1"),
    ],
)
def test_different_tensors_are_described(a, b, words):
    with pytest.raises(AssertionError) as caught:
        assert_close(gpukit.tensor(a), gpukit.tensor(b))
    assert words in str(caught.value)


def test_tolerances_come_in_pairs():
    assert_close(gpukit.ones(1), [1.5], rtol=0.5, atol=0.0)
    with pytest.raises(ValueError, match="both rtol and atol"):
        assert_close(gpukit.ones(1), [1.0], rtol=0.1)


def test_containers_are_compared_item_by_item():
    ones = gpukit.ones(2)
    gpukit.testing.assert_close({"a": [ones, 1.0]}, {"a": [[1, 1], 1.0 + 1e-9]})
    for actual, expected, text in [
        ({"a": [1, ones]}, {"a": [1, ones + 1]}, r"2 of 2 elements .*; at item \['a'\]\[1\]$"),
        ([ones, ones], [ones], "lengths 2 and 1 differ"),
        ({"a": 1}, {"b": 1}, r"keys \['a'\] and \['b'\] differ"),
    ]:
        with pytest.raises(AssertionError, match=text):
            gpukit.testing.assert_close(actual, expected)
    with pytest.raises(TypeError, match="actual is a Tensor and expected a dict"):
        gpukit.testing.assert_close(ones, {"a": ones})


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([0.1 + 0.2], [0.3]),
        ([0.1 + 0.2, 1], (0.3, 1)),
        ([[0.1 + 0.2], [1, 2]], [[0.3], [1, 2]]),
        ({"a": None}, {"a": None}),
        ([1, None], [1, None]),
        (None, None),
        ([gpukit.tensor(1.0)], [1.000001]),
        ([1, 2], [1.0 + 1e-9, 2]),
        ([True, 1.0], [True, 1.0]),
        ([], []),
    ],
)
def test_lists_have_the_tolerance_of_their_items(actual, expected):
    assert_close(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ([0.1], [0.2], "1 of 1 elements differ"),
        ([10**9, 0.5], [10**9 + 1, 0.5], r"apart by 1 .*; at item \[0\]$"),
        ({"a": None}, {"a": 1.0}, r"None and a float differ; at item \['a'\]$"),
        ([1.0, 1], [1.0, None], r"a int and None differ; at item \[1\]$"),
        ({"a": [1, [2.0]]}, {"a": [1, [2.0, 3.0]]}, r"shapes .* differ; at item \['a'\]\[1\]$"),
    ],
)
def test_lists_that_differ_name_the_item(actual, expected, words):
    with pytest.raises(AssertionError, match=words):
        assert_close(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ("a", "a", "actual is no numbers of one shape, but str 'a'"),
        ("0.5", 0.5, "actual is no numbers"),
        ({"a": [1, "x"]}, {"a": [1, "x"]}, r"actual\['a'\]\[1\] is no numbers"),
        (gpukit.ones(2), [[1], [1, 2]], r"expected is no numbers of one shape, but list \[\[1\]"),
        ({"a": gpukit.ones(2)}, {"a": [1, None]}, r"expected\['a'\] is no numbers"),
        (object(), 1, "actual is no numbers of one shape, but object"),
    ],
)
def test_what_holds_no_numbers_is_named(actual, expected, words):
    with pytest.raises(TypeError, match=words):
        assert_close(actual, expected)


def test_lists_that_hold_themselves_end():
    one, two = [1], [1]
    one.append(one)
    two.append([1, two])
    with pytest.raises(TypeError, match=r"actual\[1\].* contains itself"):
        assert_close(one, two)
    with pytest.raises(TypeError, match="actual is no numbers"):
        assert_close(one, gpukit.ones(2))
    deep = []
    for _ in range(5000):
        deep = [deep, 1.0]
    with pytest.raises(TypeError, match="is nested too deeply"):
        assert_close(deep, deep)
    with pytest.raises(TypeError, match="is no numbers"):
        assert_close(deep, gpukit.ones(2))
