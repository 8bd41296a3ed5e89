"""Asks about an answer's counts, numbers and pairs that the cited records of one kind contradict.

The rules compare values of rows and fields with numbers and names in the answer, in any language. They object only to
near misses: a count beside the records that the answer lists, one wrong digit, two values told of each other's record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Final

from gates.evidence import Evidence, record_id, split_fragment
from gates.rules import Inapplicable, Opinion
from gates.submission import CLARIFICATION, OK, Case, Submission, quote
from gates.terms import BOILERPLATE, NUMBER, amount_of, fold_text, number_key, values_in, with_cells_apart
from gates.trial_facts import Parsed, facts_of, is_id, parse

_MOST_RECORDS: Final = 40
_MOST_TERMS: Final = 12
"""Max records whose part sums are all computed."""
_COUNTS: Final = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_COUNT: Final = re.compile(rf"(?<![\w.,:/-])(\d{{1,2}}|{'|'.join(_COUNTS)})(?: [a-z]+)?? ([a-z]+)", re.IGNORECASE)
_ANY_COUNT: Final = re.compile(rf"(?<![\w.,:/-])(\d{{1,2}}|{'|'.join(_COUNTS)})(?![\w.,:/-]\w)", re.IGNORECASE)
_BREAK: Final = re.compile(r"[,;\n]|\b(?:and|or|und|oder|et|ou|en|while|but)\b")
_END: Final = re.compile(r"[;\n]|\.(?=\s)")
_WEIGHTY: Final = 10
"""A smaller number may be a count of anything."""
_NAME: Final = re.compile(r"[^\W\d_][^\n]{2,39}")
NOTHING: Final = Inapplicable("the answer cites no records that tell something about it")


@dataclass(frozen=True)
class Records:
    """Cited records of one kind: files with the same fields in one folder, or the rows of one table."""

    kind: str
    """The folder's name, or the table's."""
    rows: Mapping[str, Mapping[str, str]]
    """Single values by field, by the record's id."""

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """How an answer may name each record: its id, and words that no other record here holds."""
        told = {key: {key, *filter(_is_name, row.values())} for key, row in self.rows.items()}
        return {
            key: [name for name in names if sum(name in other for other in told.values()) == 1]
            for key, names in told.items()
        }

    @cached_property
    def numbers(self) -> dict[str, tuple[float, ...]]:
        """The numbers of each field that all records have."""
        fields = [field for field in next(iter(self.rows.values())) if all(field in row for row in self.rows.values())]
        found = {
            field: tuple(number for row in self.rows.values() if (number := _number(row[field])) is not None)
            for field in fields
        }
        return {field: held for field, held in found.items() if len(held) == len(self.rows)}

    def named_in(self, text: str, field: str = "") -> dict[str, int]:
        """Return the place of the first mention of each record that a folded text names, by other than a field."""
        places = {
            key: [
                found.start()
                for name in names
                if name != self.rows[key].get(field) and (found := _mention(name).search(text))
            ]
            for key, names in self.names.items()
        }
        return {key: min(found) for key, found in places.items() if found}


def _is_name(value: str) -> bool:
    return is_id(value) or _NAME.fullmatch(value) is not None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,6})?", text) else None


@lru_cache(maxsize=512)
def _mention(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(fold_text(name))}(?![\w-])")


def cited_kinds(submission: Submission, evidence: Evidence) -> list[Records]:
    """Return the kinds of which at least two records were read as a whole and are cited."""
    found: dict[tuple[str, frozenset[str]], dict[str, Mapping[str, str]]] = {}
    records = facts_of(evidence).records
    for path in dict.fromkeys(evidence.find(split_fragment(cited)[0]).path for cited in submission.citations):
        states = records.get(path, ())
        if states and len(states) == 1:
            row = _single(states[-1])
            kind = path.rpartition("/")[0].rpartition("/")[2]
            found.setdefault((kind, frozenset(states[-1].fields)), {})[record_id(path)] = row
    return [Records(kind, rows) for (kind, _), rows in found.items() if 2 <= len(rows) <= _MOST_RECORDS]


def _single(parsed: Parsed) -> dict[str, str]:
    return {field: held[0] for field, held in parsed.fields.items() if len(held) == 1}


