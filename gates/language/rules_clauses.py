"""Derives demands from the workspace's rules, such as "Counts are answered as <COUNT:%d>".

A rule counts where the instruction asks for the kind of thing that it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from gates.language.answer_forms import CUE, clauses_of_frame
from gates.language.answer_frames import Frame
from gates.language.format_clauses import Clause
from gates.language.literal_forms import asks_several
from gates.language.sentences import own_words, sentences_of
from gates.language.text_normalization import normalize_text


@dataclass(frozen=True, slots=True)
class _Topic:
    """A kind of answer that rules speak of, and how an instruction asks for it."""

    head: re.Pattern[str]
    """The beginning of a rule about it."""
    asked: re.Pattern[str]
    """The words by which an instruction asks for it."""
    kinds: frozenset[str]
    """The kinds of demands that fit it."""
    noun: str = ""
    """What the items are, if the rule's demand leaves it out."""


_ASKS: Final = r"(?:question|answer|instruction|request) (?:asks? for|is|lists?|wants|names|gives)\b"
_INTRO: Final = (
    r"^\W*(?:(?:for|answer|give|in answers|answer format for|format for|every|each|all|any|the|a|"
    r"questions that ask for|"
    r"when|if)\s+)*"
)


def _topic(named: str, asked: str, kinds: str, noun: str = "") -> _Topic:
    head = rf"{_INTRO}(?:{_ASKS}\s+)?(?:an? |the )?(?:{named})\b(?: questions?| in (?:an )?answers?)?"
    return _Topic(re.compile(head, re.IGNORECASE), re.compile(asked, re.IGNORECASE), frozenset(kinds.split()), noun)


_TOPICS: Final = (
    _topic(
        r"counts?|counting|numbers? of \w+|quantit(?:y|ies)|anzahl(?:en)?",
        r"\bhow many\b|\bcount\b|\bnumber of\b|\bwie viele\b|\banzahl\b",
        "template number",
    ),
    _topic(r"dates?|days?|datum|datumsangaben?", r"\bwhen\b|\b(?:what|which) (?:date|day)\b|\bwann\b", "date template"),
    _topic(
        r"amounts?(?: of money)?|prices?|totals?|sums?|money|betr[aä]ge?|preise?",
        r"\bhow much\b|\bwhat (?:is|was|are|were) the (?:\w+ )?(?:total|price|amount|sum|balance|fee)\b|\bwas kostet\b",
        "template amount",
    ),
    _topic(
        r"(?:lists? of )?(?:file )?paths|pfade",
        r"\b(?:list|which|return|give|name)\b[^.?!]{0,20}\bpaths\b",
        "paths",
        "paths ",
    ),
)
_OF_EVERY_ANSWER: Final = _topic("answers?", "", "json template")
_IF: Final = re.compile(r"\W*(?:if|when)\b", re.IGNORECASE)
_IF_ASKED: Final = re.compile(_ASKS, re.IGNORECASE)
_MAX_SENTENCES: Final = 100
_EVERY: Final = re.compile(
    r"^\W*(?:every|each|all|any)\s+(?:answers?|repl(?:y|ies)|responses?|messages?)\s+(?:is|are|must be|"
    r"should be|have to be)\b",
    re.IGNORECASE,
)
_UNCERTAIN: Final = re.compile(
    r"\b(?:not|never|don't|no longer|used to|formerly|old|instead|nicht|log|files?|exports?|columns?|fields?|"
    r"references?|refs?|"
    r"cite|unless|except|by phone|internal)\b|\b(?:was|were|had)\b",
    re.IGNORECASE,
)
_DEMANDING: Final = re.compile(
    r"\b(?:are|is|must be|should be|have to be|shall be|has)\s+(?:always |also |only )?(?:answered|given|"
    r"written|formatted|stated|returned|reported|exactly|the form)\b"
    r"|\bhave the form\b|\b(?:answer|give|reply|respond|return|use|write)\b|^\W*(?:answer )?format for\b|"
    r"\b(?:message|answer) is\b|:",
    re.IGNORECASE,
)


def rules_clauses(instruction: str, rules: str) -> Iterator[Clause]:
    """Yield the demands of `rules` on the kind of answer that `instruction` asks for."""
    if not rules or CUE.search(rules) is None:
        return
    topics = [topic for topic in _TOPICS if topic.asked.search(instruction)]
    sentences = sentences_of(own_words(normalize_text(rules)))
    demanding = (each for each in sentences if CUE.search(each[0]) and not _UNCERTAIN.search(each[0]))
    for sentence, at in islice(demanding, _MAX_SENTENCES):
        yield from _clauses_of_rule(sentence, at, topics, instruction)


def _clauses_of_rule(sentence: str, at: int, topics: list[_Topic], instruction: str) -> Iterator[Clause]:
    if (every := _EVERY.match(sentence)) is not None:
        yield from _clauses_from(sentence, at, every.end(), instruction, _OF_EVERY_ANSWER)
    for topic in topics:
        found = topic.head.match(sentence)
        if found is None or (_IF.match(sentence) and not _IF_ASKED.search(found[0])):
            continue
        demand = _DEMANDING.search(sentence)
        if demand is not None:
            yield from _clauses_from(sentence, at, max(demand.end(), found.end()), instruction, topic)


def _clauses_from(sentence: str, at: int, start: int, instruction: str, topic: _Topic) -> Iterator[Clause]:
    """Yield the demands in a rule's sentence from `start` on, if they fit the topic.

    What fixes the whole answer is left out where the instruction may ask for something else besides.
    """
    frame = Frame(sentence, at, "be", "", topic.noun + sentence[start:], at + start)
    for clause in clauses_of_frame(frame, instruction):
        is_part = topic is not _OF_EVERY_ANSWER and clause.fixes_whole_answer
        if clause.kind in topic.kinds and not (is_part and asks_several(instruction)):
            yield replace(clause, spans=())
