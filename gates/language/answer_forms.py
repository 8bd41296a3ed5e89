"""Reads the demands of one order to give the answer, the most exact form first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gates.language.answer_frames import Frame
from gates.language.format_clauses import Clause
from gates.language.list_forms import column_clauses, json_clauses, list_clauses
from gates.language.literal_forms import Found, choice_clauses, date_clauses, template_clauses
from gates.language.value_forms import value_clauses

CUE: Final = re.compile(
    r"%|\b(?:only|just|nothing|alone|solely|exclusively|on its own|no other|without|json|sorted|alphabetical\w*|order|"
    r"separated|decimals?|line|word|format\w*|form|exactly|iso|nur|bloß|lediglich|ausschließlich|sonst|zeile|sortiert|"
    r"getrennt|nachkommastellen|wort)\b|YYYY|JJJJ|dd[-./ ]mm|mm[-./ ]dd|NUMBER|:N\b| \| |(?:[^\w\s,]|"
    r"(?-i:[A-ZÄÖÜ]{2}))\s(?:or|oder)\s",
    re.IGNORECASE,
)
"""What every sentence holds that demands a form."""


def clauses_of_frame(frame: Frame, text: str) -> Iterator[Clause]:
    """Yield the demands of a frame of `text`, with the places of their words."""
    for clauses, spans in _readings(frame, text):
        if clauses:
            places = tuple(sorted((frame.tail_at + start, frame.tail_at + end) for start, end in spans))
            yield from (replace(clause, spans=places) for clause in clauses)
            return


def _readings(frame: Frame, text: str) -> Iterator[Found]:
    yield template_clauses(frame, text)
    yield date_clauses(frame)
    yield json_clauses(frame)
    yield column_clauses(frame)
    yield list_clauses(frame)
    yield choice_clauses(frame, text=text)
    yield value_clauses(frame)
