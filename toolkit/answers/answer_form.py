"""The exact form in which an answer leaves, where it follows from the request and the rules without doubt."""

from __future__ import annotations

import re
from typing import Final

from toolkit.answers.message_guard import polarity
from toolkit.answers.outcome_names import OK
from toolkit.text import yes_no_words

_ANGLES: Final = re.compile(r"<[A-Z]+>")
_ABOUT_YES_NO: Final = re.compile(r"\byes\s*(?:/|or)\s*no\b", re.IGNORECASE)
_YES_NO_ASKED: Final = re.compile(
    r"\byes\s*(?:/|or)\s*no\b|^(?:is|are|do|does|did|can|could|will|would|has|have|was|were)\b", re.IGNORECASE
)
_VALUE_ONLY: Final = re.compile(r"\b(?:exact )?value\b[^?!\n]*\bonly\b|\bonly the (?:exact )?value\b", re.IGNORECASE)
_STATED: Final = re.compile(r"\b(?:is|equals|reads|:)\s*[`\"“']?([^`\"”'\s]+?)[`\"”']?\s*\.?\s*$")


def answer_form(outcome: str, message: str, text: str, rules: str) -> str:
    """Return a message in the form that request and rules ask for; as it is where that is not certain."""
    if outcome != OK:
        return message
    if _VALUE_ONLY.search(text):
        found = _STATED.search(message)
        return found[1] if found else message
    words = [*yes_no_words(rules), *_angle_words(rules)]
    is_yes = polarity(" ".join(message.split()[:1]))
    if len(words) != 2 or message in words or is_yes is None or not _YES_NO_ASKED.search(text.strip()):
        return message
    return words[0 if is_yes else 1]


def _angle_words(rules: str) -> list[str]:
    found = [each for line in rules.splitlines() if _ABOUT_YES_NO.search(line) for each in _ANGLES.findall(line)]
    return list(dict.fromkeys(found))
