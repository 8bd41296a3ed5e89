"""Says whether a message states what was computed: a value, a number, the workspace's yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from gates.reading import DoesNotApply
from toolkit.text import yes_no_pair


def no_question() -> NoReturn:
    """Raise `DoesNotApply`: it is not certain what is asked."""
    msg = "no question that can be computed again"
    raise DoesNotApply(msg)


def is_value(value: str) -> Callable[[str], bool]:
    """Return whether a message is a value alone."""
    return lambda text: text.strip() == value


def states_number(number: int) -> Callable[[str], bool]:
    """Return whether a message holds a number and no other."""
    return lambda text: [each.lstrip("0") or "0" for each in re.findall(r"\d+", text)] == [str(number)]


def yes_no(answer: bool, rules: str) -> Callable[[str], bool]:
    """Return whether a message is the workspace's word for a yes or a no.

    Any message is, if no two words are laid down.
    """
    words = yes_no_pair(rules)
    if words is None:
        return lambda text: True
    right, wrong = words if answer else words[::-1]
    return lambda text: text.strip() == right or (wrong not in text and right in text)


def in_order(words: tuple[str, ...], text: tuple[str, ...]) -> bool:
    """Say whether words follow each other in a text's words."""
    return any(text[start : start + len(words)] == words for start in range(len(text) - len(words) + 1))
