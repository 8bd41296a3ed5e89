"""Reads which single value an order limits the answer to: "only the number", "nothing but the SKU", "the city only"."""

from __future__ import annotations

import re
from typing import Final

from gates.language import format_clauses
from gates.language.answer_frames import HOLDING, Frame
from gates.language.format_clauses import Clause


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


LIMIT: Final = re.compile(
    r"\b(?:only that|only|just|solely|exclusively|merely|nothing (?:but|else|more)|alone|on its own|by itself|bare|"
    r"no (?:other|further|extra|more|additional) (?:text|words?|prose)|no (?:prose|words|explanations?|units|"
    r"commentary)|"
    r"without (?:any )?(?:explanations?|prose|comments?|other|further|units|words|text)|"
    r"nur|bloß|lediglich|ausschließlich|sonst nichts|nichts (?:weiter|anderes|sonst|als)|ohne (?:erklärung|"
    r"weitere\w*|zusatz))\b",
    re.IGNORECASE,
)
_HARD_BEFORE: Final = re.compile(r"\b(?:only|solely|nur|bloß|lediglich|ausschließlich)\b")
_JUST_BEFORE: Final = re.compile(r"\bjust\b")
_TERSE_VERBS: Final = frozenset(("return", "output", "print", "answer", "reply", "respond"))
_LEADING: Final = re.compile(
    r"^(?:nothing but|only|just|solely|exclusively|merely|nur|bloß|lediglich|ausschließlich|nichts als)$"
)
_FILLER: Final = words_of(
    "me us mir uns back with using by as in mit aus be being contain contains consist of from only just nothing "
    "but solely exclusively merely please pls bitte nur bloß lediglich ausschließlich a an the this that its "
    "their his her one exact bare plain single raw full exactly der die das den dem des ein eine einer einem "
    "einen it full hold read to is"
)
_DETERMINERS: Final = words_of("a an the this its their his her der die das den dem ein eine einer einem einen")
_ENDS: Final = words_of(
    "and or of for from in on at by to if that which when where with und oder von der des für aus in im so pls "
    "please bitte only just alone nothing sonst nichts nur who as per without no bestehen sein zurück an"
)
_NUMBERS: Final = words_of("number count figure digit zahl anzahl quantity")
_INTEGERS: Final = frozenset(("integer", "digits", "whole number", "ganzen zahl", "ganze zahl"))
_CODES: Final = frozenset(("sku", "code", "id", "identifier", "artikelnummer"))
_OF_CODES: Final = frozenset(
    ("product", "item", "sku", "article", "order", "loan", "member", "customer", "basket", "ticket")
)
_PATHS: Final = frozenset(("path", "pfad", "dateipfad"))
_WORDS: Final = frozenset(("word", "wort"))
_SHAPELESS: Final = words_of(
    "list sentence line lines summary explanation table text answer reply report result message information info "
    "data details reason story overview analysis json csv satz liste erklärung antwort grund news rest one "
    "language paragraph essay letter mail email"
)
_NAMED_VALUES: Final = words_of("value date name title city status wert datum namen titel stadt surname street state")
_COMPUTED: Final = words_of("amount total sum average mean difference balance share rate percentage summe betrag")
_SINGULAR_ENDINGS: Final = ("ss", "us", "is")
_GERMAN_ARTICLES: Final = frozenset(("der", "die", "das", "den"))
"""Behind them a word without a capital is no noun: "nur die roten" names some of what was spoken of."""
_PREPOSITION: Final = re.compile(r"\b(?:as|with|in|mit|als)\s+", re.IGNORECASE)
_TOKEN: Final = re.compile(r"[`\w'#@-]+(?:\.[`\w]+)*|[.,;:!?()]")
_DECIMALS: Final = re.compile(
    r"\b(?:with|to|rounded to|auf|mit)\s+(?:exactly |genau )?(one|two|three|four|\d|ein(?:er)?|zwei|drei|vier)\s+"
    r"(?:decimals?(?: places?| digits?)?|digits? after the (?:decimal )?point|nachkommastellen?|dezimalstellen?)",
    re.IGNORECASE,
)
_COUNTED: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "ein": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4,
}  # fmt: skip
_ONE_WORD: Final = re.compile(
    r"\b(?:in|with|mit|in nur)\s+(?:just |only |exactly |nur )?(?:one|a single|einem)\s+(?:word|wort)\b", re.I
)
_CURRENCY: Final = re.compile(rf"(?:\b(?:in|as)\s+)({'|'.join(format_clauses.CURRENCIES)})\b", re.IGNORECASE)
_SEVERAL: Final = re.compile(
    r"\bper line\b|\bon (?:its|a|each|one)\b[^.]{0,12}\bline\b|\bJSON\b(?! only)|-separated|\bseparated\b|"
    r"\bzeile\b|getrennt",
    re.I,
)


def is_limited(frame: Frame) -> bool:
    """Say whether the frame allows nothing beside what it names."""
    if frame.verb in HOLDING:
        return False
    if LIMIT.search(frame.tail) or _HARD_BEFORE.search(frame.before) or frame.verb == "want only":
        return True
    return bool(_JUST_BEFORE.search(frame.before)) and (frame.verb in _TERSE_VERBS or not frame.verb)


