"""Which tool of a shop does what: by what the environment declares of it, else by what it is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from toolkit.text import normal_words

IDENTITY: Final = "identity"
CLOCK: Final = "clock"
SUBJECTS: Final = ("checkout", "discounts", "returns", "verification", "stock")
"""Subjects whose policy tells how to use a tool."""
_WORDS: Final = {
    IDENTITY: "id whoami who identity signed user roles",
    CLOCK: "date clock time now",
    "checkout": "checkout check checks buy buys purchase",
    "discounts": "discount discounts",
    "returns": "refund refunds return returns",
    "verification": "verification verifications verify payments",
    "stock": "availability available stock sell",
}
"""What tools are said to do, or called."""


def tools_by_use(tools: Mapping[str, str]) -> dict[str, str]:
    """Return by use the tool whose name and summary speak of it most. `tools` are summaries by path.

    Of two that speak of a use alike, none is taken.
    """
    told = {path: _name_and_summary(path, summary) for path, summary in tools.items()}
    found = {}
    for use, words in _WORDS.items():
        fitting = {path: len(said & set(words.split())) for path, said in told.items()}
        best = [path for path, count in fitting.items() if count and count == max(fitting.values())]
        if len(best) == 1:
            found[use] = best[0]
    return found


def _name_and_summary(path: str, summary: str) -> set[str]:
    return set(normal_words(f"{path.rsplit('/', 1)[-1]} {summary}").split())


def possible_tools(paths: Iterable[str]) -> dict[str, str]:
    """Return those of some paths that can be tools where none is declared: no file below, and no ending."""
    every = list(paths)
    folders = {folder for path in every for folder in _folders(path)}
    return {path: "" for path in every if "." not in path.rsplit("/", 1)[-1] and path not in folders}


def _folders(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(2, len(parts)))
