"""Marks the values of an answer: found in what was read, computed by a script, given by the question, or unverified.

Values are compared, names and sentences are not. A place is named only where value and unit agree and, where the value
stands in several, the words around it do.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import accumulate, islice, permutations, product
from math import nan
from typing import Final, Literal, TypeAlias

from controlplane.gates.evidence import Evidence
from controlplane.gates.terms import BOILERPLATE, TextIndex, fold_text, parts_of
from controlplane.gates.values import (
    UNQUOTED,
    Value,
    are_alike,
    bare_text,
    folded_number,
    is_same_moment,
    ratio,
    read_values,
    scaled_values,
    scales_named,
    spelled_results,
    units_named,
    values_in,
)
from controlplane.sandbox.interface import bounds

Support: TypeAlias = Literal["found", "computed", "given", "unverified"]

NEAR_CHARS: Final = 160
"""Characters before and behind a value in an answer whose words are compared with those around its places."""
_MOST_RECKONED: Final = 8
"""Max values near to another one from which it may be reckoned."""
_SEPARATORS: Final = dict.fromkeys(map(ord, ".,'’ \u00a0\u202f_+-/()"))
_SIGNS: Final = ("%", "€", "$", "£", "¥", "°")
"""Signs of units, behind which a mark stands."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a text that was read."""

    path: str
    line: int = 0
    """Counted from 1; 0 if it is unknown."""
    note: str = ""
    """How the value stands there if that differs: `47,315, rounded`."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One value of an answer, with what supports it."""

    value: Value
    support: Support
    place: Place | None = None
    """Where it was found; None also if it stands in several places that nothing tells apart."""
    is_spelled_out: bool = False
    """True if the answer tells how it is computed."""


@dataclass(eq=False)
class Source:
    """A text that was read."""

    path: str
    text: str
    numbers: tuple[int, ...] = (1,)
    """The lines of the file that its lines are, as `SeenText` has them."""
    heading: str = ""
    """The first line of the text of which its lines are a part."""
    read_lines: dict[str, list[Value]] = field(default_factory=dict)
    """The numbers of the lines that were looked at, by the text of a line."""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        """The folded text without what separates digits and the parts of ids, and the offset of each of its lines."""
        lines = [fold_text(line).translate(_SEPARATORS) for line in self.lines]
        return "\n".join(lines), [0, *accumulate(len(line) + 1 for line in lines)]

    @cached_property
    def _squeezed(self) -> tuple[str, list[int]]:
        lines = [bare_text(line) for line in self.lines]
        return "".join(lines), [0, *accumulate(map(len, lines))]

    @cached_property
    def _moments(self) -> list[tuple[int, Value]]:
        """The dates and times of the text, each with its line."""
        starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        found = read_values(self.text, ("date", "time"), bounds.MOST_DATES)
        return [(bisect_right(starts, value.start) - 1, value) for value in found]

    @cached_property
    def scales(self) -> frozenset[float]:
        """What its words multiply numbers by."""
        return scales_named(self.text)

    def place(self, line: int, note: str = "") -> Place:
        """Return the place of a line, which is counted from 0."""
        first = self.numbers[min(line, len(self.numbers) - 1)] if self.numbers else 0
        return Place(self.path, first + max(line - len(self.numbers) + 1, 0) * bool(first), note)

    def line_of(self, quotation: str) -> int | None:
        """Return the index of the line on which a quotation begins, blanks and case aside; None if it is not there."""
        return next((first for first, _ in self._places_of(quotation)), None)

    def quoted(self, quotation: str) -> Iterator[Source]:
        """Yield the lines of each of the first places of a quotation."""
        for first, last in islice(self._places_of(quotation), 20):
            numbers = (self.place(first).line,) if self.numbers else ()
            yield Source(
                self.path, "\n".join(self.lines[first : last + 1]), numbers, self.heading_of(first)
            )

    def heading_of(self, line: int) -> str:
        """Return the first line of the text, but for that line itself."""
        return self.heading or (self.lines[0] if line else "")

    def _places_of(self, quotation: str) -> Iterator[tuple[int, int]]:
        """Yield the first and the last line of each place of a quotation that does not end within a number."""
        text, starts = self._squeezed
        wanted = bare_text(quotation)
        at = text.find(wanted) if wanted else -1
        while at >= 0:
            end = at + len(wanted)
            first, last = (bisect_right(starts, offset) - 1 for offset in (at, end - 1))
            if not (
                wanted[-1].isdigit() and text[end : end + 1].isdigit() and end < starts[last + 1]
            ):
                yield first, last
            at = text.find(wanted, at + 1)

    def lines_with(self, folded: str) -> Iterator[int]:
        """Yield the lines that hold some digits or an id, whatever separates its parts."""
        text, starts = self._joined
        wanted = folded.translate(_SEPARATORS)
        at = text.find(wanted) if wanted else -1
        while at >= 0:
            line = bisect_right(starts, at) - 1
            yield line
            at = text.find(wanted, starts[line + 1])

    def lines_that_state(self, value: Value) -> Iterator[int]:
        """Yield the lines that state a date, a time, an id or a quotation."""
        if value.kind == "quotation":
            parts = [
                part
                for part in value.text.replace("...", "…").split("…")
                if part.strip(" .,;:!?[]")
            ]
            lines = [self.line_of(part.strip(" .,;:!?[]")) for part in parts]
            is_there = value.unit != "code" or value.text in self.text
            yield from [
                line for line in lines[:1] if line is not None and None not in lines and is_there
            ]
        elif value.kind == "id":
            wanted = fold_text(value.text)
            digits = wanted.translate(_SEPARATORS)
            is_telephone = (
                digits.isdecimal() and len(digits) > 6
            )  # Fewer digits are a version: as written.
            for line in self.lines_with(wanted):
                text = fold_text(self.lines[line])
                is_there = is_telephone or (digits.isdecimal() and _has_number(text, wanted))
                if is_there or (not digits.isdecimal() and TextIndex(text).repeats(wanted)):
                    yield line
        else:
            yield from (line for line, one in self._moments if is_same_moment(value, one))

    def numbers_of(self, line: int) -> list[Value]:
        """Return the numbers of a line, read once; the commas of a table join none."""
        text = self.lines[line][: bounds.MOST_LINE_CHARS].replace(
            "_", " "
        )  # A column may be called `kegs_30l`.
        _, *cells = text.split(",") if ", " not in text else [text]
        is_row = 0 < len(cells) == self.heading_of(line).count(",")
        is_row |= any(" " not in cell for cell in cells[:-1]) and not all(map(_ends_group, cells))
        text = text.replace(",", "\n") if is_row else text
        if text not in self.read_lines:
            numbers = [one for one in read_values(text, UNQUOTED) if one.kind == "number"]
            if any(" " in one.text for one in numbers):  # `17 342` is one number, or two.
                numbers += [
                    one
                    for one in read_values(text.replace(" ", "\n"), UNQUOTED)
                    if one.kind == "number"
                ]
            self.read_lines[text] = numbers
        return self.read_lines[text]


