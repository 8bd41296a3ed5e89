"""Reads which literal form an order demands: a printf template, a date pattern, one of some words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from gates.language import format_clauses
from gates.language.answer_frames import Frame
from gates.language.format_clauses import Clause
from gates.language.value_forms import is_limited

Found = tuple[list[Clause], list[tuple[int, int]]]
_MAX_FORMS: Final = 20
_NUMBER_WORD: Final = re.compile(r"(?<=[: ])(?:NUMBER|N)(?=[>\]])")
_TEMPLATE: Final = re.compile(
    r"\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|'([^'\n]{1,80})'|(<[A-Za-z_ ]{1,30}[:=]\s?%d>|\[[A-Za-z_ ]{1,30}[:=]\s?%d\])"
    r"|((?:\b[A-Z]{3}\s)?(?<!\S)[^\s\"'`<\[%]{0,40}%[0-9.]{0,4}[dsf][^\s\"'`]{0,40}(?:\s(?:of|"
    r"/)\s\S{0,10}%\S{1,20})?(?:\s[A-Z]{3}\b)?)"
)
_INTRODUCED: Final = re.compile(
    r"(?:^|\b(?:as|like|with|be|of|form(?:at)?|formatted(?: exactly)?|exactly|only|just|so|is|say|include|"
    r"contain|mention|"
    r"enthalten|als|mit|im|form|answer|reply|in)\b:?|:)\s*(?:(?:exactly|an?|the|either|line|text)\s+)*$",
    re.IGNORECASE,
)
_FORM_BEFORE: Final = re.compile(r"\b(?:as|in(?: the)?|form|format|formatted)\b[^\"'`]{0,60}$", re.IGNORECASE)
_CONTAINING: Final = re.compile(
    r"\b(?:contain|include|including|mention|begin|start|end|hold|enthalten|enthält|beginn\w*|"
    r"endet?)s?\b(?! only| just| nothing)",
    re.IGNORECASE,
)
_SOMEWHERE: Final = re.compile(r"\bsomewhere\b|\benthalten\b|\bmay (?:say|hold) more\b", re.IGNORECASE)
_TERSE: Final = frozenset(("answer", "reply", "respond", "return", "output", "print", "be", ""))
_ITSELF: Final = re.compile(r"\s*(?:it|that|this|es|das)\b", re.IGNORECASE)
_FURTHER: Final = re.compile(
    r"\b(?:how|which|who|whom|what|when|where|why|wie|welche\w*|wer|was|wann|wo|warum)\b", re.IGNORECASE
)
_FURTHER_ORDER: Final = re.compile(
    r"\b(?:and|then) (?:also )?(?:say|name|tell|explain|state|give|describe)\b", re.IGNORECASE
)
_GERMAN_DATE: Final = re.compile(r"(?<!\w)TT\.MM\.JJJJ(?!\w)")
_ISO_DATE: Final = re.compile(r"\bISO(?:[- ]8601)?(?:[- ]date)?(?: format)?\b")
_TIME_BESIDE: Final = re.compile(r"\bweekday\b|\bday of the week\b|\btime\b|\bHH\b|\bhh:mm\b")
_OF_A_FILE: Final = re.compile(r"\b(?:files?|named|folders?|rows?|recorded)\b", re.IGNORECASE)
_FILE_ENDING: Final = re.compile(r"[\w-]{0,40}\.[a-z][a-z0-9]{1,4}\b")
"""What follows a date that is a part of a file's name: `stock-YYYY-MM-DD.csv`."""
_EXACTLY: Final = re.compile(r"\bexactly\b", re.IGNORECASE)
_WORD: Final = r"(?:`[^`\n]{1,40}`|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|<[A-Za-zÄÖÜäöüß]{1,20}>)"
_CHOICE: Final = re.compile(rf"{_WORD}(?:\s*,\s*(?:or\s+|oder\s+)?{_WORD}){{0,8}}\s*,?\s+(?:or|oder)\s+{_WORD}")
_CAPITALS: Final = re.compile(
    r"\b[A-ZÄÖÜ]{2,12}(?:, [A-ZÄÖÜ]{2,12}){0,8},? (?:or|oder) [A-ZÄÖÜ]{2,12}\b(?! ?[a-z-]*(?:file|format|code)\b)"
)
_YES_NO: Final = frozenset(("YES", "NO", "JA", "NEIN", "TRUE", "FALSE"))
_POLAR: Final = re.compile(
    r"(?:^|[.!?:]\s)(?:is|are|was|were|do|does|did|has|have|ist|sind|hat|gibt)\b[^?\n]{1,200}\?", re.IGNORECASE
)
_CHOICE_LEAD: Final = re.compile(
    r"^\W*(?:(?:me|with|be|by|only|just|exactly|either|one|of|mit|nur|ausschließlich|entweder|bitte|nothing|but|"
    r"solely|whether|[\w-]+ is)\s+)*$",
    re.IGNORECASE,
)


