"""The words with which a workspace wants yes and no answered."""

from __future__ import annotations

import re
from typing import Final

_ABOUT_YES_NO: Final = re.compile(r"\b(?:yes\s*(?:/|or)\s*no|ja\s*(?:/|oder)\s*nein)\b", re.IGNORECASE)
_MARKED: Final = re.compile(r"`([^`\n]+)`")


def yes_no_words(rules: str) -> list[str]:
    """Return the tokens in code marks on the lines of a rules document that speak of yes and no, in their order."""
    found = [each for line in rules.splitlines() if _ABOUT_YES_NO.search(line) for each in _MARKED.findall(line)]
    return list(dict.fromkeys(found))