@dataclass(eq=False)
class Marker:
    """What a trial read and computed, against which the values of its answer are marked."""

    sources: Sequence[Source]
    question: str = ""
    given: Sequence[str] = ()
    """Other texts that give a value without a place: rules, paths, the clock, earlier questions."""
    steps: Sequence[tuple[str, str]] = ()
    """The scripts, each with what it printed and put into the scratchpad."""
    cited: frozenset[str] = frozenset()
    quoted: Sequence[Source] = ()
    """The lines that the citations quote: a value is looked for in them first."""
    # Max lines that are compared with the values of one answer; a line that must be read first counts for ten.
    _left: int = 30_000

    def marks(self, answer: str) -> tuple[Mark, ...]:
        """Return the values of an answer, each with what supports it."""
        values = values_in(answer)
        counts = [
            value
            for at, value in enumerate(values)
            if _is_count(value, answer, values[at + 1 : at + 2])
        ]
        marks = [self._mark(value, answer) for value in values if value not in counts]
        results = [result for result, is_right, _ in spelled_results(answer) if is_right]
        told = [*counts, *results, *(mark.value for mark in marks if mark.support != "unverified")]
        return tuple(
            replace(mark, support="computed", is_spelled_out=True)
            if mark.support == "unverified"
            and (mark.value in results or _is_reckoned(mark.value, told))
            else mark
            for mark in marks
        )

    def _mark(self, value: Value, answer: str) -> Mark:
        around = answer[max(value.start - NEAR_CHARS, 0) : value.end + NEAR_CHARS]
        places = self.places(value, *self.quoted)
        places = places or self.places(
            value, *sorted(self.sources, key=lambda source: source.path not in self.cited)
        )
        place, is_sure = self._best(places, _words_of(f"{around}\n{self.question}", value))
        if not (place and place.path in self.cited) and self.places(value, self._given[0]):
            return Mark(value, "given")  # A file that is not cited may state it by chance.
        if is_sure:
            return Mark(value, "found", place)
        if self._is_computed(value):
            return Mark(value, "computed")
        if places:
            return Mark(value, "found", place)
        if self.places(value, *self._given):
            return Mark(value, "given")
        return Mark(value, "unverified")

    @cached_property
    def _given(self) -> list[Source]:
        return [Source("", text) for text in (self.question, *self.given)]

    def _best(
        self, places: Sequence[tuple[Source, int, str]], words: frozenset[str]
    ) -> tuple[Place | None, bool]:
        """Return the place that agrees best with the words around a value, None if nothing tells it from others, and
        whether it is sure."""
        ranked = []
        for source, line, note in places:
            near = f"{source.heading_of(line)}\n{source.lines[line]}"
            shared = len(words & _words_of(near[-bounds.MOST_LINE_CHARS :]))
            ranked.append(
                (bool(shared), source.path in self.cited, shared, source.place(line, note))
            )
        if not ranked:
            return None, False
        agrees, is_cited, _, place = max(ranked, key=lambda one: one[:3])
        is_alone = len({(one.path, one.line) for *_, one in ranked}) == 1
        return place if agrees or is_alone else None, agrees or (is_cited and is_alone)

    def places(self, value: Value, *sources: Source) -> list[tuple[Source, int, str]]:
        """Return the first lines of texts that state a value, each with how it is stated there if that differs: exactly
        or in another unit, else rounded."""
        for is_rounded in (False, True):
            stated = (
                (source, *one)
                for source in sources
                for one in self._stated(source, value, is_rounded)
            )
            if found := [*islice(stated, 20)]:
                return found
        return []

    def _stated(self, source: Source, value: Value, is_rounded: bool) -> Iterator[tuple[int, str]]:
        """Yield the lines of a text that state a value, each with how if that differs."""
        if value.kind != "number":
            yield from (
                (line, "") for line in (source.lines_that_state(value) if not is_rounded else ())
            )
            return
        needles: dict[str, list[Value]] = {}
        forms = [value, *scaled_values(value)]
        if (
            value.scale > 1 and value.scale in source.scales
        ):  # 47 in a table that is headed `in thousands`.
            amounts = tuple(amount / value.scale for amount in value.amounts)
            forms.append(replace(value, amounts=amounts, step=value.step / value.scale))
        for form in forms:
            for digits in _needles(form, is_rounded):
                needles.setdefault(digits, []).append(form)
        is_year = value.text.isdecimal() and not value.unit and 1900 <= value.amounts[0] < 2100
        for digits, forms in needles.items():
            for line in source.lines_with(digits):
                known, numbers = len(source.read_lines), source.numbers_of(line)
                self._left -= bool(source.path) * (10 if len(source.read_lines) > known else 1)
                if self._left < 0 and source.path:
                    return
                for form, one in product(forms, numbers):
                    if _is_amount(form, one, is_rounded) and _fits(form, one, source, line):
                        yield (
                            line,
                            f"{one.text}, rounded"
                            if is_rounded
                            else ""
                            if form is value
                            else one.text,
                        )
                        break
                else:
                    if is_year and value.text in parts_of(
                        fold_text(source.lines[line])
                    ):  # as in `2025-Q1`
                        yield line, ""

    def _is_computed(self, value: Value) -> bool:
        """Say whether a script printed a value that is no literal of it or an earlier one."""
        for made, literals in self._computed:
            if self.places(value, literals):
                return False
            if self.places(value, made):
                return True
        return False

    @cached_property
    def _computed(self) -> list[tuple[Source, Source]]:
        return [
            (Source("", made), Source("", "\n".join(literals_of(code))))
            for code, made in self.steps
        ]


