"""Ranks texts for a request by BM25, in linear time, and reads where the rules lead.

It has no vocabulary of its own but the words of courtesy and form that say nothing about a subject.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

MOST_COMPARED_CHARS: Final = 20_000
"""Max characters of one text that are compared."""
TITLE_WEIGHT: Final = 6.0
"""Weight of a word in a title compared with the same word in the text."""
ASKER_WEIGHT: Final = 0.3
"""Weight of words for records that only hold a name of the request, or of who asks."""
CLOSE: Final = 0.75
"""Share of the best score from which a document may be the one that governs, and is shown."""
CLOSE_OF_RECORDS: Final = 0.8
"""The same for one that fits by the own words of a request that means records, for whose kinds the rules have words."""
CLOSER: Final = 0.9
"""The same for a document that fits less both by the request's own words and by those for the kinds of its records."""
FIT: Final = 0.1
"""Share of the best score from which a document is worth reading."""
LEAST_ROUTED: Final = 3
"""Min paths of a passage of the rules that leads to documents."""
SHORT_NOTICE: Final = 600
"""Max characters of a text that says only what changes in another text."""
_SATURATION, _LENGTH = 1.2, 0.75
"""The usual parameters of BM25."""
LEAST_COUNTED: Final = 10
"""Texts among which words are counted at least: fewer are filled up with empty ones."""
MOST_UNKNOWN: Final = 12
KEPT_STEMS: Final = 4_096
"""Max words whose stems are kept: texts repeat most of their words."""
WORD: Final = re.compile(r"[^\W\d_]{3,}")
CODE: Final = re.compile(r"\b[^\W_]+(?:_[^\W_]+)+\b")
PATH: Final = re.compile(r"/[\w./-]*\w")
_ARTICLE: Final = re.compile(r"\b[A-Z0-9]+(?:-[A-Z0-9]+){2,}\b")
"""A code such as `VH-PAN-20-RED`, whose parts are no words."""
_TERM: Final = re.compile(r"[^\W_]+")
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|al)$")
_STEM_CHARS: Final = 6
_MARKUP: Final = re.compile(r"[`*_]")
_SENTENCE: Final = re.compile(r"[.:;?!]\s")
_QUOTED: Final = re.compile(
    r"""\S*%\w\S*|\([^()]{3,200}\)|(?<!\w)'[^'\n]{3,200}'(?!\w)|"[^"\n]{3,200}"|[“‘„][^”’“\n]{3,200}[”’“]"""
)
"""A quotation, an aside or a template such as `[QTY:%d]`."""
UNMEANT: Final = re.compile(
    r"""\b(?:no|not|without|except)\b(?:[^.,;:?!()'"\s]*\s+){0,4}[^.,;:?!()'"\s]*|(?<=\w)['’]\w+|\d+(?:[.,-]\d+)+""",
    re.IGNORECASE,
)
"""A negation with the few words that it may exclude, endings such as `'s`, and numbers such as prices and dates."""
_COMMON_WORDS: Final = """
about all also and answer any are bit but can cite code could did different does exactly find for form format
formatted from give has have how into its just less like line look many more most much need next not nothing number
one ones only other our out own plain please put reply same say see should show some take tell than that the them then
there these they thing things this those two value want was way were what when where which who will with work would
yes yet you your yyyy
"""
COMMON: Final = frozenset(_COMMON_WORDS.split())
"""English words that ask for an answer or its form and say nothing about the subject of a request."""


