"""A diagnosis as text, Markdown and HTML: the same words in each."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from gpukit.doctor.catalogue.base import NOTHING

if TYPE_CHECKING:
    from gpukit.doctor.diagnosis import Check, Diagnosis

_MARKS = {True: "yes", False: "no", None: "not asked"}
_STYLE = (
    "<style>.gpukit-doctor{color:inherit;line-height:1.45;max-width:60em}"
    ".gpukit-doctor h4{margin:.2em 0;font-size:1.05em}"
    ".gpukit-doctor .lights{margin:.3em 0 .8em;opacity:.85}"
    ".gpukit-doctor .lights span{margin-right:1.2em;white-space:nowrap}"
    ".gpukit-doctor .check{margin:.7em 0;padding-left:.8em;border-left:3px solid "
    "color-mix(in srgb,currentColor 35%,transparent)}"
    ".gpukit-doctor .broken{border-left-color:currentColor}"
    ".gpukit-doctor .kind{font-size:.85em;opacity:.75}"
    ".gpukit-doctor ul{margin:.2em 0 .2em 1.2em;padding:0}"
    ".gpukit-doctor pre{margin:.3em 0;padding:.4em .6em;color:inherit;overflow-x:auto;"
    "background:color-mix(in srgb,currentColor 8%,transparent);white-space:pre-wrap}</style>"
)


def _kind(check: Check) -> str:
    severity = check.severity if check.fault else "no fault"
    return f"{severity}{', likely' if check.likely else ''}: {check.id}"


def _lights(diagnosis: Diagnosis) -> list[str]:
    return [f"{name}: {_MARKS[light]}" for name, light in diagnosis.lights.items()]


def _closing(check: Check) -> str:
    """Who can do it, and what must restart."""
    if not check.fault:
        return ""
    restart = "" if check.restart == NOTHING else f"; then restart {check.restart}"
    return f"By {check.who}{restart}."


def _passed(diagnosis: Diagnosis) -> str:
    made, hits = len(diagnosis.checks), len(diagnosis.problems)
    return f"{made} checks made, {made - hits} found nothing."


def _check_text(check: Check) -> list[str]:
    commands = check.command.splitlines() if check.command else []
    lines = [
        "",
        f"[{_kind(check)}]",
        f"  {check.found}",
        *(f"    - {line}" for line in check.evidence),
        f"  To do: {check.remedy}",
        *(f"    $ {line}" for line in commands),
        f"  {_closing(check)}",
    ]
    return [line.rstrip() for line in lines if line.strip() or not line]


def as_text(diagnosis: Diagnosis) -> str:
    """For a terminal. Ends with the options of a machine without a GPU, free ones first."""
    lines = [diagnosis.headline, " · ".join(_lights(diagnosis))]
    driver = f", driver {diagnosis.driver}" if diagnosis.driver else ""
    lines.append(f"Where: {diagnosis.platform}{driver}. {_passed(diagnosis)}")
    for check in diagnosis.problems:
        lines += _check_text(check)
    lines += [f"\n{note}" for note in diagnosis.notes]
    if diagnosis.options:
        lines += ["", "Where to get a GPU:", *(f"  {n}. {o}" for n, o in _numbered(diagnosis))]
    return "\n".join(lines)


def _numbered(diagnosis: Diagnosis) -> list[tuple[int, str]]:
    return list(enumerate(diagnosis.options, 1))


def _check_markdown(check: Check) -> list[str]:
    lines = ["", f"### {_cell(check.found)}", "", f"`{_kind(check)}`", ""]
    lines += [f"* {_cell(line)}" for line in check.evidence]
    lines += ["", f"{check.remedy} {_closing(check)}".strip()]
    return [*lines, "", "```sh", check.command, "```"] if check.command else lines


def _cell(text: str) -> str:
    """Text from outside, so that Markdown shows it as it is."""
    return html.escape(text, quote=False).replace("*", "\\*").replace("_", "\\_")


def as_markdown(diagnosis: Diagnosis) -> str:
    """For an issue."""
    lines = [f"**{_cell(diagnosis.headline)}**", "", " · ".join(_lights(diagnosis)), ""]
    lines.append(f"Where: {diagnosis.platform}. {_passed(diagnosis)}")
    for check in diagnosis.problems:
        lines += _check_markdown(check)
    lines += [f"\n{_cell(note)}" for note in diagnosis.notes]
    if diagnosis.options:
        lines += ["", "Where to get a GPU:", "", *(f"{n}. {o}" for n, o in _numbered(diagnosis))]
    return "\n".join(lines)


def _list(items: list[str]) -> str:
    return "".join(f"<li>{html.escape(item)}</li>" for item in items)


def _check_html(check: Check) -> str:
    kind = "check broken" if check.severity in {"blocker", "crash"} else "check"
    command = f"<pre>{html.escape(check.command)}</pre>" if check.command else ""
    return (
        f'<div class="{kind}"><b>{html.escape(check.found)}</b>'
        f'<div class="kind">{html.escape(_kind(check))}</div><ul>{_list(check.evidence)}</ul>'
        f"<div>{html.escape(check.remedy)} {html.escape(_closing(check))}</div>{command}</div>"
    )


def as_html(diagnosis: Diagnosis) -> str:
    """For a notebook: colours of the theme, no script, everything from outside escaped."""
    lights = "".join(f"<span>{html.escape(light)}</span>" for light in _lights(diagnosis))
    place = html.escape(f"Where: {diagnosis.platform}. {_passed(diagnosis)}")
    options = ""
    if diagnosis.options:
        options = f"<div>Where to get a GPU:<ol>{_list(diagnosis.options)}</ol></div>"
    return (
        f'<div class="gpukit-doctor">{_STYLE}<h4>{html.escape(diagnosis.headline)}</h4>'
        f'<div class="lights">{lights}</div><div class="kind">{place}</div>'
        f"{''.join(_check_html(check) for check in diagnosis.problems)}"
        f"{''.join(f'<p>{html.escape(note)}</p>' for note in diagnosis.notes)}{options}</div>"
    )