def _fits(value: Value, other: Value, source: Source, line: int) -> bool:
    """Say whether an equal number of a text may have the unit of a value: no other one of its kind is there."""
    if not value.unit or other.unit == value.unit:
        return True
    if other.unit:
        return False
    named = units_named(
        f"{source.heading_of(line)} {source.lines[line][max(other.start - 40, 0) : other.start]}"
    )
    return value.unit in named or not any(are_alike(value.unit, unit) for unit in named)


def _has_number(text: str, wanted: str) -> bool:
    """Say whether a number in several parts is in a text, and not only as a part of a longer one."""
    at = text.find(wanted)
    while at >= 0:
        sides = text[max(at - 2, 0) : at][::-1], text[at + len(wanted) :][:2]
        if not any(
            side[:1].isdigit() or (side[:1] in ("-", ".", "/", ":") and side[1:].isdigit())
            for side in sides
        ):
            return True
        at = text.find(wanted, at + 1)
    return False


def _is_count(value: Value, answer: str, following: Sequence[Value]) -> bool:
    """Say whether a number may count what the answer lists, numbers an item, or is the first day of `13 to 27 May`."""
    is_day = (
        value.kind == "number"
        and not value.unit
        and value.text.isdecimal()
        and int(value.text) <= 31
    )
    if is_day and any(one.kind == "date" and 0 < one.start - value.end < 6 for one in following):
        return True
    is_item = not answer[answer.rfind("\n", 0, value.start) + 1 : value.start].strip() and answer[
        value.end : value.end + 2
    ] in (". ", ") ")
    # A whole number without a unit up to it may count what the answer lists, and is not marked.
    is_small = (
        value.kind == "number"
        and not value.unit
        and value.text.isdecimal()
        and int(value.text) <= 12
    )
    return is_item or is_small