def _tables(submission: Submission, evidence: Evidence) -> Iterator[Records]:
    for path in dict.fromkeys(evidence.find(cited).path for cited in submission.citations if "#" not in cited):
        touch = evidence.touches.get(path)
        texts = [seen for seen in touch.given_texts if seen.is_whole and not seen.is_excerpt] if touch else []
        rows = parse(texts[-1].text, path).rows if texts else ()
        if 2 <= len(rows) <= _MOST_RECORDS:
            firsts = [next(iter(row.values())) for row in rows]
            names = firsts if all(map(_is_name, firsts)) and len(set(firsts)) == len(rows) else ()
            yield Records(
                record_id(path), dict(zip(names or [f"row {at}" for at in range(len(rows))], rows, strict=True))
            )


def ask_counted_records(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a count of records of a kind, if the answer names all cited ones and they are fewer or more, and to a
    counted list of all cited records but one, or a list with one more that was read."""
    kinds = cited_kinds(submission, evidence) if submission.outcome == OK and evidence.has_trace else []
    if not kinds:
        return NOTHING
    answer = fold_text(submission.answer_text)
    counts = [(_count_of(found[1]), found[2]) for found in _COUNT.finditer(answer)]
    for records in kinds:
        named, kind = records.named_in(answer), _stem(fold_text(records.kind))
        told = [count for count, word in counts if count > 1 and kind and _stem(word) == kind]
        is_told = len(named) in {_count_of(word) for word in _ANY_COUNT.findall(answer)}
        if len(told) == 1 and len(named) == len(records.rows) and told[0] != len(named) and not is_told:
            return (
                f"The answer counts {told[0]}, and names and cites {len(named)} of {quote(records.kind)}: "
                f"{', '.join(map(quote, named))}. Count them again."
            )
        left = [key for key in records.rows if key not in named]
        if is_told and len(named) > 1 and len(left) == 1 and not _mention(left[0]).search(fold_text(case.instruction)):
            return (
                f"The answer names {len(named)} of the {len(records.rows)} cited {quote(records.kind)}, and not "
                f"{quote(left[0])}: check whether it belongs there."
            )
        if not left and (more := _named_beside(records, answer, evidence)):
            return (
                f"The answer names {quote(more)} beside the {len(named)} cited {quote(records.kind)}: check it again."
            )
    return None


def _named_beside(records: Records, answer: str, evidence: Evidence) -> str:
    """Return the one record of the kind that the answer names, and that was read and is not cited; else nothing."""
    fields = {frozenset(row) for row in records.rows.values()}
    found = {
        record_id(path): _single(states[-1])
        for path, states in facts_of(evidence).records.items()
        if len(states) == 1 and path.rpartition("/")[0].rpartition("/")[2] == records.kind
    }
    every = Records(
        records.kind, {**{key: row for key, row in found.items() if frozenset(row) in fields}, **records.rows}
    )
    named = [key for key in every.named_in(answer) if key not in records.rows]
    return named[0] if len(named) == 1 else ""


def _count_of(word: str) -> int:
    return int(word) if word.isdecimal() else _COUNTS.index(word.casefold()) + 2


def _stem(word: str) -> str:
    return word.removesuffix("s").removesuffix("e") if len(word) > 2 else ""


def ask_computed_numbers(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to a number that no cited text holds and that differs in one digit from a sum, an average or a value of a
    field of the cited records which fits the request."""
    if submission.outcome != OK or not evidence.has_trace:
        return NOTHING
    kinds = [*cited_kinds(submission, evidence), *_tables(submission, evidence)]
    stated = [value for value in values_in(submission.answer_text) if value.kind == "number"]
    asked = {value.key for value in values_in(case.instruction)}
    numbers = {amount_of(value.text): value.text for value in stated if value.key not in asked}
    texts = [seen.text for touch in evidence.touches.values() for seen in touch.given_texts]
    read = {value for text in texts for value in values_in(with_cells_apart(text)) if value.kind == "number"}
    held, digits = {amount_of(value.text) for value in read}, {value.key for value in read}
    scaled = {number for number, text in numbers.items() if number_key(text.lstrip("+-")) in digits}
    words = _words_of(f"{case.instruction} {submission.answer_text}")
    for records in kinds:
        for field, values in records.numbers.items():
            if words.isdisjoint(_words_of(field.partition("(")[0])):  # A unit is in brackets.
                continue
            known = _made_of(values) | held | scaled  # Another unit shifts the point.
            total = sum(values)
            parts = {round(total - value, 6) for value in values} if len(values) > 2 else set()
            for number, text in numbers.items():
                if number in parts - held and number >= _WEIGHTY and total not in numbers:
                    return (
                        f"The answer states {quote(text)}, which {quote(field)} comes to in all cited "
                        f"{quote(records.kind)} but one; all {len(values)} come to {total:g}. Compute it again."
                    )
                near = next((made for made in _aims(values) if _is_near(number, made[1])), None)
                if near and number not in known and near[1] not in numbers:
                    return (
                        f"The answer states {quote(text)}, which no text holds; the {near[0]} of {quote(field)} in the "
                        f"{len(values)} cited {quote(records.kind)} is {near[1]:g}. Compute it again."
                    )
    return None


def _words_of(text: str) -> set[str]:
    """Return the words of a text that may name a field, without endings, everyday words and currencies."""
    words = set(re.findall(r"[a-z]{3,}", fold_text(text))) - BOILERPLATE - {"eur", "euro", "usd", "chf", "gbp"}
    return set(map(_stem, words))


def _aims(values: tuple[float, ...]) -> Iterator[tuple[str, float]]:
    """Yield what an answer may have meant to state of a field."""
    yield "sum", round(sum(values), 6)
    yield "average", round(sum(values) / len(values), 6)
    if len(values) == 2:
        yield "difference", round(abs(values[0] - values[1]), 6)


@lru_cache(maxsize=64)
def _made_of(values: tuple[float, ...]) -> frozenset[float]:
    """Return the sums of every part of some numbers, their differences, and the averages of every part."""
    sums = {(0, 0.0)}
    for value in values if len(values) <= _MOST_TERMS else ():
        sums |= {(count + 1, made + value) for count, made in sums}
    found = {round(made, 6) for _, made in sums} | {round(made / count, 6) for count, made in sums if count}
    return frozenset(found | {round(abs(one - other), 6) for one, other in combinations(values, 2)})


def _is_near(number: float, other: float) -> bool:
    """Say whether two numbers of at least two digits, written alike, differ in one digit or by two swapped ones."""
    one, two = (f"{abs(each):.2f}".rstrip("0").rstrip(".") for each in (number, other))
    if len(one) != len(two) or sum(map(str.isdigit, one)) < 2 or one == two:
        return False
    places = [at for at, (left, right) in enumerate(zip(one, two, strict=True)) if left != right]
    if len(places) == 1:
        return True
    is_swap = len(places) == 2 and places[1] == places[0] + 1
    return is_swap and one[places[0]] == two[places[1]] and one[places[1]] == two[places[0]]


def ask_crossed_values(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to two cited records, or rows of a cited table, that are told each other's value of a field."""
    is_telling = submission.outcome in (OK, CLARIFICATION) and evidence.has_trace
    kinds = [*cited_kinds(submission, evidence), *_tables(submission, evidence)] if is_telling else []
    answer = fold_text(submission.answer_text)
    for records in kinds:
        for field in next(iter(records.rows.values())):
            values = {key: row.get(field, "") for key, row in records.rows.items()}
            named = records.named_in(answer, field)
            for first, second in combinations(sorted(named, key=lambda key: named[key]), 2):
                if _is_crossed(answer, named, (first, second), (values[first], values[second])):
                    return (
                        f"The answer tells {quote(values[second])} of {quote(first)} and {quote(values[first])} of "
                        f"{quote(second)}; the records say the opposite for {quote(field)}: compare them again."
                    )
    return None if kinds else NOTHING


def _is_crossed(answer: str, named: Mapping[str, int], keys: tuple[str, str], values: tuple[str, str]) -> bool:
    """Say whether the answer reads: first record, the second one's value, second record, the first one's value; or has
    each value before its record."""
    places = [_places(answer, value) for value in values]
    if values[0] == values[1] or [len(found) for found in places] != [1, 1]:
        return False
    (own,), (other,) = places
    start, middle = named[keys[0]], named[keys[1]]
    told = (start, other, middle, own) if start < other else (other, start, own, middle)
    if sorted(told) != [*told] or any(told[0] < place < told[3] for place in {*named.values()} - {start, middle}):
        return False
    is_told = not _END.search(answer[told[0] : told[1]]) and not _END.search(answer[told[2] : told[3]])
    return is_told and _BREAK.search(answer[told[1] : told[2]]) is not None


def _places(answer: str, value: str) -> list[int]:
    """Return where a folded text states a value: a number in any format, anything else as it is."""
    number = _number(value)
    if number is None:
        return [found.start() for found in _mention(value).finditer(answer)] if len(value) > 1 else []
    return [found.start() for found in NUMBER.finditer(answer) if amount_of(found[0]) == number]