class Titled(NamedTuple):
    """A text with the words that others have for it."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """The words and phrases that say what a request is about."""

    request: str
    folders: Sequence[str] = ()
    """The folders of the kinds of records that the request means."""
    words: str = ""
    """Further words, such as those that the rules have for these kinds."""
    words_of_asker: str = ""
    """Words for the kinds of records that hold a name of the request, or of who asks."""
    codes: Sequence[str] = ()
    """Codes such as `late_hour` that no record holds as a value."""
    means_records: bool = False
    rules: str = ""
    subjects: Mapping[str, str] = field(default_factory=dict)
    """The words that the rules have for each path that they lead to."""
    counted_texts: dict[Titled, _Counted] = field(default_factory=dict)
    """The documents that were counted to rank them."""

    @property
    def own_terms(self) -> list[str]:
        """The words of the request, then its codes as phrases."""
        request = PATH.sub(_words_of_path, self.request.strip()[:MOST_COMPARED_CHARS])
        first, _, later = CODE.sub(" ", request).partition("\n")
        first = _ARTICLE.sub(" ", first)
        words = _telling(_QUOTED.sub(" ", first)) or _telling(f"{first} {later}")
        return [*words, *map(_phrase, self.codes)]

    @property
    def terms_of_records(self) -> list[str]:
        """The words that the rules have for the kinds of records that the request means, and their folders."""
        return [*_telling(self.words), *map(_phrase, self.folders)]


def _phrase(text: str) -> str:
    return " ".join(_TERM.findall(text))


def _words_of_path(path: re.Match[str]) -> str:
    """Return the words of a path, without its ending."""
    return f" {' '.join(WORD.findall(path[0].rpartition('.')[0]))} "


def scores(
    terms: Sequence[str],
    texts: Mapping[str, Titled],
    *,
    alike: bool = False,
    counted_texts: dict[Titled, _Counted] | None = None,
) -> dict[str, float]:
    """Return the BM25 score of each text that holds one of the terms; a term of several words is a phrase.

    A term that half of the texts hold counts as nothing, unless these were chosen because they are `alike`.
    `counted_texts` keeps the texts that were counted, all with the same `alike`.
    """
    form_of = bare_of if alike else stem_of  # Similar names differ in their endings.
    counted_by_text = {} if counted_texts is None else counted_texts
    phrases = {phrase for term in terms if (phrase := tuple(map(form_of, _TERM.findall(term.casefold()))))}
    if not (phrases and texts):
        return {}
    for text in texts.values():
        if text not in counted_by_text:
            counted_by_text[text] = _Counted(text.title, text.text[:MOST_COMPARED_CHARS], form_of)
    counted = {name: counted_by_text[text] for name, text in texts.items()}
    number = max(len(texts), LEAST_COUNTED, 2 * len(texts) if alike else 0)
    usual_length = max(sum(text.length for text in counted.values()) / number, 1)
    weights: dict[str, float] = {}
    for phrase in phrases:
        counts = {name: count for name, text in counted.items() if (count := text.count(phrase))}
        weight = max(math.log((number - len(counts) + 0.5) / (len(counts) + 0.5)), 1e-6)
        for name, count in counts.items():
            length = _SATURATION * (1 - _LENGTH + _LENGTH * counted[name].length / usual_length)
            weights[name] = weights.get(name, 0) + weight * count * (_SATURATION + 1) / (count + length)
    return weights


class _Counted:
    """The words of a title and a text without their endings, counted."""

    def __init__(self, title: str, text: str, form_of: Callable[[str], str]) -> None:
        self._form_of = form_of
        self._parts = ((TITLE_WEIGHT, _TERM.findall(title.casefold())), (1.0, _TERM.findall(text.casefold())))
        self.length = sum(len(words) for _, words in self._parts)
        (weight, in_title), (_, in_text) = self._parts
        self._counts = defaultdict[str, float](float, Counter(map(form_of, in_text)))
        for word in in_title:
            self._counts[form_of(word)] += weight

    def count(self, phrase: tuple[str, ...]) -> float:
        """Return how often the words stand in a row, those in the title by their weight."""
        if len(phrase) == 1 or not all(self._counts[stem] for stem in phrase):
            return self._counts[phrase[0]] if len(phrase) == 1 else 0
        wanted = f" {' '.join(phrase)} "
        return sum(weight * f" {' '.join(map(self._form_of, words))} ".count(wanted) for weight, words in self._parts)


def ranked_documents(query: Query, documents: Mapping[str, str], *, to_show: Collection[str] = ()) -> list[str]:
    """Return the documents that fit a request, best first; if none does, those that the rules lead to, in their order.

    A document that the best one names comes before others that fit less; with `to_show`, of which the returned ones
    are a part, it comes first, and those that fit less than almost as well are left out. If the request means records,
    only documents count to which the rules lead, if they lead to any. Each comes with the notices that override it.
    """
    titled = {name: Titled(title_of_document(name, query.subjects), text) for name, text in documents.items()}
    routed = query.subjects.keys() & documents.keys()

    def scored(terms: Sequence[str]) -> dict[str, float]:
        ranks = scores(terms, titled, counted_texts=query.counted_texts)
        return {name: score for name, score in ranks.items() if name in routed or not (routed and query.means_records)}

    own = query.own_terms
    ranks = defaultdict(float, scored([*own, *query.terms_of_records]))
    for name, score in scored(_telling(query.words_of_asker)).items():
        ranks[name] += ASKER_WEIGHT * score
    places = {name: at if (at := query.rules.find(name)) >= 0 else len(query.rules) for name in documents}
    order = sorted(routed | ranks.keys() or documents, key=lambda name: (-ranks[name], places[name]))
    order = [name for name in order if name in to_show] or order
    if order and (best := ranks[order[0]]):
        first, apart = order[0], [defaultdict(float, scored(terms)) for terms in (own, query.terms_of_records)]
        shares = ((CLOSE_OF_RECORDS if query.folders else CLOSE, apart[0]), (CLOSE, apart[1]))
        close = [
            name
            for name in order
            if ranks[name] >= CLOSER * best
            or any(fit[name] >= fit[first] and ranks[name] >= share * best for share, fit in shares)
        ]
        named = [name for name in documents if name in documents[first]]
        if to_show:  # also the best to which the rules lead, and the best by the request's words if the first has none
            others = [] if apart[0][first] else sorted(apart[0], key=lambda name: -apart[0][name])[:1]
            order = [first, *named, *close, *others, *[name for name in order if name in routed][:1]]
        else:
            order = [*close, *named, *(name for name in order if ranks[name] >= FIT * best)]
    folders = notice_folders(query, documents)
    pages = dict.fromkeys(page for name in order for page in (name, *notices_of(name, documents, query, folders)))
    return [page for page in pages if page in (to_show or documents)]


def title_of_document(name: str, subjects: Mapping[str, str]) -> str:
    """Return the words that the rules have for a document, and those of its name."""
    return f"{subjects.get(name, '')} {' '.join(_TERM.findall(name.rpartition('/')[2]))}"


def notices_of(page: str, documents: Mapping[str, str], query: Query, folders: Collection[str]) -> list[str]:
    """Return the notices in `folders` about a page, or about a path that it names: short texts."""
    if page not in query.subjects or not folders:
        return []
    concerned = {page, *(path for path in PATH.findall(documents[page]) if path not in documents)}.difference(folders)
    return [
        name
        for name, text in documents.items()
        if name not in query.subjects
        and len(text) <= SHORT_NOTICE
        and name.rpartition("/")[0] in folders
        and not concerned.isdisjoint(PATH.findall(text))
    ]


def notice_folders(query: Query, documents: Collection[str]) -> set[str]:
    """Return the folders that the rules name and in which no document lies that they lead to, as notices do."""
    routed = {path.rpartition("/")[0] for path in query.subjects}
    return {path for path in PATH.findall(query.rules) if path not in documents} - routed


def whole_texts(order: Iterable[str], documents: Mapping[str, str], room: int) -> list[str]:
    """Return the documents that fit whole into `room` characters, in order; the first if there is room for none."""
    order, chosen = [*order], list[str]()
    for name in order:
        if len(documents[name]) <= room:
            chosen.append(name)
            room -= len(documents[name])
    return chosen or order[:1]


def best_texts(request: str, texts: Mapping[str, str], most: int, *, share: float = 0) -> list[str]:
    """Return the texts that fit a request's first line best, at most `most`, each with `share` of the best score."""
    first = UNMEANT.sub(" ", request.strip().partition("\n")[0][:MOST_COMPARED_CHARS].casefold())
    terms = [term for term in _TERM.findall(first) if term not in COMMON]
    ranks = scores(terms, {name: Titled("", text) for name, text in texts.items()}, alike=True)
    order = sorted(ranks, key=lambda name: -ranks[name])
    return [name for name in order if ranks[name] >= share * ranks[order[0]]][:most]


