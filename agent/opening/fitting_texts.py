"""Chooses the texts that fit an instruction best: those that share its rarer words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STEM_CHARS: Final = 6
"""Words that begin with the same characters, endings left aside, count as one."""
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|al)$")
_FOLDER_WEIGHT: Final = 2.0
"""What a folder weighs against a word that as many texts hold."""
_PASSED_ON: Final = 0.5
"""The part of a text's weight that goes to the texts whose names it holds."""
KEPT_STEMS: Final = 4_096
"""Words whose stems are kept: texts repeat most of theirs."""
MOST_CHARS: Final = 20_000
"""Characters of one text that are compared."""


def fitting(
    instruction: str, texts: Mapping[str, str], room: int, *, folders: Iterable[str] = (), rules: str = ""
) -> list[str]:
    """Return the names of the texts to show: whole ones, best first, together at most `room` characters.

    A text weighs by the words that it shares with the instruction and by those of `folders` that it names, each by how
    few of the texts do; half its weight goes to a text that it names. Among equals the one that stands first in `rules`
    comes first. If there is room for none, the best one is returned.
    """
    heads = {name: text[:MOST_CHARS] for name, text in texts.items()}
    shared = dict.fromkeys(heads, 0.0)
    bags = {name: _stems(text) for name, text in heads.items()}
    for stem in _stems(instruction[:MOST_CHARS]):
        _add_weights(shared, {name: 1 + math.log(bag[stem]) for name, bag in bags.items() if stem in bag})
    for folder in dict.fromkeys(folders):
        _add_weights(shared, {name: _FOLDER_WEIGHT for name, text in heads.items() if folder in text})
    passed = {name: max((shared[other] for other in heads if name in heads[other]), default=0) for name in heads}
    order = sorted(heads, key=lambda name: (-shared[name] - _PASSED_ON * passed[name], _place(name, rules)))
    chosen: list[str] = []
    for name in order:
        if len(texts[name]) <= room:
            chosen.append(name)
            room -= len(texts[name])
    return chosen or order[:1]


def _add_weights(weights: dict[str, float], holding: Mapping[str, float]) -> None:
    """Add what one word weighs for each text that holds it."""
    for name, times in holding.items():
        weights[name] += times * math.log(1 + len(weights) / len(holding))


def _place(name: str, rules: str) -> int:
    found = rules.find(name)
    return found if found >= 0 else len(rules)


def _stems(text: str) -> Counter[str]:
    return Counter(_stem(each) for each in _WORD.findall(text.casefold()))


@lru_cache(maxsize=KEPT_STEMS)
def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return (bare if len(bare) >= 3 else word)[:_STEM_CHARS]
