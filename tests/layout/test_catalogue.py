"""The Chinese catalogue has every message of the sources, with the same fields."""

from __future__ import annotations

import re

import pytest

from gpukit._language import matching, po_file
from support.mode import PROJECT
from support.tools import load_tool

catalogue = load_tool("make_catalogue")
FOLDER = PROJECT / "python" / "gpukit" / "_language"
COLLECTED = po_file.parse(catalogue.CATALOGUE.read_text(encoding="utf-8"))
EXTRA = po_file.parse((FOLDER / "zh_CN.extra.po").read_text(encoding="utf-8"))
FIELD = re.compile(r"\{(\w*)[^{}]*\}")
NAMED = re.compile(r"\{[a-z]\w*\}")


def test_it_is_that_of_the_sources():
    text = catalogue.CATALOGUE.read_text(encoding="utf-8")
    assert po_file.unparse(catalogue.updated(COLLECTED), "zh_CN") == text


def test_no_message_is_without_translation():
    assert [entry.message for entry in [*COLLECTED, *EXTRA] if not entry.translation] == []


def test_fields_are_named_and_the_same_in_both_languages():
    for message, translation, _ in [*COLLECTED, *EXTRA]:
        found = [sorted(set(FIELD.findall(text))) for text in (message, translation)]
        assert found[0] == found[1], message
        if any(NAMED.findall(message)):
            assert all(FIELD.findall(message)), message


def test_translations_are_chinese_or_names():
    """What stays as it is has no sentence: names of cards, commands, units."""
    same = [entry.message for entry in COLLECTED if entry.message == entry.translation]
    said_by_others = [text for text in same if re.search(r"\b(is|are|has|the|of|no) [a-z]", text)]
    assert len(said_by_others) <= 4, said_by_others
    assert len(same) < len(COLLECTED) / 10


def test_both_halves_have_no_message_in_common():
    assert {entry.message for entry in COLLECTED} & {entry.message for entry in EXTRA} == set()


def words_of(message: str) -> list[str]:
    """Runs of three words between the fields."""
    runs = []
    for part in re.split(r"\{\w+\}", message):
        words = part.split()
        runs += [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2)) if words]
    return [run for run in runs if len(run) > 5]


@pytest.mark.parametrize("entry", EXTRA, ids=[entry.message[:40] for entry in EXTRA])
def test_messages_entered_by_hand_are_those_of_their_file(entry):
    name = entry.files[0]
    file = PROJECT / ("python" if name.startswith("gpukit/") else "") / name
    source = re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8")).replace('\\"', '"')
    assert any(run in source for run in words_of(entry.message)) or not words_of(entry.message)


def test_the_format_is_read_as_it_is_written():
    entries = [po_file.Entry('a "b"\n{c}', "甲\\{c}", ("x.py", "y.py"))]
    assert po_file.parse(po_file.unparse(entries, "zh_CN")) == entries
    wrapped = 'msgid ""\n"one "\n"two"\nmsgstr "一"\n'
    assert po_file.parse(wrapped) == [po_file.Entry("one two", "一", ())]


def test_a_new_message_is_noticed(tmp_path):
    file = tmp_path / "new.py"
    file.write_text(
        '"""A docstring is none."""\n'
        "def f(x):\n"
        '    say(f"GPU {x.index}: {len(x)} of {len(x)} are new")\n'
        '    raise ValueError("f: x must be new, got nothing")\n'
    )
    assert list(catalogue.messages_of(file)) == ["GPU {index}: {x} of {x} are new"]


def filled(template: str) -> str:
    """The template with a word or a number in each field."""
    numbers = matching.NUMBERS | matching.WHOLE_NUMBERS
    return FIELD.sub(lambda field: "7" if field[1] in numbers else f"Zed-{field[1]}", template)


def test_every_message_is_recognised_with_its_fields():
    """All but those that read as another one: an equal or a heavier template."""
    chinese = matching.into("zh_CN")
    own = [e for e in [*COLLECTED, *EXTRA] if FIELD.search(e.message) and e.message[0] not in ",;"]
    wrong = [
        entry.message
        for entry in own
        if entry.message != entry.translation
        and chinese(filled(entry.message)).replace(" ", "")
        != filled(entry.translation).replace(" ", "")
    ]
    assert len(own) > 300
    assert len(wrong) <= 3, wrong