def _is_reckoned(value: Value, told: Sequence[Value]) -> bool:
    """Say whether a value is reckoned from others beside it: by an operation on two or three numbers, or a sum; as a
    day or time so many units away from another; or as the same time in another zone."""
    near = sorted(
        (one for one in told if one is not value), key=lambda one: abs(one.start - value.start)
    )
    numbers = [one for one in near[:_MOST_RECKONED] if one.kind == "number"]
    if value.moments:
        spans = [
            one.amounts[0] * ratio(one.unit, "day" if value.kind == "date" else "min")
            for one in numbers
        ]
        near = [one for one in near[:_MOST_RECKONED] if one.kind == value.kind]
        gaps = [abs(_ordinal(value, one) - _ordinal(one, value)) for one in near]
        is_zone = value.kind == "time" and any(gap % 60 == 0 and gap < 15 * 60 for gap in gaps)
        return is_zone or not {*filter(None, spans), sum(spans) or -1}.isdisjoint(gaps)
    if value.kind != "number" or len(digits := _digits(value.amounts[0])) < 2:
        return False
    is_telling = len(digits) > 2 or value.unit == "%"
    for form in (value, *scaled_values(value)):
        alike = [one.amounts[0] for one in numbers if form.unit in ("", one.unit) or not one.unit]
        made = [*accumulate(alike)][1:] + [
            one.amounts[0] for one in numbers if one.step < form.step
        ]
        for one, other in permutations([one.amounts[0] for one in numbers if one.amounts[0]], 2):
            made += [
                one - other,
                one + other,
                one * other,
                one / other,
                100 * one / other,
                one * (1 - other / 100),
            ]
        for one, other, third in permutations([one.amounts[0] for one in numbers[:5]], 3):
            made += [one * other * third, one * other * (1 - third / 100)]
        within = 0.5000001 * form.step if is_telling else 1e-9
        if any(abs(amount - form.amounts[0]) <= within for amount in made):
            return True
    return False


def _ordinal(value: Value, other: Value) -> float:
    """Return the minutes of a time, or the number of a day, in the year of another date if it tells none; NaN without a
    day."""
    one, two, three = value.moments[0]
    if value.kind == "time":
        return 60 * (one or 0) + two
    return date(one or other.moments[0][0] or 2000, two, 1).toordinal() + three if three else nan


def _words_of(text: str, but: Value | None = None) -> frozenset[str]:
    own = parts_of(fold_text(but.text)) if but else ()
    return frozenset(
        word
        for word in parts_of(fold_text(text))
        if word not in own and word not in BOILERPLATE and len(word) > 1
    )


def _digits(amount: float) -> str:
    return (f"{amount:.12g}" if amount < 1e12 else f"{amount:.0f}").replace(".", "").strip(
        "0"
    ) or "0"


def _needles(value: Value, is_rounded: bool) -> Iterator[str]:
    """Yield the digits in a row that a number of the same amount has, or one that rounds to it."""
    for amount in value.amounts:
        if not is_rounded:
            yield _digits(amount)
        elif (
            ulps := round(amount / value.step)
        ) >= 10:  # One digit may be rounded from almost anything.
            yield from (str(ulps).rstrip("0"), str(ulps - 1))


def _ends_group(behind: str) -> bool:
    """Say whether a comma before a text may separate thousands: three digits follow it, and no more."""
    return behind[:3].isdigit() and not behind[3:4].isdigit()


