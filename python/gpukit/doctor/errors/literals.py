"""Words without which a pattern cannot match: most patterns need not be run over a text."""

from __future__ import annotations

# These escaped letters mean a character class or a position, not the letter itself.
_KINDS = "AbBdDsSwWZ"


def _closing(pattern: str, start: int) -> int:
    """The position after the bracket or class that opens at `start`."""
    if pattern[start] == "[":
        place = start + (3 if pattern.startswith("[^", start) else 2)
        while pattern[place] != "]":
            place += 2 if pattern[place] == "\\" else 1
        return place + 1
    place = start + 1
    while pattern[place] != ")":
        if pattern[place] in "([":
            place = _closing(pattern, place)
        else:
            place += 2 if pattern[place] == "\\" else 1
    return place + 1


def _quantifier(pattern: str, place: int) -> tuple[bool, int]:
    """Whether the item before `place` is optional, and the position after its quantifier."""
    sign = pattern[place : place + 1]
    if sign == "{":
        end = pattern.index("}", place) + 1
        return pattern[place + 1] in "0,", end
    return (sign in "?*", place + 1) if sign and sign in "?*+" else (False, place)


def _inside(group: str) -> frozenset[str]:
    """The text that a group requires; empty for a lookaround."""
    if group.startswith(("(?!", "(?<!", "(?=", "(?<=")):
        return frozenset()
    inner = group[1:-1]
    if inner.startswith("?P<"):
        inner = inner[inner.index(">") + 1 :]
    return needed(inner.removeprefix("?:"))


def _weight(words: frozenset[str]) -> int:
    return min((len(word) for word in words), default=0)


def _alternatives(pattern: str) -> list[list[frozenset[str]]]:
    """For each alternative the sets of words of which it needs one each."""
    found: list[list[frozenset[str]]] = [[]]
    run, place = "", 0

    def end_run() -> None:
        nonlocal run
        if run:
            found[-1].append(frozenset((run,)))
        run = ""

    while place < len(pattern):
        sign = pattern[place]
        if sign == "|":
            end_run()
            found.append([])
            place += 1
        elif sign in "([":
            end_run()
            end = _closing(pattern, place)
            optional, behind = _quantifier(pattern, end)
            if sign == "(" and not optional:
                found[-1].append(_inside(pattern[place:end]))
            place = behind
        elif sign in ".^$" or (sign == "\\" and pattern[place + 1] in _KINDS):
            end_run()
            _, place = _quantifier(pattern, place + (2 if sign == "\\" else 1))
        else:
            letter = pattern[place + 1] if sign == "\\" else sign
            end = place + (2 if sign == "\\" else 1)
            optional, place = _quantifier(pattern, end)
            run += "" if optional else letter
            if place != end:
                end_run()
    end_run()
    return found


def needed(pattern: str) -> frozenset[str]:
    """Words of which a text must have one, or the pattern cannot match; empty: any text may."""
    words: set[str] = set()
    for alternative in _alternatives(pattern):
        best = max(alternative, key=_weight, default=frozenset())
        if not best or _weight(best) < 2:
            return frozenset()
        words |= best
    return frozenset(words)