def value_clauses(frame: Frame) -> tuple[list[Clause], list[tuple[int, int]]]:
    """Return the demand of one value alone, or of an amount, and where its words stand in the frame's tail."""
    limited = is_limited(frame)
    decimals = _DECIMALS.search(frame.tail)
    places = _places(decimals) if decimals is not None else 0
    currency = _CURRENCY.search(frame.tail)
    words = frame.sentence
    if decimals is not None and currency is not None:
        code = format_clauses.CURRENCIES[currency[1].lower()]
        amount = format_clauses.amount_clause(code, places, words, is_whole=limited)
        return [amount], [decimals.span(), currency.span(), *_limit_spans(frame)]
    if (one := _ONE_WORD.search(frame.tail)) is not None:
        return [format_clauses.word_clause(words)], [one.span()]
    if not limited or _SEVERAL.search(frame.tail):
        return [], []
    if decimals is not None:
        return [format_clauses.decimals_clause(places, words)], [decimals.span(), *_limit_spans(frame)]
    found = _limited_noun(frame)
    if found is None:
        return [], []
    phrase, has_determiner, after, span = found
    clause = _clause_of(phrase, words, after, has_determiner=has_determiner)
    return ([clause], [span, *_limit_spans(frame)]) if clause is not None else ([], [])


def _places(found: re.Match[str]) -> int:
    word = found[1].lower()
    return int(word) if word.isdecimal() else _COUNTED[word]


def _limit_spans(frame: Frame) -> list[tuple[int, int]]:
    return [each.span() for each in LIMIT.finditer(frame.tail)]


def _limited_noun(frame: Frame) -> tuple[list[str], bool, list[str], tuple[int, int]] | None:
    """Return the words of the noun that the frame limits the answer to, and what follows it."""
    tail = frame.tail
    limit = LIMIT.search(tail)
    if limit is None:
        return _noun_from(tail, 0)
    if _LEADING.match(limit[0].lower()) and (found := _noun_from(tail, limit.end())) is not None:
        return found
    before = tail[: limit.start()]
    prepositions = [each.end() for each in _PREPOSITION.finditer(before)]
    if prepositions and (found := _noun_from(before, prepositions[-1])) is not None:
        return found
    return _noun_from(before, 0)


def _noun_from(text: str, start: int) -> tuple[list[str], bool, list[str], tuple[int, int]] | None:
    tokens = list(_TOKEN.finditer(text, start))
    place, has_determiner, is_german = 0, False, False
    while place < len(tokens) and (word := tokens[place][0].lower()) in _FILLER:
        has_determiner |= word in _DETERMINERS
        is_german |= word in _GERMAN_ARTICLES
        place += 1
    first = place
    while place < len(tokens) and place - first < 5 and _goes_on(tokens[place][0]):
        place += 1
    if first == place or place - first > 4:
        return None
    if is_german and not tokens[place - 1][0][0].isupper():
        has_determiner = False
    phrase = [each[0].lower().strip("`.") for each in tokens[first:place]]
    after = [each[0].lower() for each in tokens[place : place + 4]]
    return (
        phrase,
        has_determiner or tokens[first][0].startswith("`"),
        after,
        (tokens[first].start(), tokens[place - 1].end()),
    )


def _goes_on(token: str) -> bool:
    return token.lower() not in _ENDS and (token[0].isalnum() or token[0] in "`_#")


def _clause_of(phrase: list[str], words: str, after: list[str], *, has_determiner: bool) -> Clause | None:
    """Return the demand of the value that `phrase` names, alone; None if it names several values or no certain one."""
    head, text = phrase[-1], " ".join(phrase)
    if after[:1] in (["or"], ["oder"]) or _names_another(after):
        return None
    if text in _INTEGERS:
        return format_clauses.integer_clause(words)
    if head.endswith("s") and not head.endswith(_SINGULAR_ENDINGS):
        return None
    if head in _NUMBERS and len(phrase) == 1 and not _is_of_one_thing(after):
        return format_clauses.number_clause(words)
    if head in _CODES and (head in ("id", "identifier") or all(each in _OF_CODES for each in phrase[:-1])):
        return format_clauses.token_clause(words)
    if head in _PATHS:
        return format_clauses.path_clause(words)
    if head in _WORDS and phrase[:-1] in ([], ["one"]):
        return format_clauses.word_clause(words)
    if head in _SHAPELESS or not (has_determiner or head in _NAMED_VALUES | _NUMBERS | _CODES):
        return None
    return format_clauses.line_clause(words, is_computed=head in _COMPUTED)


def _names_another(after: list[str]) -> bool:
    return after[:1] in (["and"], ["und"]) and after[1:2] not in (
        ["nothing"],
        ["only"],
        ["nichts"],
        ["that's"],
        ["no"],
        [],
    )


def _is_of_one_thing(after: list[str]) -> bool:
    """Say whether "the number" is one thing's name, as in "the number of the invoice"."""
    if after[:1] != ["of"] or after[1:2] not in (
        ["the"],
        ["my"],
        ["this"],
        ["that"],
        ["an"],
        ["a"],
        ["our"],
        ["his"],
        ["her"],
    ):
        return False
    return len(after) > 2 and not after[2].endswith("s")
