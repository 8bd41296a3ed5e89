"""Asks about values and choices, by the parsed fields of the records that the trial read, and by its findings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from benchmarks.shop import record_kinds, request_kinds
from benchmarks.shop.record_kinds import Kind, cited_records, read_records, skus_in
from benchmarks.shop.request_kinds import OTHER_REQUEST, rule
from gates.answer_form import form_kinds, normalize_text
from gates.evidence import Evidence
from gates.plain_data import quote, quote_some
from gates.records import Record
from gates.rules import Opinion
from gates.submission import CLARIFICATION, OK, Case, Submission
from gates.terms import fold_text, index_of, is_boilerplate, parts_of
from gates.trial_facts import facts_of
from toolkit.text import money_in_text

_MAX_CHARS: Final = 20_000
_FIELD: Final = re.compile(r"`(\w+(?:\.\w+)?)`")
_MOST_CITED: Final = 20
_PRICE: Final = re.compile(r"price|cost|cents|amount", re.IGNORECASE)
_BELOW: Final = re.compile(r"\b(?:under|below|less than|lower than|cheaper than)\b", re.IGNORECASE)
_ABOVE: Final = re.compile(r"\b(?:over|above|more than|higher than|dearer than)\b", re.IGNORECASE)
_SEVERAL_BOUNDS: Final = re.compile(
    r"\b(?:between|at least|at most|no more than|up to|from .{1,20} to)\b", re.IGNORECASE
)
_DESCRIPTION: Final = re.compile(r"(?<!\w)'([^'\n]{3,300})'(?!\w)|\"([^\"\n]{3,300})\"|:\s+([^:?\n\"'`]{3,300})\?")
_PRODUCT_WORD: Final = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
_EXTREMES: Final = (
    (re.compile(r"\b(?:cheapest|least expensive|lowest[- ]priced?)\b", re.IGNORECASE), Kind.PRODUCT, min),
    (re.compile(r"\b(?:dearest|most expensive|highest[- ]priced?)\b", re.IGNORECASE), Kind.PRODUCT, max),
    (re.compile(r"\b(?:newest|latest|most recent)\b", re.IGNORECASE), Kind.BASKET, max),
    (re.compile(r"\b(?:oldest|earliest)\b", re.IGNORECASE), Kind.BASKET, min),
)
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")
_SKU: Final = re.compile(r"[A-Z]{2,4}-[A-Z0-9-]+")


@rule("cited-field", outcomes=(OK,))
def cited_field(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to the value of a field that differs from the value in the record cited for it.

    The request marks the field's name as code and wants the value alone; one cited record holds such a field.
    """
    asked = list(dict.fromkeys(_FIELD.findall(case.instruction[:_MAX_CHARS])))
    if not evidence.has_trace or len(asked) != 1 or form_kinds(case.instruction):
        return OTHER_REQUEST
    records = (facts_of(evidence).records.get(evidence.find(ref).path) for ref in submission.citations[:_MOST_CITED])
    held = [(record.path, record.last.fields.get(asked[0], ())) for record in records if record is not None]
    found = [(path, values[0]) for path, values in held if len(values) == 1]
    answer = submission.answer_text.strip()
    if len(found) != 1 or found[0][1] in answer or answer.startswith("["):
        return None
    return f"{quote(asked[0])} in {quote(found[0][0])} holds another value than the answer gives: compare both."