def template_clauses(frame: Frame, text: str) -> Found:
    """Return the printf templates that a frame of `text` demands."""
    clauses: list[Clause] = []
    spans: list[tuple[int, int]] = []
    if "%" not in frame.tail and "NUMBER" not in frame.tail and ":N" not in frame.tail:
        return clauses, spans
    for found in islice(_TEMPLATE.finditer(frame.tail), _MAX_FORMS):
        template = _NUMBER_WORD.sub("%d", next(group for group in found.groups() if group)).strip()
        if found[5]:
            template = template.rstrip(".,;:!?)")
        before = frame.tail[: found.start()]
        if not format_clauses.has_placeholder(template) or not _is_introduced(frame, before):
            continue
        clauses.append(
            format_clauses.template_clause(template, frame.sentence, is_whole=_is_whole(frame, before, text))
        )
        spans.append(found.span())
    return clauses, spans


def _is_introduced(frame: Frame, before: str) -> bool:
    if frame.verb == "use":
        return True
    return bool(_INTRODUCED.search(before) or _FORM_BEFORE.search(before))


def _is_whole(frame: Frame, before: str, text: str) -> bool:
    """Say whether a template is the whole answer, not one part or one answer of several."""
    lead = frame.before + frame.verb
    if _CONTAINING.search(f"{_lead_of(frame)} {before}") or _SOMEWHERE.search(frame.tail) or "part" in lead:
        return False
    if frame.verb in _TERSE or is_limited(frame) or _ITSELF.match(frame.tail):
        return True
    return not asks_several(text)


def _lead_of(frame: Frame) -> str:
    """Return the words between the beginning of the sentence and the tail."""
    return frame.sentence[: frame.tail_at - frame.at]


def asks_several(text: str) -> bool:
    """Say whether an instruction may ask for more than one thing."""
    return len(_FURTHER.findall(text[:4_000])) > 1 or _FURTHER_ORDER.search(text[:4_000]) is not None


def date_clauses(frame: Frame) -> Found:
    """Return the date pattern that the frame demands."""
    tail = frame.tail
    form, span = _date_form(tail)
    if not form or _OF_A_FILE.search(tail) or _FILE_ENDING.match(tail, span[1]):
        return [], []
    whole = is_limited(frame) or _EXACTLY.search(tail[: span[0]]) is not None
    if _TIME_BESIDE.search(tail) or frame.verb == "part":
        whole = False
    return [format_clauses.date_clause(form, frame.sentence, is_whole=whole)], [span]


def alone(clause: Clause) -> Clause:
    """Return the demand of a date, of the date alone; another sentence limits the answer to one value."""
    form = clause.demand.split("`")[1]
    if clause.fixes_whole_answer or _TIME_BESIDE.search(clause.words):
        return clause
    return replace(format_clauses.date_clause(form, clause.words, is_whole=True), spans=clause.spans)


def _date_form(tail: str) -> tuple[str, tuple[int, int]]:
    if (found := format_clauses.DATE_FORMAT.search(tail)) is not None and set(found[0].lower()).issuperset("dmy"):
        return found[0], found.span()
    if (found := _GERMAN_DATE.search(tail)) is not None:
        return "DD.MM.YYYY", found.span()
    if (found := _ISO_DATE.search(tail)) is not None and re.search(r"\b(?:date|day)\b", tail, re.IGNORECASE):
        return "YYYY-MM-DD", found.span()
    return "", (0, 0)


def choice_clauses(frame: Frame, *, text: str) -> Found:
    """Return the words of which the frame demands one: marked as literal, or in capitals behind a yes/no question."""
    tail = frame.tail
    for found in (_CHOICE.search(tail), _CAPITALS.search(tail)):
        if found is None or not _CHOICE_LEAD.match(tail[: found.start()]) or frame.verb in ("use", "write", "format"):
            continue
        words = tuple(each.strip("`\"'") for each in _words_of(found[0]))
        if len(set(words)) < 2 or any(format_clauses.has_placeholder(each) for each in words):
            continue
        if found.re is _CAPITALS and not (_YES_NO.issuperset(words) or _POLAR.search(text)):
            continue
        whole = is_limited(frame) or _EXACTLY.search(tail[: found.start()]) is not None
        return [format_clauses.choice_clause(words, frame.sentence, is_whole=whole)], [found.span()]
    return [], []


def _words_of(choice: str) -> Iterator[str]:
    for found in re.finditer(rf"{_WORD}|[A-ZÄÖÜ]{{2,}}", choice):
        yield found[0]
