"""tools/check_words.py finds the words of tools/words.txt, and the tree has none of them."""

from __future__ import annotations

from support.mode import PROJECT
from support.tools import load_tool

check_words = load_tool("check_words")


def test_tree_has_none() -> None:
    assert check_words.check(PROJECT) == []


def test_words_are_found_in_names_comments_and_across_lines() -> None:
    words = check_words.read_words("# a comment\nby hand->manually\nlent->in use\n")
    text = "made by\n  hand, is_lent_now\nLent\nsilent, lenten, handy\n"
    assert list(check_words.findings(text, words)) == [
        (1, "'by\n  hand': write manually"),
        (2, "'lent': write in use"),
        (3, "'Lent': write in use"),
    ]


def test_a_function_is_refused_as_a_function_alone() -> None:
    words = check_words.read_words("give(->accumulate_grad(\n")
    text = "functions give names\npass.give(0, g);\nforgive(x); give_up();\n"
    assert list(check_words.findings(text, words)) == [(2, "'give(': write accumulate_grad(")]


def test_every_row_has_a_replacement_and_a_lower_case_word() -> None:
    words = check_words.read_words((PROJECT / "tools/words.txt").read_text(encoding="utf-8"))
    assert len(words) > 20
    assert all(words.values())
    assert all(word == word.lower() for word in words)
