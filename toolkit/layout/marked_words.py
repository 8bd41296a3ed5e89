"""What documents set in code marks: paths, fields, states, verbs and the words for yes and no."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_MARK: Final = re.compile(r"`([^`\n]+)`")
_PATH: Final = re.compile(r"(?:^|(?<=[\s`(\[\"']))/[A-Za-z][\w.-]*(?:/[\w.-]+)*", re.MULTILINE)


def marked_words(text: str) -> list[str]:
    """Return everything in code marks, in its order, repetitions included."""
    return _MARK.findall(re.sub(r"\s*\n\s*", " ", text))


def named_paths(text: str) -> list[str]:
    """Return the absolute paths that a text names, in code marks or without, each once."""
    return list(dict.fromkeys(each.rstrip(".") for each in _PATH.findall(text)))


def most_marked(text: str, among: Collection[str]) -> str:
    """Return which of some words a text marks most often, the first of equals; empty if it marks none of them."""
    found = [each for each in marked_words(text) if each in among]
    return max(dict.fromkeys(found), key=found.count, default="")


def marked_behind(text: str, word: str, *, most_chars: int = 20) -> str:
    """Return what is marked next behind a marked word, at most so many characters later; empty if nothing is."""
    plain = re.sub(r"\s+", " ", text)
    found = re.search(rf"`{re.escape(word)}`[^`.;]{{0,{most_chars}}}`([^`\n]+)`", plain)
    return found[1] if found else ""
