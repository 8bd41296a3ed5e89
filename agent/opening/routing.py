"""Finds the pages that a request is about, by the rules' routing, read as pairs of subject and path, and by words.

It has no vocabulary: a word counts more if fewer pages share it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

MOST_COMPARED_CHARS: Final = 20_000
"""Max characters of one text that are compared."""
KEPT_STEMS: Final = 4_096
"""Max words whose stems are kept: texts repeat most of their words."""
KEPT_TEXTS: Final = 256
"""Max texts whose stems are kept: trials share most of their documents."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STEM_CHARS: Final = 6
"""Words that begin with the same characters, apart from endings, count as one."""
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|al)$")
_FOLDER_WEIGHT: Final = 1.0
"""Weight of a folder compared with a word that as many texts hold."""
_SUBJECT_WEIGHT: Final = 3.0
"""Weight of a word of a routed subject compared with a word of the page."""
_CODE_WEIGHT: Final = 6.0
"""Weight of a code such as `late_hour` that a page marks as code."""
_MARKED_WEIGHT: Final = 2.0
"""Weight of any other word that a page marks as code."""
_PAIR_WEIGHT: Final = 3.0
"""Weight of two words that are adjacent in a page, and almost adjacent in the request."""
_TOLD_WEIGHT: Final = 1.0
"""Weight of a word that the rules have for a folder, if the request means a file of this folder."""
_PASSED_ON: Final = 0.5
"""The share of a text's weight that goes to the texts whose names it holds."""
_UNROUTED: Final = 0.6
"""The share of its weight that a text keeps if no rule leads to it while rules lead to others."""
_LEAST_SHARE: Final = 0.55
"""The share of the best weight that a further page needs in order to be shown."""
_LEAST_UNROUTED: Final = 0.25
"""The same share without rules that lead to a page: any page may be meant."""
_CLOSE_SHARE: Final = 0.6
"""The share of the best weight from which a page comes before the pages that the best one names."""
_LEAST_WORDS: Final = 2
"""Min words that a request shares with a text that it is about, if the title holds none of them."""
_SHORT: Final = 600
"""Max characters of a text that says only what changes in another text."""
_LATER_LINES: Final = 0.3
"""Weight of a word that is only below the first line of a request: there it may be quoted or forwarded."""
_CODE: Final = re.compile(r"\b[^\W_]+(?:_[^\W_]+)+\b")
_QUOTED: Final = re.compile(
    r"""\([^()]{3,200}\)|(?<!\w)'[^'\n]{3,200}'(?!\w)|"[^"\n]{3,200}"|[“‘„][^”’“\n]{3,200}[”’“]"""
)
"""A quotation or an aside."""
_COMMON_WORDS: Final = """
about all also and answer any are bit but can cite code could did different does exactly find for from give has have
how into its just less like line look many more most much need next not nothing number one ones only other our out own
plain please put reply same say see should show some take tell than that the them then there these they thing things
this those two value want was way were what when where which who will with work would yes yet you your yyyy
"""
"""English words that ask for an answer or its form and say nothing about the subject of a request."""
COMMON: Final = frozenset(_COMMON_WORDS.split())
_BESIDE_ANY: Final = frozenset({"today", "now", "last", "done"})
"""Words that are found beside any other word: they say nothing in a pair, nor about a page to which no rule leads."""
_MOST_UNKNOWN: Final = 8
_PATH: Final = re.compile(r"/[\w./-]*\w")
_LEAST_ROUTED: Final = 3
_MARKUP: Final = re.compile(r"[`*_]")
_SENTENCE: Final = re.compile(r"[.:;?!]\s")


UNMEANT: Final = re.compile(
    r"""\b(?:no|not|without|except)\b[^.,;:?!()'"]*|(?<=\w)['’]\w+|\d+(?:[.,-]\d+)+""", re.IGNORECASE
)
"""Words that exclude a record, endings such as `'s`, and numbers such as prices and dates."""


def subjects(rules: str) -> dict[str, str]:
    """Return the words that the rules have for each path in a passage that leads to several paths, lines joined."""
    found: dict[str, str] = {}
    for passage in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#]|\d+[.)])\s)|\n(?=\*\*)", rules):
        text = re.sub(r"\s+", " ", _MARKUP.sub("", passage))
        paths = [(path.start(), path.end(), path[0]) for path in _PATH.finditer(text)]
        if len({path for _, _, path in paths}) < _LEAST_ROUTED:
            continue
        comes_before = sum(text[end : end + 1] in {"", ".", ",", ";"} for _, end, _ in paths) * 2 > len(paths)
        starts = [0, *(end for _, end, _ in paths)]
        for number, (start, end, path) in enumerate(paths):
            following = paths[number + 1][0] if number + 1 < len(paths) else len(text)
            if comes_before:
                said = _SENTENCE.split(text[starts[number] : start].rstrip(" ,:;?.("))[-1]
            else:
                said = _SENTENCE.split(text[end:following] + " ")[0]
            found[path] = f"{found.get(path, '')} {said.strip(' ,.;:()')}".strip()
    return found


