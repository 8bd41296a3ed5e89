"""What a formatter may change in a message: its form, never a number, an id, a yes or an outcome."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from toolkit.answers.outcome_names import CLARIFY, OK, without_outcome_name
from toolkit.text import normal_words, yes_no_words

_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NAME: Final = re.compile(r"(?<![\w-])[A-Za-z]+[_-][\w-]*\d[\w-]*")
_YES: Final = frozenset({"yes", "true", "ja", "oui"})
_NO: Final = frozenset({"no", "not", "false", "nein", "nee", "non", "none", "cannot"})


def formatted_message(outcome: str, message: str, rules: str, ask: Callable[[], str]) -> str:
    """Return a message in its final form. `ask` gets a formatter's proposal, and is called for answers alone.

    Refusals stay; a question loses the name of an outcome in front of it. A message that already is a word of the
    rules for yes or no is asked about no further. A proposal that is empty, or that changes a number, an id or a yes,
    is not taken. What `ask` raises of `OSError` and `ValueError` leaves the message as it is.
    """
    if outcome != OK:
        return without_outcome_name(message) if outcome == CLARIFY else message
    words = yes_no_words(rules)
    if message.strip() in words:
        return message
    try:
        proposed = without_outcome_name(ask()).strip()
    except (OSError, ValueError):
        return message
    return proposed if proposed and keeps_meaning(message, proposed, words) else message


def keeps_meaning(message: str, proposed: str, words: Sequence[str]) -> bool:
    """Say whether a proposal has the numbers, ids and polarity of a message. `words` are those for yes and no."""
    if proposed in words:
        said = polarity(message)
        return said is None or said is (words.index(proposed) == 0)
    if _sorted(_NAME, proposed) != _sorted(_NAME, message) and not _shortens(_NAME, proposed, message):
        return False
    if not _shortens(_FIGURE, proposed, message) or (_FIGURE.search(message) and not _FIGURE.search(proposed)):
        return False
    before, after = polarity(message), polarity(proposed)
    return before is None or after is None or before is after


def polarity(message: str) -> bool | None:
    """Return whether a message says yes or no; None if it says neither or both."""
    said = set(normal_words(message).split())
    is_yes, is_no = bool(said & _YES), bool(said & _NO)
    return None if is_yes is is_no else is_yes


def _sorted(pattern: re.Pattern[str], text: str) -> list[str]:
    return sorted(each.casefold() for each in pattern.findall(text))


def _shortens(pattern: re.Pattern[str], proposed: str, message: str) -> bool:
    """Say whether everything that a proposal holds of a kind stands in the message."""
    return {_digits(each) for each in pattern.findall(proposed)} <= {_digits(each) for each in pattern.findall(message)}


def _digits(text: str) -> str:
    return text.casefold().replace(",", ".").lstrip("0") or "0"
