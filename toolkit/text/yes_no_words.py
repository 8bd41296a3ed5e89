"""The words with which a workspace wants yes and no answered."""

from __future__ import annotations

import re
from typing import Final

from toolkit.text.document_entries import entries_of

_ABOUT_YES_NO: Final = re.compile(r"\b(?:yes\s*(?:/|or)\s*no|ja\s*(?:/|oder)\s*nein)\b", re.IGNORECASE)
_EITHER: Final = re.compile(r"\byes\b.*\bno\b|\bis so\b.*\bis not\b", re.IGNORECASE)
_MARKED: Final = re.compile(r"`([^`\n]+)`")


def yes_no_words(rules: str) -> list[str]:
    """Return the tokens in code marks on the lines of a rules document that speak of yes and no, in their order."""
    found = [each for line in rules.splitlines() if _ABOUT_YES_NO.search(line) for each in _MARKED.findall(line)]
    return list(dict.fromkeys(found))


def yes_no_pair(rules: str) -> tuple[str, str] | None:
    """Return the words for yes and for no: the two marked ones of the only paragraph that speaks of yes before no.

    None if no paragraph does, or several do and differ.
    """
    found = set()
    for said in entries_of(rules):
        marked = list(dict.fromkeys(each for each in _MARKED.findall(said) if not each.startswith(("/", "OUTCOME_"))))
        if len(marked) == 2 and _EITHER.search(said):
            found.add((marked[0], marked[1]))
    return found.pop() if len(found) == 1 else None