@rule("price-bound", outcomes=(OK,))
def price_bound(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK that cites a product whose price fails the one bound of the request ("lower than EUR 21.17")."""
    text = case.instruction[:_MAX_CHARS]
    is_below, is_above = _BELOW.search(text) is not None, _ABOVE.search(text) is not None
    bound = money_in_text(text)
    if bound is None or is_below == is_above or _SEVERAL_BOUNDS.search(text):
        return OTHER_REQUEST
    named = set(skus_in(text))
    failing = []
    for record in _records(evidence, cited_records(submission, Kind.PRODUCT)):
        cents = _price_cents(record)
        if cents is not None and record.id not in named and not (cents < bound if is_below else cents > bound):
            failing.append(record.path)
    return (
        f"The price of {quote_some(failing)} is not within the bound of the request: compare it." if failing else None
    )


def _records(evidence: Evidence, paths: Iterable[str]) -> list[Record]:
    records = facts_of(evidence).records
    return [records[path] for path in paths if path in records]


def _price_cents(record: Record) -> int | None:
    """Return the one price of a product in cents: a number or a written amount in a field that is named for a price."""
    found = set()
    for name, held in record.last.fields.items():
        if _PRICE.search(name) and len(held) == 1 and re.fullmatch(r"\d+(?:\.\d{1,2})?", held[0]):
            is_cents = re.search(r"(?:^|[_.])(?:cents?|ct)$", name) is not None
            found.add(int(held[0]) if is_cents and held[0].isdigit() else round(100 * float(held[0])))
    return found.pop() if len(found) == 1 else None


@rule("described-product", request_kinds.EXISTENCE, outcomes=(OK,))
def described_product(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a no to "does such a product exist" if the trial has read a record with every word of the wish."""
    found = _DESCRIPTION.search(normalize_text(case.instruction))
    is_no = record_kinds.stated_yes(submission, case.rules) is False
    if not is_no or found is None:
        return OTHER_REQUEST
    words = [word for word in parts_of(fold_text(next(filter(None, found.groups())))) if not is_boilerplate(word)]
    for record in _records(evidence, read_records(evidence, Kind.PRODUCT).values()):
        held = index_of(" ".join(f"{name} {value}" for name, value in record.last.all_values()).replace("_", " "))
        if words and all(held.holds(word) for word in words):
            return f"{quote(record.path)} was read and holds every word of the wish: compare it once more."
    return None


@rule("choice-words", outcomes=(CLARIFICATION,))
def choice_words(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a question between products if one lacks a model word of the request that the others have."""
    cited = _records(evidence, cited_records(submission, Kind.PRODUCT))
    if len(cited) < 2:
        return OTHER_REQUEST
    words = {word for word in map(fold_text, _PRODUCT_WORD.findall(case.instruction[:_MAX_CHARS])) if len(word) > 2}
    words = {word for word in words if any(map(str.isdigit, word))}
    held = {}
    for record in cited:
        index = index_of(" ".join(value for _, value in record.last.all_values()))
        held[record.path] = set(filter(index.holds_whole, words))
    most = max(held.values(), key=len)
    lacking = [path for path, own in held.items() if own < most]
    if not lacking:
        return None
    word = sorted(most - held[lacking[0]])[0]
    return (
        f"{quote_some(lacking)} does not hold {quote(word)}, which the request says and another choice holds: compare."
    )


@rule("superlative", outcomes=(OK,))
def superlative(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK about the cheapest, newest or the like if the trial has read a better sibling."""
    text, records = case.instruction[:_MAX_CHARS], facts_of(evidence).records
    for pattern, kind, better in _EXTREMES:
        chosen = _records(evidence, cited_records(submission, kind))
        if not pattern.search(text) or len(chosen) != 1:
            continue
        siblings = _records(evidence, read_records(evidence, kind).values())
        ranked = {record.path: rank for record in siblings if (rank := _rank(record, kind)) is not None}
        own = [
            path
            for path in ranked
            if kind is Kind.PRODUCT
            or (record_kinds.belongs_to_asker(evidence, path) and _states(records[path]) == _states(chosen[0]))
        ]
        words = {word for word in parts_of(fold_text(text)) if not is_boilerplate(word)}
        alike = [path for path in own if _shared(records[path], words) >= _shared(chosen[0], words)]
        if chosen[0].path not in ranked or len(alike) < 2:
            continue
        best = better(ranked[path] for path in alike)
        if ranked[chosen[0].path] != best:
            return f"Another record that was read goes further than {quote(chosen[0].path)}: compare."
    return None


def _rank(record: Record, kind: Kind) -> float | str | None:
    if kind is Kind.PRODUCT:
        return _price_cents(record)
    instants = {value for _, value in record.last.all_values() if _INSTANT.fullmatch(value)}
    return instants.pop() if len(instants) == 1 else None


def _states(record: Record) -> set[str]:
    """Return the values of one lower-case word, among them the record's state, whatever the field's name."""
    return {value for held in record.last.fields.values() for value in held if value.isalpha() and value.islower()}


def _shared(record: Record, words: set[str]) -> int:
    index = index_of(" ".join(value for _, value in record.last.all_values()))
    return len(words & index.words)


@rule("own-finding", outcomes=(OK,))
def own_finding(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to an OK with another number, or another product, than the trial's own last finding of that kind."""
    if not evidence.found:
        return OTHER_REQUEST
    answer = submission.answer_text.strip()
    number = record_kinds.stated_number(submission)
    for found in reversed(evidence.found):
        try:
            value = json.loads(found.value)
        except ValueError:
            continue
        if number is not None and isinstance(value, int) and not isinstance(value, bool):
            return f"{quote(found.function)} found another number than the answer gives." if value != number else None
        skus = set(re.findall(r'"([A-Z]{2,4}-[A-Z0-9-]+)"', found.value))
        if _SKU.fullmatch(answer) and skus and found.function == "match_products":
            return None if answer in skus else f"{quote(found.function)} found other products than the answer gives."
    return None