def fitting(
    instruction: str,
    texts: Mapping[str, str],
    room: int,
    *,
    folders: Iterable[str] = (),
    rules: str = "",
    means_records: bool = False,
) -> list[str]:
    """Return the names of the texts to show: whole texts, best first, at most `room` characters in all.

    A text weighs by the words that it, or its subject in `rules`, shares with the instruction and by those of `folders`
    that it names; a word or folder weighs more if fewer texts have it, and half a text's weight goes to the texts that
    it names. Pairs of words and codes count as well. The best text comes first, then texts that weigh almost as much,
    texts that it names, and others to which the rules lead, each with its notices. Among equals the first in `rules`
    comes first. If there is no room for any text, the best one is returned.

    A text to which no rule leads, such as a founding page, counts only if the request is about it and means no record.
    The rules lead nowhere for such a request if it shares no word with their subjects.
    """
    heads = {name: text[:MOST_COMPARED_CHARS] for name, text in texts.items()}
    asked, told = asked_stems(instruction), subjects(rules)
    words = asked_stems(_PATH.sub(" ", instruction))
    unrouted = {} if means_records else {name: text for name, text in heads.items() if name not in told}
    about = _about(words, unrouted)
    counted = about | (told.keys() & heads.keys()) if told else heads.keys()
    if about and asked.keys().isdisjoint(stems(" ".join(told.values()))):
        rules = ""
    routed = subjects(rules).keys() & heads.keys()
    shared = _weights(instruction, heads, [*folders], rules)
    order = sorted(counted, key=lambda name: (-shared[name], _place(name, rules)))
    if order:
        best = order[0]
        named = [name for name in order[1:] if name in heads[best]]
        least = _LEAST_SHARE if rules else _LEAST_UNROUTED
        rest = [name for name in order[1:] if shared[name] >= least * shared[best]]
        rest = [name for name in rest if not routed or name in routed or best not in routed]
        close = [name for name in rest if shared[name] >= _CLOSE_SHARE * shared[best]]
        order = [*dict.fromkeys([best, *close, *named, *rest])]
        order = [*dict.fromkeys(page for name in order for page in (name, *_overriding(name, routed, texts, rules)))]
    chosen: list[str] = []
    for name in order:
        if len(texts[name]) <= room:
            chosen.append(name)
            room -= len(texts[name])
    return chosen or order[:1]


def _about(asked: Mapping[str, float], texts: Mapping[str, str]) -> set[str]:
    """Return the texts that a request is about: their title alone holds one of its words, or the text two of them."""
    words = {stem for stem, weight in asked.items() if weight >= 1} - _BESIDE_ANY
    titles = {
        name: words & stems(f"{name.rpartition('/')[2]} {_first_line(text)}").keys() for name, text in texts.items()
    }
    times = Counter(stem for title in titles.values() for stem in title)
    return {
        name
        for name, text in texts.items()
        if any(times[stem] == 1 for stem in titles[name]) or len(stems(text).keys() & words) >= _LEAST_WORDS
    }


def _overriding(page: str, routed: Collection[str], texts: Mapping[str, str], rules: str) -> list[str]:
    """Return notices: short texts, in a folder that the rules name, about a page or about a path that it names."""
    if page not in routed:
        return []
    told = {path for path in _PATH.findall(rules) if path not in texts}
    concerned = {page, *(path for path in _PATH.findall(texts[page]) if path not in texts)} - told
    return [
        name
        for name, text in texts.items()
        if name not in routed
        and len(text) <= _SHORT
        and name.rpartition("/")[0] in told
        and not concerned.isdisjoint(_PATH.findall(text))
    ]