def subjects_of(rules: str) -> dict[str, str]:
    """Return the words that the rules have for each path in a passage that leads to several paths, lines joined.

    Words that several paths share, such as `records under`, say nothing about any of them.
    """
    phrases: dict[str, str] = {}
    for passage in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#]|\d+[.)])\s)|\n(?=\*\*)", rules):
        text = re.sub(r"\s+", " ", _MARKUP.sub("", passage))
        paths = [(path.start(), path.end(), path[0]) for path in PATH.finditer(text)]
        if len({path for _, _, path in paths}) < LEAST_ROUTED:
            continue
        comes_before = sum(text[end : end + 1] in {"", ".", ",", ";"} for _, end, _ in paths) * 2 > len(paths)
        starts = [0, *(end for _, end, _ in paths)]
        for number, (start, end, path) in enumerate(paths):
            following = paths[number + 1][0] if number + 1 < len(paths) else len(text)
            if comes_before:
                said = _SENTENCE.split(text[starts[number] : start].rstrip(" ,:;?.("))[-1]
            else:
                said = _SENTENCE.split(text[end:following] + " ")[0]
            phrases[path] = f"{phrases.get(path, '')} {said.strip(' ,.;:()')}".strip()
    counts = Counter(word for said in phrases.values() for word in {*WORD.findall(said.casefold())})
    return {
        path: WORD.sub(lambda word: word[0] if counts[word[0].casefold()] < LEAST_ROUTED else "", said).strip()
        for path, said in phrases.items()
    }


