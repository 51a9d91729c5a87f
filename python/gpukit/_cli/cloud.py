"""`gpukit cloud`: GPUs to rent or to buy, from dated tables. Never uses the network."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpukit import _language
from gpukit._cli.command import EXIT_OK, Command, add_json, print_document, print_lines

if TYPE_CHECKING:
    from gpukit.report import Table


def _run(options: argparse.Namespace) -> int:
    from gpukit import cloud

    shown = _ANSWERS[options.what or "table"](cloud, options)
    if isinstance(shown, dict):
        print_document(shown) if options.json else print_lines(_language.shown(shown["text"]))
    elif options.json:
        print(shown.to_json())
    else:
        shown.print()
    return EXIT_OK


def _table(cloud: Any, options: argparse.Namespace) -> Table:
    table: Table = cloud.table(options.free)
    return table


def _recommend(cloud: Any, options: argparse.Namespace) -> Table:
    table: Table = cloud.recommend(options.need_gb, options.hours, options.budget, options.gpus)
    return table


def _cards(cloud: Any, options: argparse.Namespace) -> Table:
    table: Table = cloud.cards(options.sort, options.gpu)
    return table


def _relative(cloud: Any, options: argparse.Namespace) -> Table:
    table: Table = cloud.relative(options.to)
    return table


def _steps(cloud: Any, options: argparse.Namespace) -> dict[str, Any]:
    return {"name": options.name, "text": cloud.steps(options.name)}


def _advice(cloud: Any, options: argparse.Namespace) -> dict[str, Any]:
    return {"about": options.about, "text": cloud.advice(options.about)}


def _breakeven(cloud: Any, options: argparse.Namespace) -> dict[str, Any]:
    try:
        rented: str | float = float(options.offer)
    except ValueError:
        rented = options.offer
    weeks = cloud.breakeven(options.price, options.hours_per_week, rented)
    text = (
        "Renting costs nothing: buying never pays."
        if weeks == float("inf")
        else f"Buying is cheaper after {weeks:.0f} weeks."
    )
    return {"weeks": None if weeks == float("inf") else weeks, "text": text}


_ANSWERS: dict[str, Callable[[Any, argparse.Namespace], Table | dict[str, Any]]] = {
    "table": _table,
    "recommend": _recommend,
    "cards": _cards,
    "relative": _relative,
    "steps": _steps,
    "advice": _advice,
    "breakeven": _breakeven,
}


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--free", action="store_true", help="only what costs nothing")
    kinds = parser.add_subparsers(dest="what", metavar="WHAT")

    def add(name: str, summary: str) -> argparse.ArgumentParser:
        added = kinds.add_parser(name, help=summary, description=summary)
        # The outer --json counts too, so this one has no default.
        added.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document"
        )
        return added

    need = add("recommend", "What fits, the cheapest first.")
    need.add_argument("--need-gb", type=float, metavar="GB", help="memory of one GPU")
    need.add_argument("--hours", type=float, metavar="H", help="how long it is needed")
    need.add_argument("--budget", type=float, metavar="USD", help="for the hours; 0: free")
    need.add_argument("--gpus", type=int, default=1, metavar="N", help="at least this many")
    cards = add("cards", "Cards: peaks, memory, rent.")
    cards.add_argument("--sort", metavar="KEY", help="e.g. fp32, memory, gflops_per_price")
    cards.add_argument("--gpu", metavar="NAME", help="only these cards")
    relative = add("relative", "Cards as multiples of one.")
    relative.add_argument("--to", default="P100", metavar="CARD", help="the card that is 1")
    steps = add("steps", "How to begin with an offer.")
    steps.add_argument("name", help="an offer or provider, e.g. colab")
    advice = add("advice", "What to think of first.")
    advice.add_argument("about", nargs="?", default="rent", choices=("buy", "rent"), metavar="WHAT")
    even = add("breakeven", "After how many weeks buying is cheaper than renting.")
    even.add_argument("price", type=float, help="USD for the card")
    even.add_argument("hours_per_week", type=float, help="hours a week")
    even.add_argument("offer", help="the name of an offer, or USD an hour")


COMMAND = Command("cloud", "GPUs to rent or to buy, from dated tables.", _run, _arguments)
