"""Count the functions of csrc and their names: how much a newcomer has to learn.

    python tools/count_house.py            # the whole of csrc and each folder
    python tools/count_house.py --repeat   # the names that are defined most often

A name counts once, however many functions have it: overloads, methods and helpers of files that
do the same under one name cost a reader nothing more. Lambdas have no name and are not counted.
Constructors, destructors, operators and the vendors' functions that csrc/sim defines are counted,
although nobody chose their names.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = {".h", ".cpp"}  # in which functions are counted
LINES = {".h", ".cpp", ".cu", ".def"}  # of which lines are counted

TOKEN = re.compile(
    r"""
    (?P<skip>  //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|[^\n])* | [ \t\r\f\v]+ )
  | (?P<newline>\n)
  | (?P<text>  R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" | "(?:\\.|[^"\\])*"
            | \d(?:'?[\w.])* | '(?:\\.|[^'\\])+' )
  | (?P<word>  ~?[A-Za-z_]\w* )
  | (?P<sign>  :: | -> | <=> | [<>=!+\-*/%&|^]= | && | \|\| | . )
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
# What is followed by parentheses before a function's name or after its parameters.
NO_NAMES = {
    "alignas", "decltype", "explicit", "noexcept", "requires", "throw", "sizeof",
    "__attribute__", "if", "for", "while", "switch", "catch", "return", "constexpr", "GK_SHARED",
}  # fmt: skip
TYPES = {"class", "struct", "union", "enum"}
MACRO = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*")


@dataclass(frozen=True)
class Token:
    """One token and its line."""

    text: str
    line: int
    is_word: bool


@dataclass(frozen=True)
class Function:
    """A function with a body: its name without scopes, where it stands and how long it is."""

    name: str
    path: str
    line: int
    lines: int


def tokens(text: str) -> list[Token]:
    """The tokens that matter to structure; numbers and strings stand as one sign each."""
    found, line = [], 1
    for match in TOKEN.finditer(text):
        piece = match.group()
        if match.lastgroup in {"word", "sign"}:
            found.append(Token(piece, line, match.lastgroup == "word"))
        elif match.lastgroup in {"text", "mark"}:
            found.append(Token("0", line, False))
        line += piece.count("\n")
    return found


def closing(parts: list[Token], start: int) -> int:
    """The index of the brace that closes the one at `start`."""
    depth = 0
    for index in range(start, len(parts)):
        depth += {"{": 1, "}": -1}.get(parts[index].text, 0)
        if depth == 0:
            return index
    return len(parts) - 1


def after_template(head: list[Token]) -> list[Token]:
    """The head without its `template <...>` prefixes."""
    while head and head[0].text == "template":
        depth, index = 0, 1
        for index in range(1, len(head)):
            depth += {"<": 1, ">": -1}.get(head[index].text, 0)
            if depth == 0:
                break
        head = head[index + 1 :]
    return head


def name_of(head: list[Token]) -> str:
    """The name of the function that this head declares, or "" where it declares none."""
    head = after_template(head)
    open_signs: list[str] = []
    specialised = ""  # what stands before the last <
    for index, token in enumerate(head):
        before = head[index - 1] if index else Token("", 0, False)
        if token.text == "(":
            if not open_signs and before.text == "operator":
                return "operator()"
            name = "" if open_signs else operator_name(head[:index])
            name = name or (specialised if before.text == ">" else before.text)
            if not open_signs and is_name(name):
                return name
            open_signs.append("(")
        elif token.text == "<" and before.is_word and before.text != "operator":
            specialised = specialised if open_signs else before.text
            open_signs.append("<")
        elif token.text in {")", ">"} and open_signs[-1:] == [{")": "(", ">": "<"}[token.text]]:
            open_signs.pop()
        elif token.text == "=" and not open_signs and before.text != "operator":
            return ""
    return ""


def is_name(text: str) -> bool:
    """Whether this may be a function's name: it is no macro, as `GPUKIT_CHECK`."""
    is_word = re.match(r"~?[A-Za-z_]", text) is not None
    return is_word and text not in NO_NAMES and MACRO.fullmatch(text) is None


def operator_name(head: list[Token]) -> str:
    """`operator+`, where these are the tokens before the parentheses of an operator."""
    for index in range(len(head) - 1, max(len(head) - 6, -1), -1):
        if head[index].text == "operator":
            return "operator" + "".join(token.text for token in head[index + 1 :])
    return ""


def is_member_value(parts: list[Token], index: int, head: list[Token]) -> bool:
    """Whether the brace at `index` gives a member its value in a constructor's list."""
    if not any(token.text == ":" for token in head):
        return False
    after = closing(parts, index) + 1
    is_value = bool(head) and (head[-1].is_word or head[-1].text == ">")
    return is_value and after < len(parts) and parts[after].text in {",", "{"}


def is_inside_parentheses(head: list[Token]) -> bool:
    """Whether parentheses are open at the end: a brace there gives an argument its value."""
    signs = Counter(token.text for token in head)
    return signs["("] > signs[")"]


def is_access(head: list[Token]) -> bool:
    """Whether these are the tokens of `public:` and its like, without the colon."""
    return len(head) == 1 and head[0].text in {"public", "protected", "private"}


def functions_in(text: str, path: str = "") -> Iterator[Function]:
    """The functions that this source defines, in namespaces and classes."""
    parts = tokens(text)
    head: list[Token] = []
    index = 0
    while index < len(parts):
        token = parts[index]
        if token.text == "{":
            words = {part.text for part in after_template(head)}
            is_open = "namespace" in words or [part.text for part in head] == ["extern", "0"]
            name = "" if is_open else name_of(head)
            if is_inside_parentheses(head) or (name and is_member_value(parts, index, head)):
                end = closing(parts, index)
                head += parts[index : end + 1]
                index = end + 1
                continue
            if name:
                end = closing(parts, index)
                first = after_template(head)[0].line
                yield Function(name, path, first, parts[end].line - first + 1)
                index = end
            elif not is_open and not (words & TYPES and "enum" not in words and "=" not in words):
                index = closing(parts, index)  # an enumeration or a value
            head = []
        elif token.text in {";", "}"} or (token.text == ":" and is_access(head)):
            head = []
        else:
            head.append(token)
        index += 1


def sources(root: Path) -> Iterator[Path]:
    """The files of csrc whose lines are counted."""
    for path in sorted((root / "csrc").rglob("*")):
        if path.suffix in LINES:
            yield path


@dataclass(frozen=True)
class Count:
    """What was counted in some files."""

    lines: int
    functions: tuple[Function, ...]

    @property
    def names(self) -> Counter[str]:
        """How many functions have each name."""
        return Counter(function.name for function in self.functions)

    @property
    def names_per_thousand(self) -> float:
        """Distinct names in a thousand lines."""
        return 1000 * len(self.names) / max(1, self.lines)

    @property
    def once(self) -> float:
        """The share of names that one function alone has."""
        names = self.names
        return sum(count == 1 for count in names.values()) / max(1, len(names))

    def length(self, share: float) -> int:
        """The length in lines that this share of the functions does not exceed."""
        lengths = sorted(function.lines for function in self.functions)
        return lengths[min(len(lengths) - 1, int(share * len(lengths)))] if lengths else 0


def count(paths: list[Path]) -> Count:
    """Count these files."""
    lines = 0
    functions: list[Function] = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        lines += text.count("\n")
        if path.suffix in CODE:
            functions += functions_in(text, path.name)
    return Count(lines, tuple(functions))


def line_of(name: str, counted: Count) -> str:
    """One line of the report."""
    return (
        f"{name:10} {counted.lines:7} {len(counted.functions):10} {len(counted.names):6} "
        f"{counted.names_per_thousand:11.1f} {counted.once:6.0%} "
        f"{counted.length(0.5):7} {counted.length(0.99):4}"
    )


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", action="store_true", help="the names defined most often")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    options = parser.parse_args()
    paths = list(sources(options.root))
    whole = count(paths)
    if options.repeat:
        for name, times in whole.names.most_common(60):
            print(f"{times:5} {name}")
        return 0
    print("folder       lines  functions  names  names/1000   once  median  p99")
    for folder in sorted({path.relative_to(options.root / "csrc").parts[0] for path in paths}):
        inside = options.root / "csrc" / folder
        print(line_of(folder, count([path for path in paths if inside in path.parents])))
    print(line_of("csrc", whole))
    return 0


if __name__ == "__main__":
    sys.exit(main())