def unknown_words(request: str, texts: Iterable[str]) -> list[str]:
    """Return the words of a request's first line that no text holds, such as names, in order."""
    first = request.strip().partition("\n")[0][:MOST_COMPARED_CHARS]
    first = UNMEANT.sub(" ", PATH.sub(" ", CODE.sub(" ", first)))
    words = [word for word in _telling(first) if len(word) > 3]
    unknown = set(map(stem_of, words))
    for text in texts:
        folded = text[:MOST_COMPARED_CHARS].casefold()
        if any(stem in folded for stem in unknown):
            unknown -= stems(folded)
    return [word for word in words if stem_of(word) in unknown][:MOST_UNKNOWN]


def codes_in(request: str) -> list[str]:
    """Return the codes, such as `late_hour`, that a request names."""
    return [*dict.fromkeys(CODE.findall(request[:MOST_COMPARED_CHARS]))]


def _telling(text: str) -> list[str]:
    return [word for word in dict.fromkeys(WORD.findall(text.casefold())) if word not in COMMON]


def telling_stems(texts: Collection[str]) -> set[str]:
    """Return the stems of the words that say something about a subject."""
    return {stem_of(word) for text in texts for word in _telling(text)}


def stems(text: str) -> set[str]:
    """Return the stems of a text's words."""
    return set(map(stem_of, WORD.findall(text.casefold())))


@lru_cache(maxsize=KEPT_STEMS)
def bare_of(word: str) -> str:
    """Return a word without its ending."""
    bare = _ENDING.sub("", word)
    return bare if len(bare) >= 3 else word


@lru_cache(maxsize=KEPT_STEMS)
def stem_of(word: str) -> str:
    """Return the beginning of a word without its ending, with which related words begin."""
    return bare_of(word)[:_STEM_CHARS]
