"""Collect gpukit's messages from its sources, and bring the catalogue up to date.

    python tools/make_catalogue.py            # adds new messages, removes those that are gone
    python tools/make_catalogue.py --check    # says what is missing or left over, changes nothing

A message is a text of the modules of SCOPE that people see: a string or an f-string with words,
whose fields are named after what they show. Texts of exceptions, of options, and what machines
read (patterns, commands, names) are none. A translation equal to its message stays as it is.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python" / "gpukit" / "_language"))

import po_file  # type: ignore[import-not-found]  # noqa: E402

PACKAGE = ROOT / "python" / "gpukit"
CATALOGUE = PACKAGE / "_language" / "zh_CN.po"
LANGUAGE = "zh_CN"
SCOPE = """
    _device.py errors.py _names/plural.py _system _devices/memory.py _devices/selftest.py
    _devices/watch.py _ipython bench cli.py cloud doctor
    monitor planning report cuda/_memory_picture.py _compile/traffic_picture.py
    _cli/bench.py _cli/cloud.py _cli/doctor.py _cli/info.py
    _cli/monitor.py _cli/selftest.py _cli/smi.py _cli/vendors.py _cli/versions.py
""".split()  # noqa: SIM905
# Arguments of these calls are read by programs or written for errors and help.
UNSHOWN_CALLS = set(
    """
    says compile search match fullmatch findall sub finditer read seen glob run which has Path
    startswith endswith split rsplit partition add_argument add_parser Command replace lower
    variable sysctl TypeVar getattr add error ValueError TypeError ImportError query strip rstrip
    lstrip
""".split()  # noqa: SIM905
)
UNSHOWN_KEYWORDS = {"symptoms", "help", "metavar", "code", "prog", "commands"}
COMMAND = re.compile(
    r"^(sudo|pip3?|docker|podman|apptainer|export|unset|nvidia-smi|python|echo|ls|cat|wsl|wget|"
    r"curl|apt|apt-get|dnf|conda|srun|modprobe|systemctl|nvcc|kubectl|grep|lspci|ldconfig|ldd|"
    r"find|git|module|cd|env|set|from|import|del|with|pkg|compute-sanitizer|where\.exe|lambda|"
    r"volumes:|resources:|choco|winget|[A-Z_]+=\S*|Get-\w+|Set-\w+|Remove-Item) |^[!%$<(]|^--"
)
PATTERN = re.compile(r"\\[sdwb.(]|\(\?|\.\{|\[\^|\.\*|\.\+\?|\S\|\S|\)\?|^[A-Z_ \n]+$")
# Nouns that count_of counts, and their plurals.
NOUNS = (
    ("GPU", ""), ("GPU", "s"), ("issue", ""), ("issue", "s"), ("process", ""), ("process", "es"),
    ("operator", ""), ("operator", "s"), ("operation", ""), ("operation", "s"),
    ("usable GPU", ""), ("usable GPU", "s"), ("NVIDIA controller", ""),
    ("NVIDIA controller", "s"), ("AMD controller", ""), ("AMD controller", "s"),
    ("Intel controller", ""), ("Intel controller", "s"), ("error", ""), ("error", "s"),
    ("line", ""), ("line", "s"), ("place", ""), ("place", "s"), ("product", ""),
    ("product", "s"), ("device", ""), ("device", "s"),
)  # fmt: skip
# Words that are shown alone and are no title of a column; where files have them.
# fmt: off
WORDS = {
    "report/text.py": ("yes", "no"),
    "doctor/catalogue/base.py": ("blocker", "crash", "degraded", "information", "you"),
    "doctor/errors/answer.py": ("likely", "possible"),
    "doctor/check.py": ("Why", "By {who}.", "By {who}; then restart {restart}."),
    "_system/info.py": ("simulated", "found", "Libraries"),
    "_system/vendors.py": (
        "ecosystem", "mature", "growing", "developing", "limited", "computes", "hardware", "medium",
        "maturity", "frameworks", "all", "difficulty", "low", "new", "fact", "opinion", "measured",
    ),
    "cloud/tables.py": ("free",),
    "_devices/selftest.py": (
        "copy there and back", "product of strided parts", "fill", "integer arithmetic",
        "broadcasting", "mathematical functions", "max, min, argmax", "sum of rows",
        "matrix product", "indexing", "masks", "running sum", "sorting", "random numbers",
    ),
    "cloud/card_table.py": ("Cards",),
    "monitor/gpu_tables.py": ("Processes",),
    "monitor/_live.py": ("utilization", "temperature", "Stop", "stopped"),
    "bench/_crossover.py": ("with both copies",),
    "bench/_relative.py": ("float32 product", "copy on the device", "pinned copy to the device"),
    "bench/result.py": ("(Host times of the simulation.)", "agrees"),
    "cloud/guidance.py": ("buy", "rent"),
    "bench/_bandwidth.py": ("h2d pageable", "d2h pageable", "d2h pinned", "d2d"),
    "monitor/_session.py": ("platform", "container", "age", "left"),
    "cuda/_memory_picture.py": ("others",),
    "_devices/watch.py": ("gpukit's", "gpukit's and torch's"),
    "monitor/sampler.py": ("least", "most"),
    "planning/fitting.py": (
        "parameters", "gradients", "optimizer state", "inputs", "activations", "fits",
        "does not fit", "close",
    ),
    "planning/other_cards.py": ("to",),
    "cli.py": (  # argparse's own
        "usage:", "options", "positional arguments", "show this help message and exit",
        "show program's version number and exit",
        "the following arguments are required: {names}", "argument {name}: {message}",
        "expected one argument", "expected at least one argument",
        "invalid float value: {value}", "invalid int value: {value}",
    ),
    "_names/plural.py": tuple(f"{{number}} {noun}{end}" for noun, end in NOUNS),
}
# fmt: on


def _field(node: ast.expr) -> str:
    """The name of what a field shows."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        key = node.slice
        named = isinstance(key, ast.Constant) and isinstance(key.value, str)
        return str(key.value) if named and isinstance(key, ast.Constant) else _field(node.value)
    if isinstance(node, ast.Call):
        if node.args and not isinstance(node.args[0], ast.Constant):
            return _field(node.args[0])
        whole = not isinstance(node.func, ast.Attribute)
        return _field(node.func if whole else node.func.value)  # type: ignore[attr-defined]
    for kind, attribute in ((ast.BinOp, "left"), (ast.IfExp, "body"), (ast.UnaryOp, "operand")):
        if isinstance(node, kind):
            return _field(getattr(node, attribute))
    if isinstance(node, ast.BoolOp):
        return _field(node.values[0])
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return _field(node.generators[0].iter)
    return "value"