def _weights(instruction: str, heads: Mapping[str, str], folders: Collection[str], rules: str) -> dict[str, float]:
    """Return the weight of each text for a request."""
    told = subjects(rules)
    routed = told.keys() & heads.keys()
    bags = {name: stems(text) for name, text in heads.items()}
    titles = {name: stems(f"{told.get(name, '')} {name} {_first_line(text)}") for name, text in heads.items()}
    usual = max(sum(map(len, heads.values())) / max(len(heads), 1), 1)
    asked = asked_stems(instruction)
    for folder in folders:
        for stem in stems(told.get(folder, "")):
            asked.setdefault(stem, _TOLD_WEIGHT)
    shared = dict.fromkeys(heads, 0.0)
    for stem, weight in asked.items():
        holding = {
            name: weight * (_SUBJECT_WEIGHT * (stem in titles[name]) + _saturated(bag[stem], len(heads[name]) / usual))
            for name, bag in bags.items()
            if stem in bag or stem in titles[name]
        }
        _add_weights(shared, holding)
    said = instruction[:MOST_COMPARED_CHARS]
    codes = {**dict.fromkeys(_words_of(said), _MARKED_WEIGHT), **dict.fromkeys(codes_in(said), _CODE_WEIGHT)}
    for code, weight in codes.items():
        _add_weights(shared, {name: weight for name, text in heads.items() if f"`{code}`" in text})
    pairs = {name: _pairs(text, 1) for name, text in heads.items()}
    for pair in sorted(_pairs(said.strip().partition("\n")[0], 2)):
        _add_weights(shared, {name: _PAIR_WEIGHT for name in heads if pair in pairs[name]})
    for folder in dict.fromkeys(folders):
        _add_weights(shared, {name: _FOLDER_WEIGHT for name, text in heads.items() if folder in text})
    if routed:
        shared = {name: weight if name in routed else _UNROUTED * weight for name, weight in shared.items()}
    passed = {name: max((shared[other] for other in heads if name in heads[other]), default=0) for name in heads}
    return {name: shared[name] + _PASSED_ON * passed[name] for name in heads}


def unknown_words(instruction: str, texts: Iterable[str]) -> list[str]:
    """Return the words of a request's first line that no text holds, such as names, in order."""
    first = instruction.strip().partition("\n")[0][:MOST_COMPARED_CHARS]
    first = UNMEANT.sub(" ", _PATH.sub(" ", _CODE.sub(" ", first)))
    known = set[str]().union(*(stems(text[:MOST_COMPARED_CHARS]) for text in texts))
    words = [word for word in _WORD.findall(first.casefold()) if len(word) > 3 and word not in COMMON]
    return [word for word in dict.fromkeys(words) if _stem(word) not in known][:_MOST_UNKNOWN]


def codes_in(instruction: str) -> list[str]:
    """Return the codes, such as `late_hour`, that an instruction names."""
    return [*dict.fromkeys(_CODE.findall(instruction[:MOST_COMPARED_CHARS]))]


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def asked_stems(instruction: str) -> dict[str, float]:
    """Return the weights of the stems that say what a request is about, without codes and paths."""
    first, _, later = _CODE.sub(" ", instruction.strip()[:MOST_COMPARED_CHARS]).partition("\n")
    later = "\n".join([later, *_QUOTED.findall(first)])
    first = _QUOTED.sub(" ", first)
    found = dict.fromkeys(_telling(first), 1.0)
    return {**dict.fromkeys(_telling(later), _LATER_LINES), **found}


def _telling(text: str) -> list[str]:
    return [_stem(word) for word in _words_of(text)]


def _words_of(text: str) -> list[str]:
    return [word for word in dict.fromkeys(_WORD.findall(text.casefold())) if word not in COMMON]


@lru_cache(maxsize=KEPT_TEXTS)
def _pairs(text: str, apart: int) -> frozenset[tuple[str, str]]:
    """Return the pairs of stems at most `apart` words from one another, without words that say nothing."""
    found = [_stem(word) for word in _WORD.findall(text.casefold()) if word not in COMMON]
    return frozenset(
        (min(one, other), max(one, other))
        for at, one in enumerate(found)
        for other in found[at + 1 : at + 1 + apart]
        if one != other and _BESIDE_ANY.isdisjoint((one, other))
    )


def _saturated(times: int, length: float) -> float:
    """Return the weight of a word that occurs this many times in a text of this length, as in BM25."""
    return 2.2 * times / (times + 1.2 * (0.25 + 0.75 * length))


def _add_weights(weights: dict[str, float], holding: Mapping[str, float]) -> None:
    """Add what one word weighs for each text that holds it."""
    for name, times in holding.items():
        weights[name] += times * math.log((1 + len(weights)) / (0.5 + len(holding)))


def _place(name: str, rules: str) -> int:
    found = rules.find(name)
    return found if found >= 0 else len(rules)


@lru_cache(maxsize=KEPT_TEXTS)
def stems(text: str) -> Counter[str]:
    """Count the stems of a text; the counts are kept, because many trials share a text."""
    return Counter(map(_stem, _WORD.findall(text.casefold())))


@lru_cache(maxsize=KEPT_STEMS)
def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return (bare if len(bare) >= 3 else word)[:_STEM_CHARS]
