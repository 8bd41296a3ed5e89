"""Says in at most eight lines how one value of a recorded trial was judged.

    470: number 470 EUR
    read: docs/loans.md:3 `fee: 470 EUR`
    question: does not state it
    mark: found: docs/loans.md:3, under fee
    citation of docs/loans.md: its reason names it, and line 3 states it
    call 4, send_money(amount): asked

A person sees by it what the marks of an answer, gate 5 and provenance go by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.facts.answer_facts import (
    citations_by_scripts,
    evidence_of,
    marker_of_trial,
)
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.marks import support_text
from controlplane.gates.support.matching import find_matches
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.terminal_text import one_line

_MOST_TRACE_LINES: Final = 8
_SHOWN_LINES: Final = 3
_SHOWN_CHARS: Final = 60
_MOST_CITATIONS: Final = 1
_MOST_CALLS: Final = 2
_MOST_OBJECTION_CHARS: Final = 300


def value_trace(
    record: TrialRecord,
    summary: TrialSummary,
    text: str,
    shown_path: Callable[[str], str] = str,
) -> list[str]:
    """Return how a value, such as `470 EUR`, was judged: one line for each kind of support."""
    value = _value_of(text, summary.answer)
    marker = marker_of_trial(record, summary)
    lines = [_reading(value), _read_line(value, marker, shown_path)]
    is_asked = bool(find_matches(value, [Source("", marker.question)]))
    lines.append(f"question: {'states it' if is_asked else 'does not state it'}")
    lines.append(_mark_line(value, marker, summary.answer, shown_path))
    lines += _citation_lines(value, record, shown_path)
    lines += _call_lines(value, record)
    return [one_line(line) for line in lines[:_MOST_TRACE_LINES]]


def _value_of(text: str, answer: str) -> WrittenValue:
    """Return the value of an answer that is meant by a text, or else the one that the text states.

    A text without a value, such as a word, is looked up as a quotation.
    """
    values = answer_values(answer)
    sought = list(written_values(text))
    keys = [value.key for value in sought]
    candidates = [value for value in values if value.text == text]
    candidates += [value for value in values if value.key in keys]
    for value in (*candidates, *sought):
        return value
    return WrittenValue(ValueKind.QUOTATION, text, 0, len(text), text)


def _reading(value: WrittenValue) -> str:
    """Return how a value is read: `1.199: number 1199, or 1.199`."""
    line = f"{value.text}: {value.kind} {value.canonical} {value.unit}".rstrip()
    if value.other_canonical:
        line += f", or {value.other_canonical}"
    return line


def _read_line(
    value: WrittenValue, marker: ValueMarker, shown_path: Callable[[str], str]
) -> str:
    """Return which lines that were read state a value."""
    sources = [*marker.sources, *marker.query_results]
    matches = find_matches(value, sources)
    if not matches:
        return f"read: no line of {len(sources)} texts states it"
    places: dict[str, None] = {}
    for match in matches:
        place = match.place
        text = match.source.lines[match.line].strip()[:_SHOWN_CHARS]
        note = f" ({match.agreement.note})" if match.agreement.note else ""
        line = f":{place.line}" if place.line else ""
        where = shown_path(place.path) or "a result"
        places[f"{where}{line} `{text}`{note}"] = None
    shown = list(places)[:_SHOWN_LINES]
    more = len(places) - len(shown)
    return f"read: {'; '.join(shown)}" + (f"; {more} more" if more else "")


def _mark_line(
    value: WrittenValue,
    marker: ValueMarker,
    answer: str,
    shown_path: Callable[[str], str],
) -> str:
    """Return the mark of a value, with what computed it if a script did."""
    for mark in marker.marks(answer):
        if mark.value != value:
            continue
        words = support_text(mark, shown_path) or "the question has it"
        line = f"mark: {mark.support}: {words.removeprefix(f'{mark.support}; ')}"
        computation = marker.computation_of(value, answer)
        if computation is not None and mark.support != "computed":
            line += f"; a script has it, too: {computation.fault or computation.text}"
        return line
    return "mark: none, since the answer has no such value that needs support"


def _citation_lines(
    value: WrittenValue, record: TrialRecord, shown_path: Callable[[str], str]
) -> list[str]:
    """Return whether the citations whose reasons name a value are of files that state it."""
    evidence = evidence_of(record).view()
    lines: dict[str, str] = {}
    for citation in citations_by_scripts(record):
        named = [
            other for other in written_values(citation.reason) if other.key == value.key
        ]
        access = evidence.find(citation.spelling or citation.path).access
        if not named or access is None:
            continue
        texts = [Source("", seen.text) for seen in access.given_texts]
        finding = "no line of it states it"
        for match in find_matches(named[0], texts):
            finding = f"line {match.place.line} states it"
            break
        path = shown_path(access.path)
        lines[path] = f"citation of {path}: its reason names it, and {finding}"
    return list(lines.values())[-_MOST_CITATIONS:]


def _call_lines(value: WrittenValue, record: TrialRecord) -> list[str]:
    """Return where the arguments of changing calls that have a value are from, as recorded.

    A call that was held is told with the objection.
    """
    lines = [
        f"call {number}, {call.operation}({argument}): {origin}"
        for number, call in enumerate(record.all_calls, 1)
        for argument, origin in call.origins.items()
        if _states(call.arguments.get(argument, ""), value)
    ]
    for step in record.all_steps:
        for stop in step.held:
            if any(_states(argument, value) for argument in stop.arguments.values()):
                objection = " ".join(stop.objection.split())[:_MOST_OBJECTION_CHARS]
                lines.append(f"held: {stop.operation}: {objection}")
    return lines[-_MOST_CALLS:]


def _states(argument: object, value: WrittenValue) -> bool:
    """Return True if an argument has a value."""
    text = str(argument)
    return value.text in text or any(
        other.key == value.key for other in written_values(text)
    )