def template(node: ast.Constant | ast.JoinedStr) -> str:
    """A text with its fields in braces; the same expression has the same name."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    names: dict[str, str] = {}
    used: Counter[str] = Counter()
    parts = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            shown = ast.unparse(value.value)
            if shown not in names:
                name = _field(value.value).strip("_").lower()
                name = name if name.isidentifier() else "value"
                used[name] += 1
                names[shown] = name if used[name] == 1 else f"{name}{used[name]}"
            parts.append(f"{{{names[shown]}}}")
        else:
            parts.append(str(value.value))  # type: ignore[attr-defined]
    return "".join(parts)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_guess(node: ast.expr) -> bool:
    """A cause with the fact that speaks for it, among the patterns of `says`."""
    return isinstance(node, ast.Call) and _called(node) in {"certain", "likely", "possible"}


def _unshown(tree: ast.Module) -> set[ast.AST]:
    """Nodes whose texts nobody is shown."""
    found: set[ast.AST] = set()

    def add(*nodes: ast.AST | None) -> None:
        for node in nodes:
            found.update(ast.walk(node) if node is not None else ())

    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)):
            first = node.body[0] if node.body else None
            docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            add(first if docstring else None)
        elif isinstance(node, (ast.Raise, ast.Compare, ast.Set)):
            add(node)
        elif isinstance(node, ast.Dict):
            add(*node.keys)
        elif isinstance(node, ast.Subscript):
            add(node.slice)
        elif isinstance(node, ast.FormattedValue):
            add(node.format_spec)
        elif isinstance(node, ast.JoinedStr):
            found.update(part for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Call):
            name = _called(node)
            unshown = node.args if name in UNSHOWN_CALLS else node.args[1:] if name == "Fix" else []
            add(*(each for each in unshown if not _is_guess(each)))
            add(*(each.value for each in node.keywords if each.arg in UNSHOWN_KEYWORDS))
    return found


# A command's name can begin a sentence: it has a verb or a full stop.
_SENTENCE = re.compile(r"[a-z]\.$| (is|has|shows|had|are|needs) ")


def _is_message(text: str) -> bool:
    words = re.sub(r"\{\w+\}", "", text)
    letters = sum(map(str.isalpha, words))
    return (
        " " in text
        and letters >= 3
        and not PATTERN.search(words)
        and not (COMMAND.match(text) and not _SENTENCE.search(text))
    )


def messages_of(path: Path) -> Iterator[str]:
    """The messages of a file, in its order."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unshown = _unshown(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in {"Column", "Section"}:
            titles = [*node.args[:2], *(k.value for k in node.keywords if k.arg == "title")]
            title = titles[1] if _called(node) == "Column" and len(titles) > 1 else None
            if isinstance(title, ast.Constant) and re.search(r"[a-z]{3}", str(title.value)):
                found.append((title.lineno, title.col_offset, str(title.value)))
        if node in unshown or not isinstance(node, (ast.Constant, ast.JoinedStr)):
            continue
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            continue
        text = re.sub(r"^.*  # |^# +(\d+\. )?", "", template(node).strip())  # of a comment
        if _is_message(text):
            found.append((node.lineno, node.col_offset, text))
    yield from (text for _, _, text in sorted(found))


