"""The keys of the walker: the line at the bottom of the screen, and the list that `?` shows."""

from __future__ import annotations

from typing import Final

from rich.console import Group
from rich.text import Text

LINE: Final = (
    ("n", "next"),
    ("p", "back"),
    ("g", "go to"),
    ("r", "rejection"),
    ("f", "fold"),
    ("t", "trial"),
    ("↑↓", "scroll"),
    ("?", "keys"),
    ("q", "quit"),
)
"""The keys that the bottom line names as far as they fit; the last two always stay."""
LASTING: Final = 2
ALL: Final = (
    ("n → Enter", "the next page"),
    ("Space", "scroll down; at the bottom, the next page"),
    ("p ← Backspace", "the page before"),
    ("g NUMBER Enter", "go to a step; 0 is turn one"),
    ("g e", "go to the end: score, answer, citations"),
    ("r", "the next step whose answer was sent back"),
    ("f", "unfold or fold what the page shortens"),
    ("t  T", "the next trial, the one before"),
    ("↑ ↓  k j", "scroll by a line"),
    ("PgUp PgDn", "scroll by a window"),
    ("Home End", "the page's top, its bottom"),
    ("?", "show or hide this list"),
    ("q Ctrl-D", "quit"),
)
"""Every key with what it does."""


def key_line(message: str, width: int, *, is_folded: bool) -> Text:
    """Return the message and as many keys as fit in `width` columns; the keys to help and to quit always stay."""
    keys = []
    for key, meaning in LINE:
        word = "unfold" if meaning == "fold" and is_folded else meaning
        keys.append(Text(key, style="bold", no_wrap=True).append(f" {word}", style="not bold dim"))
    styled = Text(message, style="bold yellow", no_wrap=True)
    room = width - 1
    while len(keys) > LASTING and sum(each.cell_len + 2 for each in keys) + styled.cell_len > room:
        del keys[-LASTING - 1]
    styled.truncate(max(room - sum(each.cell_len + 2 for each in keys), 0), overflow="ellipsis")
    line = Text("  ", no_wrap=True).join([styled, *keys] if message else keys)
    line.truncate(room, overflow="ellipsis")
    return line


def all_keys() -> Group:
    """Return the list of all keys."""
    longest = max(len(keys) for keys, _ in ALL)
    lines = [
        Text(f"  {keys:<{longest}}", style="bold", no_wrap=True, overflow="ellipsis").append(
            f"   {meaning}", style="not bold"
        )
        for keys, meaning in ALL
    ]
    return Group(*lines)