def _is_amount(value: Value, other: Value, is_rounded: bool) -> bool:
    if is_rounded:
        is_finer = other.step < value.step
        return is_finer and abs(other.amounts[0] - value.amounts[0]) <= 0.5000001 * value.step
    return any(
        abs(one - amount) <= 1e-9 * max(amount, 1.0)
        for amount in value.amounts
        for one in other.amounts
    )


def literals_of(code: str) -> list[str]:
    """Return the literals of a script, and what sums and products of literals give; its `verify` aside."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [code]
    literals: list[str] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name == "verify":
            continue
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "answer"
        ):
            continue
        if (number := folded_number(node)) is not None:
            literals.append(f"{abs(number):f}")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            literals.append(node.value)
        waiting.extend(ast.iter_child_nodes(node))
    return literals


def marker_of(
    evidence: Evidence,
    question: str,
    cited: Iterable[str],
    given: Sequence[str],
    steps: Sequence[tuple[str, str]],
) -> Marker:
    """Return what the evidence of a trial holds. `steps` are its scripts, each with what it printed and kept."""
    accesses = list(evidence.accesses.values())
    seen = [(access, text) for access in accesses for text in access.given_texts if text.is_proof]
    seen.sort(key=lambda one: one[1].is_excerpt)
    sources = [Source(access.path, text.text, text.lines) for access, text in seen if text.lines]
    results = [("", text.text) for _, text in seen if not text.lines]
    paths = [path for paths in evidence.paths_by_spelling.values() for path in paths]
    made = [
        (function_result.arguments, function_result.value)
        for function_result in evidence.function_results
    ]
    written = [("", text.text) for access in accesses for text in access.seen if not text.is_proof]
    texts = [*given, "\n".join((*evidence.directories, *paths))]
    quoted = [
        place
        for source in sources
        for quotation in evidence.quoted.get(source.path, ())
        for place in source.quoted(quotation)
    ]
    return Marker(
        sources, question, texts, [*results, *steps, *made, *written], frozenset(cited), quoted
    )


def values_reported(text: str, by: str | None = None) -> list[str]:
    """Return the values of a text but its quotations; with another text, those that it states in any format."""
    marker, stated = Marker(()), Source("", by or "")
    values = [value for value in values_in(text) if value.kind != "quotation"]
    return [value.text for value in values if by is None or marker.places(value, stated)]


def unverified_in(marks: Iterable[Mark]) -> list[str]:
    """Return the texts of the values that nothing supports, each once."""
    return list(dict.fromkeys(mark.value.text for mark in marks if mark.support == "unverified"))


def support_text(mark: Mark, shown: Callable[[str], str] = str) -> str:
    """Return what supports a value, in a few words; empty for what the question gives."""
    if mark.support == "unverified":
        return "unverified"
    if mark.place is not None:
        place = shown(mark.place.path) + f":{mark.place.line}" * bool(mark.place.line)
        return place + f" ({mark.place.note})" * bool(mark.place.note)
    if mark.support == "computed":
        return "computed in the answer" if mark.is_spelled_out else "computed by a script"
    return "in several places" if mark.support == "found" else ""


def footnoted(
    answer: str,
    marks: Sequence[Mark],
    shown: Callable[[str], str] = str,
    *,
    text: Callable[[str], str] = str,
    quiet: Callable[[str], str] = str,
    loud: Callable[[str], str] = str,
) -> tuple[str, str]:
    """Return an answer with a mark behind each value, and its footnotes; the last three functions write their parts."""
    notes: dict[str, int] = {}
    parts, at = [], 0
    for mark in marks:
        end = mark.value.end + (answer[mark.value.end : mark.value.end + 1] in '"”“»`」')
        blank = answer[end : end + 1] in (" ", "\u00a0")
        end += (blank + 1) * (answer[end + blank : end + blank + 1] in _SIGNS)
        before, own, note = (
            answer[at : mark.value.start],
            answer[mark.value.start : end],
            support_text(mark, shown),
        )
        at, is_loud = end, mark.support == "unverified"
        parts += [text(before), loud(f"{text(own)} [{note}]") if is_loud else text(own)]
        if note and not is_loud:
            parts.append(quiet(f" [{notes.setdefault(note, len(notes) + 1)}]"))
    parts.append(text(answer[at:]))
    foot = [quiet(text(f"  [{number}] {note}")) for note, number in notes.items()]
    if unverified := unverified_in(marks):
        foot.append(loud(text(f"unverified: {', '.join(unverified)}")))
    return "".join(parts).strip(), "\n".join(foot)