def _help_texts(path: Path) -> Iterator[str]:
    """What `--help` says of a command and of its arguments."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        given = [each.value for each in node.keywords if each.arg == "help"]
        given += node.args[1:2] if _called(node) in {"Command", "add"} else []
        for each in given:
            if isinstance(each, (ast.Constant, ast.JoinedStr)) and " " in template(each):
                yield template(each)


def _rule_texts(path: Path) -> Iterator[str]:
    """The sentences of the linter's rules, and what they add in brackets."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and _called(node) in {"rule", "Hit"}:
            sentence = node.args[2:3] if _called(node) == "rule" else node.args[1:2]
            for each in sentence:
                if isinstance(each, (ast.Constant, ast.JoinedStr)):
                    yield template(each)


def _cloud_texts() -> Iterator[str]:
    """What the table of offers says in words."""
    path = PACKAGE / "cloud" / "cloud.json"
    for offer in json.loads(path.read_text(encoding="utf-8"))["offers"]:
        yield from (offer["use"] or "", offer["status"], *offer["warnings"])
        yield str((offer.get("current") or {}).get("price_kind") or "")


def collect() -> dict[str, list[str]]:
    """Each message, and the files that have it."""
    found: dict[str, list[str]] = {}

    def add(text: str, name: str) -> None:
        files = found.setdefault(text, [])
        if text and name not in files:
            files.append(name)

    for entry in SCOPE:
        path = PACKAGE / entry
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            name = file.relative_to(PACKAGE).as_posix()
            for text in (*messages_of(file), *WORDS.get(name, ())):
                add(text, f"gpukit/{name}")
    for file in sorted((PACKAGE / "_cli").glob("*.py")):
        for text in _help_texts(file):
            add(text, f"gpukit/_cli/{file.name}")
    for file in sorted((PACKAGE / "lint" / "rules").glob("*.py")):
        for text in filter(_is_message, _rule_texts(file)):
            add(text, f"gpukit/lint/rules/{file.name}")
    for text in _cloud_texts():
        add(text, "gpukit/cloud/cloud.json")
    found.pop("", None)
    return found


def updated(entries: list[po_file.Entry]) -> list[po_file.Entry]:
    """The catalogue for today's sources; new messages have no translation.

    It is stored without the files of the messages: they would be a tenth of the wheel's Python.
    """
    old = {entry.message: entry.translation for entry in entries}
    return [po_file.Entry(text, old.get(text, ""), ()) for text in collect()]


def main(arguments: list[str]) -> int:
    """Update the catalogue, or check it."""
    text = CATALOGUE.read_text(encoding="utf-8") if CATALOGUE.exists() else ""
    entries = po_file.parse(text)
    new = updated(entries)
    if "--check" not in arguments:
        CATALOGUE.write_text(po_file.unparse(new, LANGUAGE), encoding="utf-8")
    missing = [entry.message for entry in new if not entry.translation]
    files = collect()
    for message in missing:
        print(f"not translated: {message} ({', '.join(files[message])})")
    current = po_file.unparse(new, LANGUAGE) == text or "--check" not in arguments
    if not current:
        print("the catalogue is not that of the sources: run python tools/make_catalogue.py")
    return 1 if missing or not current else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
