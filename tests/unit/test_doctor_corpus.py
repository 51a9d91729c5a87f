"""The verdict on each text of the corpus, as it is and after what pasting does to it."""

from __future__ import annotations

import hashlib

import pytest

from gpukit.doctor import judge_paste
from support.smi_corpus import CORPUS, FAILED, MISHAPS, TABLE_MISHAPS

TABLES = [name for name, paste in CORPUS.items() if "| GPU  Name" in paste.text]


def held_out(name: str) -> bool:
    """Half of the corpus, by hash: rules are written with the other half in view."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def check(name: str, text: str) -> None:
    paste = CORPUS[name]
    found = judge_paste(text)
    codes = {problem.id for problem in found.problems}
    assert found.verdict == paste.verdict, f"{found.to_text()}\n{text}"
    assert not paste.code or paste.code in codes, f"{codes}\n{text}"
    assert found.headline.startswith("Ready") == (paste.verdict == "ready")
    assert (found.exit_code == 0) or paste.verdict != "ready"
    assert found.exit_code == 1 or paste.verdict != "not_ready"


@pytest.mark.parametrize("name", CORPUS)
def test_verdict(name):
    check(name, CORPUS[name].text)


@pytest.mark.parametrize("mishap", MISHAPS)
def test_verdict_after_pasting(mishap):
    for name, paste in CORPUS.items():
        if mishap == "compose" and paste.text.count("\n") == 0 and name in FAILED:
            continue
        check(name, MISHAPS[mishap](paste.text))


@pytest.mark.parametrize("mishap", TABLE_MISHAPS)
def test_verdict_of_a_damaged_table(mishap):
    for name in TABLES:
        check(name, TABLE_MISHAPS[mishap](CORPUS[name].text))


@pytest.mark.parametrize("name", [name for name in TABLES if CORPUS[name].verdict != "ready"])
def test_a_broken_one_is_not_called_ready_wherever_its_rows_were_read(name):
    text = CORPUS[name].text
    whole = len(judge_paste(text).lights)
    assert whole == 5
    lines = text.split("\n")
    after = [i for i, line in enumerate(lines) if line.strip() == "" or "Processes:" in line]
    for count in after:  # the GPUs are whole, the processes may be missing
        part = "\n".join(lines[: count + 1])
        found = judge_paste(part)
        if "ghost" not in name and "exclusive" not in name:
            assert found.verdict != "ready", part


def test_the_corpus_is_large_and_half_of_it_is_held_out():
    assert len(CORPUS) >= 60
    held = sum(held_out(name) for name in CORPUS)
    assert 0.3 < held / len(CORPUS) < 0.7
    assert {paste.verdict for paste in CORPUS.values()} == {"ready", "usable", "not_ready"}


@pytest.mark.parametrize("text", ["hello", "RuntimeError: CUDA error: invalid device ordinal", ""])
def test_what_is_no_output_of_nvidia_smi_is_refused_with_the_way_on(text):
    with pytest.raises(ValueError, match=r"gpukit.doctor.explain"):
        judge_paste(text)
