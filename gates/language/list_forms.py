"""Reads which lines, lists, columns or JSON an order demands."""

from __future__ import annotations

import re
from typing import Final

from gates.language import format_clauses
from gates.language.answer_frames import Frame
from gates.language.format_clauses import Clause
from gates.language.value_forms import is_limited

_Found = tuple[list[Clause], list[tuple[int, int]]]
_NONE: Final[_Found] = ([], [])
_JSON: Final = re.compile(
    r"(?:^|\b(?:as|in|only|just|be|with|is|want|als|mit|nur)\s+)\s*(?:(?:only|exactly|just|with|as|in|a|an|one|"
    r"the|single|valid|raw|me|"
    r"ein|einem?|eine)\s+)*JSON\b(?!\s*-?(?:files?|records?|paths?|documents?|lines|datei))",
    re.IGNORECASE,
)
_NAME: Final = r"(?:[`\"'][\w-]+[`\"']|(?!(?:and|und|only|nothing|no|cite)\b)[\w-]+)"
_KEYS: Final = re.compile(
    rf"\b(?:keys?|fields?|schlüsseln?|feldern?)\b[:,]?\s*({_NAME}(?:(?:\s*,\s*(?:and |und )?|\s+(?:and|"
    rf"und)\s+){_NAME})*)",
    re.IGNORECASE,
)
_SAMPLE: Final = re.compile(r"\{([^{}\n]{1,300})\}")
_PIPES: Final = re.compile(r"`([^`\n|]+(?: \| [^`\n|]+)+)`")
_PER_LINE: Final = re.compile(
    r"\bone (?:[\w-]+ )?(?:per|on each|on a|a|each) line\b"
    r"|\b(?:each|every one)(?: [\w-]+)? (?:on|in) (?:its own|a separate|a new|one) line\b"
    r"|\b(?:ein(?:e[nrs]?)?|jeweils ein\w*) (?:\w+ )?(?:pro|je) zeile\b|\b(?:je|pro) zeile (?:nur )?ein\w*\b",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(
    r"\b(?:sorted|ordered) (?:alphabetically|lexicographically|(?:from )?a(?: to |-| bis )z)"
    r"|\b(?:alphabetically|lexicographically)(?: sorted| ordered)?\b|\b(?:in )?(?:ascending )?(?:alphabetical|"
    r"lexicographic(?:al)?) order\b"
    r"|\bsorted(?=\s*(?:[.,;]|$))|^\W*(?:me |us |with |by |only |just |the |all )*sorted(?= [a-z])"
    r"|\balphabetisch(?: sortiert| geordnet)?\b|\bin alphabetischer (?:reihen|rang)folge\b|"
    r"\bsortiert(?=\s*(?:[.,;]|$))",
    re.IGNORECASE,
)
_OTHER_ORDER: Final = re.compile(
    r"\b(?:reversed?|descending|absteigend|umgekehrt\w*|(?:sorted|ordered|sortiert) (?:by|nach))\b", re.IGNORECASE
)
_SEPARATOR: Final = re.compile(
    r"\b(comma|semicolon|pipe)[- ]separated\b|\b(?:separated|joined|divided) (?:by|with) (?:an? )?(commas?|"
    r"semicolons?|pipes?|[\"'`][,;|/][\"'`])"
    r"|\b(?:durch|mit) (kommas?|strichpunkte?|semikolons?) getrennt\b|\b(komma)getrennt\b",
    re.IGNORECASE,
)
_SIGNS: Final = {"c": ",", "k": ",", "s": ";", "p": "|"}
_PATHS: Final = re.compile(r"\b(?:paths|pfade)\b", re.IGNORECASE)
_CODES: Final = re.compile(r"\b(?:skus|ids|identifiers|product codes|codes|artikelnummern)\b", re.IGNORECASE)
_CODES_BUT: Final = re.compile(r"\b(?:zip|postal|area|country|dial\w*) codes\b", re.IGNORECASE)
_PLURALS: Final = re.compile(r"\b[\w-]+(?:s|n|e)\b|\ball\b", re.IGNORECASE)
_WITH_MORE: Final = re.compile(
    r"\b(?:ids?|skus?|paths?|codes?|names?|titles?)\b[^.,;]{0,30}?\b(?:and|with|plus|und|mit)\s+(?:the |their |"
    r"its |a |an |each )*(?!nothing|only|no\b|sorted|cite|each|one)\w+",
    re.I,
)


def json_clauses(frame: Frame) -> _Found:
    """Return the demand of a JSON answer with the keys that the frame names."""
    found = _JSON.search(frame.tail) if "JSON" in frame.tail else None
    if found is None:
        return _NONE
    spans = [found.span()]
    sample, named = _SAMPLE.search(frame.tail), _KEYS.search(frame.tail)
    keys: list[str] = []
    if sample is not None:
        keys, spans = re.findall(r"[\"']([\w-]+)[\"']\s*:", sample[1]), [*spans, sample.span()]
    elif named is not None:
        keys, spans = re.findall(r"(?<![\w-])(?!(?:and|und)\b)[\w-]+", named[1]), [*spans, named.span()]
    return [format_clauses.json_clause(tuple(keys), frame.sentence)], spans


def column_clauses(frame: Frame) -> _Found:
    """Return the demand of named columns, `a | b | c`."""
    found = list(_PIPES.finditer(frame.tail)) if " | " in frame.tail else []
    return [format_clauses.columns_clause(each[1], " | ", frame.sentence) for each in found], [
        each.span() for each in found
    ]


def list_clauses(frame: Frame) -> _Found:
    """Return the demand of items one per line, or of items on one line between separators."""
    tail = frame.tail
    per_line, separator = _PER_LINE.search(tail), _SEPARATOR.search(tail)
    order = None if _OTHER_ORDER.search(tail) else _ORDER.search(tail)
    of = _items_of(tail)
    words, spans = frame.sentence, [order.span()] if order is not None else []
    if per_line is not None:
        if of == "items" and order is None:
            return _NONE
        clause = format_clauses.lines_clause(words, of=of, is_sorted=order is not None)
        return [clause], [per_line.span(), *spans]
    if separator is None or not is_limited(frame):
        return _NONE
    sign = next(group for group in separator.groups() if group).strip("\"'`").lower()
    kind = "items" if of == "paths" else of
    clause = format_clauses.list_clause(_SIGNS.get(sign[0], sign[0]), words, of=kind, is_sorted=order is not None)
    return [clause], [separator.span(), *spans]


def _items_of(tail: str) -> str:
    """Return what each item is, by the nouns of the frame: paths, codes, or items of any kind."""
    if _WITH_MORE.search(tail):
        return "items"
    if _PATHS.search(tail):
        return "paths"
    return "codes" if _CODES.search(tail) and not _CODES_BUT.search(tail) else "items"
