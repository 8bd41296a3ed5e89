"""Marks each value of an answer with its support.

The support is one of five:

- "found": a text that was read states it.
- "computed": the trial or the answer itself computes it.
- "given": the question, or another text that the trial was given, states it.
- "written": the trial wrote it into a file that the answer cites.
- "unverified": none of these.

A mark is a value with its support and, for a found one, the line that states it. Only
values are compared, not names and sentences. `marker_of` gathers the texts of a trial.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from posixpath import commonprefix
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.support.answer_values import answer_values, needs_no_support
from controlplane.gates.support.arithmetic import (
    ShownResult,
    are_apart,
    is_age,
    shown_results,
)
from controlplane.gates.support.computations import (
    PYTHON_STYLE,
    Computation,
    Computations,
)
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching import (
    BestMatch,
    amount_of,
    best_match,
    find_matches,
    is_rounded,
    is_same_amount,
    is_stated,
)
from controlplane.gates.support.names import (
    clause_around,
    mentions,
    name_of_row,
    other_column_of_selection,
    other_name_beside,
    other_name_of_selection,
    sentences_around,
    shared_label,
)
from controlplane.gates.support.sources import (
    MAX_LINES,
    UNKNOWN_NUMBERS,
    LineBudget,
    LineNumbers,
    Source,
)
from controlplane.gates.text_folding import BOILERPLATE, distinctive_words
from controlplane.gates.trial import FunctionResultValue, ScriptRun, TextKind
from controlplane.gates.values.identifiers import accounts_in_groups
from controlplane.gates.values.normal_text import (
    NumberStyle,
    normalize_text,
    number_style_of,
)
from controlplane.gates.values.notations import CURRENCIES, UNIT_BY_NAME
from controlplane.gates.values.numerals import currency_of
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.gates.values.written_values import RANGE_SIGNS, written_values
from controlplane.sandbox.interface import bounds

# An answer whose values are to be marked, with the words around each value.
#
# In "The late fee is 300", the words `late` and `fee` stand near the 300.

_NEAR_CHARS: Final = 160
"""How far before and behind a value its near words stand, in characters.

Of the lines that state the value, the one with most of these words is its likely source.
"""


@dataclass(frozen=True)
class _AnswerText:
    """An answer and its question."""

    text: str
    question: str

    @cached_property
    def style(self) -> NumberStyle:
        """How the answer writes numbers: `1,070.50` or `1.070,50`."""
        return number_style_of(normalize_text(self.text).text)

    def words_around(self, value: WrittenValue) -> frozenset[str]:
        """Return the words near a value in the answer, and those of the question.

        Leaves out the value itself and very common words.
        """
        start = max(value.start - _NEAR_CHARS, 0)
        near_text = self.text[start : value.end + _NEAR_CHARS]
        words = distinctive_words(f"{near_text}\n{self.question}")
        return words - distinctive_words(value.text) - BOILERPLATE


# Marks results of an answer's own arithmetic as computed: 770 in `300 + 470 = 770`.
#
# The 770 may be in no text that the trial read. If 300 and 470 are, the calculation supports it.


def _with_arithmetic(
    marks: Sequence[Mark], values: Sequence[WrittenValue], answer: str
) -> list[Mark]:
    """Return the marks with those unverified values as computed that are results of others.

    `values` are all values of the answer, also those that need no support and have no mark.
    """
    # 1. The correct calculations of the answer, all of whose operands are supported: by their marks,
    #    as small counts such as the 1 of `step 1`, or as results of earlier calculations. Values are
    #    told apart by their offsets in the answer.
    supported = {mark.value.start for mark in marks if mark.is_supported}
    supported |= {value.start for value in values if needs_no_support(value, answer)}
    calculations: dict[int, ShownResult] = {}
    for shown in shown_results(answer, values):
        operands = {operand.start for operand in shown.operands}
        if shown.is_right and operands <= supported:
            calculations[shown.result.start] = shown
            supported.add(shown.result.start)

    # 2. Their results, also rounded ones.
    completed: list[Mark] = []
    for mark in marks:
        note = ""
        if mark.value.start in calculations:
            note = f"in the answer: {calculations[mark.value.start].text}"
        else:
            for shown in calculations.values():
                if _is_rounded_result(mark.value, shown.result):
                    note = f"rounded from {shown.result.text}"
                    break
        if note and not mark.is_supported:
            mark = Mark(mark.value, "computed", note=note)
        completed.append(mark)
    return completed


def _with_moments_of_question(
    marks: Sequence[Mark], values: Sequence[WrittenValue], question: str
) -> list[Mark]:
    """Return the marks with those values as computed that follow from a day or time asked about.

    "When is the bill of 28 April due?" "On 28 May, after 30 days": if the 30 days are supported, so is
    28 May, and if 28 May is, the 30 days are.
    """
    moments = [value for value in answer_values(question) if value.kind in _MOMENTS]
    unsupported = {mark.value.start for mark in marks if not mark.is_supported}
    indices = {value.start: index for index, value in enumerate(values)}
    completed: list[Mark] = []
    for mark in marks:
        value = mark.value
        near: Sequence[WrittenValue] = ()
        if not mark.is_supported and (value.kind in _MOMENTS or value.unit):
            index = indices[value.start]
            near = values[max(index - _MOST_NEAR_VALUES, 0) : index + _MOST_NEAR_VALUES]
        for other, moment in product(near, moments[:_MOST_INPUTS]):
            is_known = other.start not in unsupported
            if not is_known:
                continue
            if (
                are_apart(moment, value, other)
                or are_apart(moment, other, value)
                or is_age(value, moment, other)
            ):
                note = f"in the answer: {other.text} from {moment.text}"
                mark = Mark(value, "computed", note=note)
        completed.append(mark)
    return completed


_MOST_NEAR_VALUES: Final = 4
"""Values before and behind a day among which its distance from another one is looked for."""
_MOMENTS: Final = (ValueKind.DATE, ValueKind.TIME)


def _is_rounded_result(value: WrittenValue, result: WrittenValue) -> bool:
    """Return True if a value is a computed result with fewer decimals: `about 26 %` for 25.9 %.

    The value may stand anywhere in the answer, because a summary often rounds.
    """
    exact = amount_of(result)
    if exact is None or result.decimals <= value.decimals:
        return False
    # A percentage is often calculated without its sign: `7 / 27 * 100 = 25.9`.
    is_percentage = value.unit == "%" and result.unit == ""
    if value.unit not in ("", result.unit) and not is_percentage:
        return False
    return is_rounded(value, exact)


# Finds the value that is nearest to a value of an answer which nothing supports.
#
# It is shown beside that value: `555 [unverified; nearest: 470]`. A user sees by it whether a value is
# invented or only mistyped.

_ONLY_NUMBERS: Final = frozenset({ValueKind.NUMBER})
_KINDS_IN_FILE_NAMES: Final = frozenset(
    {ValueKind.ID, ValueKind.URL, ValueKind.MAIL, ValueKind.DATE, ValueKind.MONTH}
)
"""What the name of a file may state: `/reports/2026-03.csv` has `March 2026`, but not `3 items`."""
_MOST_SCRIPT_NUMBERS: Final = 200
_MOST_INPUTS: Final = 8
"""Numbers of a script whose places are looked up."""
_MAX_NEAREST: Final = 8
"""The nearest value is searched for this many unverified values of an answer."""
_MAX_NEAR_LINES: Final = 40
"""At most this many lines are compared with one unsupported value: those that share most words."""
_PENALTY_OF_OTHER_UNIT: Final = 1
"""Added to the distance of two numbers if only one has a unit, so that others are nearer.

Without it, the distance of two positive numbers is less than 1.
"""


def _distance_of(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the distance of two values; infinite for values of different kinds or units.

    For numbers, it is their difference as a share of the larger one (12 and 15: 0.2), or between
    numbers up to 1 the difference itself; for other values, the number of characters from the first
    different one on (FA-19 and FA-21: 2).
    """
    if candidate.kind is not value.kind:
        return math.inf
    if value.kind is not ValueKind.NUMBER:
        shared_start = commonprefix([value.canonical, candidate.canonical])
        return max(len(value.canonical), len(candidate.canonical)) - len(shared_start)
    amount = amount_of(value)
    other_amount = amount_of(candidate)
    has_other_unit = candidate.unit != value.unit
    if amount is None or other_amount is None:
        return math.inf
    if has_other_unit and value.unit and candidate.unit:
        return math.inf  # 12 kg is not near 12 EUR
    size = max(abs(amount), abs(other_amount), Fraction(1))
    distance = float(abs(amount - other_amount) / size)
    return distance + _PENALTY_OF_OTHER_UNIT if has_other_unit else distance


def _with_nearest_value(
    mark: Mark, words: frozenset[str], sources: Sequence[Source]
) -> Mark:
    """Return the mark of an unverified value with the nearest value that was read, if there is one.

    `words` are the words around the value in the answer. Only the lines are compared that share most
    of them. Of equally near values the first wins, so the most important sources must come first.
    """
    lines: list[tuple[int, Source, int]] = []  # with how many words each line shares
    remaining_lines = MAX_LINES
    for source in sources:
        for line, text in enumerate(source.lines[:remaining_lines]):
            shared_words = words & distinctive_words(text[: bounds.MOST_LINE_CHARS])
            if shared_words:
                lines.append((len(shared_words), source, line))
        remaining_lines = max(remaining_lines - len(source.lines), 0)
    lines.sort(key=lambda shared: shared[0], reverse=True)

    least_distance = math.inf
    for _, source, line in lines[:_MAX_NEAR_LINES]:
        for candidate in source.values_of(line):
            # 4.20 below `fine_eur` is not near 900 USD.
            if mark.value.unit and not candidate.unit:
                units = source.labels_of(line, candidate).units
                if units and mark.value.unit not in units:
                    continue
            distance = _distance_of(mark.value, candidate)
            if distance < least_distance:
                note = f"nearest: {candidate.text}"
                mark = replace(mark, place=source.place(line), note=note)
                least_distance = distance
    return mark


# Adds to a found value the name under which it stands: `loans.csv:2, under Mei Tan`.


def _with_name(
    mark: Mark,
    answer: _AnswerText,
    sources: Sequence[Source],
    values: Sequence[WrittenValue],
) -> Mark:
    """Return the mark of a found value with the name of its row, or as an unverified one.

    If its row or column has another name than the answer writes, which the same table has, too,
    the value may be that of a neighbour; but not if the answer also states the value there:
    `values` are all of the answer.
    """
    # 1. The line that states the value, and where in it
    source: Source | None = None
    line: int | None = None
    for source in sources:
        if mark.place is not None and source.path == mark.place.path:
            line = source.index_of(mark.place.line)
            if line is not None:
                break
    if source is None or line is None:
        return mark
    start = len(source.lines[line])
    if mark.value.kind is ValueKind.QUOTATION:
        start = max(source.lines[line].find(mark.value.text), 0)
    for found_value in source.values_of(line):
        if found_value.canonical == mark.value.canonical:
            start = found_value.start
            break

    # 2. The name of another row or column
    own, other = _other_name(source, line, start, mark.value, answer, values)
    if other:
        note = f"found under {own}, and the answer names {other}"
        return replace(mark, support="unverified", note=note)

    # 3. The name of its own row. A name within the value, such as `B2`, tells nothing.
    sentence, _ = sentences_around(mark.value, answer.text)
    asked_and_said = f"{sentence}\n{answer.question}".replace(mark.value.text, " ")
    name = name_of_row(source, line, asked_and_said)
    return replace(mark, name=name or shared_label(source, line, start, asked_and_said))


def _other_name(
    source: Source,
    line: int,
    start: int,
    value: WrittenValue,
    answer: _AnswerText,
    values: Sequence[WrittenValue],
) -> tuple[str, str]:
    """Return the name under which a value stands at a place, and another one that the answer writes.

    `values` are all values of the answer. Both names are empty if the answer writes no other one.
    """
    sentence, sentence_before = sentences_around(value, answer.text)
    texts = (sentence, sentence_before, answer.question)
    own, other = other_name_beside(source, line, start, texts, values)
    if other:
        return own, other
    # Two names have exchanged their values: "Mei Tan has 7, and Sara Lindqvist 12".
    clause = clause_around(value, answer.text)
    own, other = other_name_beside(source, line, start, (clause,), said=())
    if other:
        clauses = {clause_around(other_value, answer.text) for other_value in values}
        if any(mentions(text, own) for text in clauses - {clause}):
            return own, other
    return "", ""


def _with_whole_ranges(
    marks: Sequence[Mark], answer: str, sources: Sequence[Source]
) -> list[Mark]:
    """Return the marks with the end of a range as unverified that is put together of two lines.

    "from 22 to 7", where one line has `22–6`, and another one 7.
    """
    completed = list(marks)
    for index, (first, last) in enumerate(pairwise(marks)):
        if first.place is None or last.place is None or first.place == last.place:
            continue
        if not _is_range(answer, first.value, last.value):
            continue
        for source in sources:
            if source.path != first.place.path:
                continue
            line = source.index_of(first.place.line)
            if line is None:
                continue
            for start, end in pairwise(source.values_of(line)):
                is_start = start.canonical == first.value.canonical
                if is_start and _is_range(source.lines[line], start, end):
                    note = (
                        f"the range that begins with {start.text} ends with {end.text}"
                    )
                    if end.canonical != last.value.canonical:
                        completed[index + 1] = Mark(
                            last.value, "unverified", first.place, note
                        )
            break
    return completed


def _is_range(text: str, first: WrittenValue, last: WrittenValue) -> bool:
    """Return True if two values of a text are the ends of a range: `22–6`, `22 bis 6`."""
    between = normalize_text(text[first.end : last.start]).text.strip()
    return between in RANGE_SIGNS


@dataclass(eq=False)
class ValueMarker:
    """Marks each value of an answer with its support, by what one trial read and computed.

    In "The fee is 300", the value 300 is `found` if a text that was read states it, `computed`
    if a script computed it, `given` if the question states it, or else `unverified`.
    """

    # What the trial has read
    sources: Sequence[Source]
    """The files, and parts of files, that the trial read."""

    # What it was given
    question: str = ""
    """The request that the trial answers."""
    context_texts: Sequence[str] = ()
    """Other texts that the trial was given: the clock, rules."""
    names: str = ""
    """Paths and names of files, one a line. They support ids and dates, but no amounts."""

    # What has computed values
    script_runs: Sequence[ScriptRun] = ()
    """The scripts of the trial, with what they printed and stored."""
    function_results: Sequence[FunctionResultValue] = ()
    """What functions of the benchmark returned."""
    query_results: Sequence[Source] = ()
    """Results of queries and tools, which have no line in a file."""

    # What the answer cites
    cited: frozenset[str] = frozenset()
    """The paths that the answer cites."""
    quoted: Sequence[Source] = ()
    """The lines that citations quote. They are searched first."""
    written: Sequence[Source] = ()
    """The cited files that the trial wrote itself, with their present content."""

    def marks(self, answer: str) -> tuple[Mark, ...]:
        """Return the values of an answer in order, each with what supports it."""
        # 1. What the trial read, was given, computed or wrote.
        values = self._with_grouped_digits(answer_values(answer), answer)
        answer_text = _AnswerText(answer, self.question)
        marks = [
            self._mark_of(value, answer_text)
            for value in values
            if not needs_no_support(value, answer)
        ]
        # 2. What the answer itself computes from other values: `12 + 4 = 16`.
        marks = _with_arithmetic(marks, values, answer)

        # 3. Which name the row of a found value has, and which one the answer writes. If they differ,
        #    the line may state the value by chance, and something else may support it.
        for index, mark in enumerate(marks):
            if mark.support != "found":
                continue
            named = _with_name(mark, answer_text, self._sources_by_rank, values)
            if not named.is_supported:
                named = self._mark_besides_lines(mark.value, answer_text) or named
            marks[index] = named

        marks = _with_whole_ranges(marks, answer, self._sources_by_rank)
        marks = _with_moments_of_question(marks, values, self.question)

        # 4. Beside a value without support, the nearest one that was read, unless something speaks
        #    against the value.
        remaining_searches = _MAX_NEAREST
        for index, mark in enumerate(marks):
            if mark.is_supported or mark.note or remaining_searches == 0:
                continue
            words = answer_text.words_around(mark.value)
            marks[index] = _with_nearest_value(mark, words, self._sources_by_rank)
            remaining_searches -= 1
        return tuple(marks)

    def _with_grouped_digits(
        self, values: Sequence[WrittenValue], answer: str
    ) -> list[WrittenValue]:
        """Return the values with digits in groups as one, if they stand so in what was read.

        The `2210 4471 0093` of a card is no three numbers.
        """
        grouped = list(values)
        for start, end in accounts_in_groups(answer):
            inside = [value for value in values if start <= value.start < end]
            are_numbers = all(value.kind is ValueKind.NUMBER for value in inside)
            text = answer[start:end]
            if len(inside) < _LEAST_GROUPS or not are_numbers:
                continue
            if any(
                source.line_of_quotation(text) is not None for source in self.sources
            ):
                first = values.index(inside[0])
                whole = WrittenValue(ValueKind.QUOTATION, text, start, end, text)
                offset = len(values) - len(grouped)
                grouped[first - offset : first - offset + len(inside)] = [whole]
        return grouped

    def computation_of(self, value: WrittenValue, answer: str) -> Computation | None:
        """Return what computed a value of an answer; None if nothing did."""
        style = _AnswerText(answer, self.question).style
        return self._computations.find(value, answer, style)

    def _mark_of(self, value: WrittenValue, answer: _AnswerText) -> Mark:
        """Return a value with its support: of "The fee is 300", 300 with `fees.md`, line 2.

        Several texts may state the same value, some of them by chance. The support that is least
        likely to be chance is tried first.
        """
        words = answer.words_around(value)
        line = best_match(value, self.quoted, words, self.cited)
        if line is None:
            line = best_match(value, self._sources_by_rank, words, self.cited)

        # 1. A line of a file that the answer cites.
        if line is not None and line.is_cited:
            return _found(value, line)

        # 2. The question.
        if self._is_asked(value):
            return Mark(value, "given")

        # 3. A line of another file that shares words with the text around the value (`is_sure`).
        if line is not None and line.is_sure:
            return _found(value, line)

        # 4. A computation of the trial's scripts, functions or queries.
        computed = self._computed(value, answer)
        if computed is not None:
            return computed

        # 5. Any other line, which may state the same value by chance.
        if line is not None:
            return _found(value, line)

        # 6. The other texts that the trial was given, such as rules and names of files.
        if is_stated(value, self._given):
            return Mark(value, "given")

        # 7. A cited file that the trial wrote itself.
        written = best_match(value, self.written, words, self.cited)
        if written is not None:
            return Mark(value, "written", written.place, written.note)
        return Mark(value, "unverified")

    def _mark_besides_lines(
        self, value: WrittenValue, answer: _AnswerText
    ) -> Mark | None:
        """Return what supports a value besides the line that states it; None if nothing does.

        A script that only prints the cells of the table computes none of them.
        """
        if self._is_asked(value):
            return Mark(value, "given")
        computation = self.computation_of(value, answer.text)
        if computation is None or computation.only_selects:
            return None
        computed = self._computed(value, answer)
        return computed if computed is not None and computed.is_supported else None

    def _is_asked(self, value: WrittenValue) -> bool:
        """Return True if the question states a value."""
        return is_stated(value, self._question)

    def _computed(self, value: WrittenValue, answer: _AnswerText) -> Mark | None:
        """Return the mark of a value that a script, function or query has; None if none has it.

        It is unverified if something speaks against the calculation: it is wrong, it is about another
        name than the answer writes, or its unit is another one.
        """
        computation = self._computations.find(value, answer.text, answer.style)
        if computation is None:
            return None
        doubt = (
            computation.fault
            or self._other_subject(computation, value, answer)
            or self._other_unit(value, computation)
        )
        if doubt:
            return Mark(value, "unverified", note=doubt)
        return Mark(value, "computed", note=computation.text)

    def _other_subject(
        self, computation: Computation, value: WrittenValue, answer: _AnswerText
    ) -> str:
        """Return a note if a calculation is about another name than the answer writes; else empty."""
        for computed_from, named in self._subjects(computation, value, answer):
            if computed_from:
                return f"computed from {computed_from}, and the answer names {named}"
        return ""

    def _subjects(
        self, computation: Computation, value: WrittenValue, answer: _AnswerText
    ) -> Iterator[tuple[str, str]]:
        """Yield pairs of a name in a calculation and another one in the answer; empty if they agree.

        What the script itself says comes first, and what it printed comes last.
        """
        sentence, sentence_before = sentences_around(value, answer.text)
        question = answer.question
        selectors = computation.selectors
        sources = self._sources_by_rank
        yield other_name_of_selection(selectors, sources, sentence, question)
        yield other_column_of_selection(
            selectors, sources, value.follower, (sentence, question)
        )
        texts = (sentence, sentence_before, question)
        yield self._other_name_of_input(computation, texts, answer)
        printed = computation.printed
        if printed is not None and printed.value is not None:
            yield _other_name(
                printed.source,
                printed.line,
                printed.value.start,
                value,
                answer,
                answer_values(answer.text),
            )

    def _other_unit(self, value: WrittenValue, computation: Computation) -> str:
        """Return a note on a value whose unit is not the one in which a script computed it.

        The script has added up the column `weight_kg`, and the answer says "91 t"; or it has computed
        with `1,35 €`, and the answer says "81 CHF".
        """
        units = computation.units
        printed = computation.printed
        found = value if printed is None or printed.value is None else printed.value
        if currency_of(value.unit) and not units:
            units = self._currencies_of(computation.numbers)
        is_other_unit_printed = found.unit not in ("", value.unit)
        if not units or value.unit in ("", "%") or is_other_unit_printed:
            return ""
        for name in units:
            # 91 kg is 91 kg, and 0.091 t: as the script has computed it, in this unit.
            in_unit = replace(found, unit=name, follower="")
            if name not in UNIT_BY_NAME or is_same_amount(value, in_unit):
                return ""
        return (
            f"computed in {', '.join(sorted(units))}, and the answer says {value.unit}"
        )

    def _currencies_of(self, numbers: Sequence[str]) -> frozenset[str]:
        """Return the currencies of a script's numbers where they stand in what was read."""
        currencies: set[str] = set()
        for number in numbers[:_MOST_INPUTS]:
            for value in written_values(number, style=PYTHON_STYLE):
                for match in find_matches(
                    value, [*self._sources_by_rank, *self._question]
                ):
                    if match.value is not None and match.value.unit in CURRENCIES:
                        currencies.add(match.value.unit)
        return frozenset(currencies)

    def _other_name_of_input(
        self, computation: Computation, texts: Sequence[str], answer: _AnswerText
    ) -> tuple[str, str]:
        """Return the name under which a number of a script stands, and another one that a text has.

        The script has copied the number from the only line that states it.
        """
        inputs: list[WrittenValue] = []
        for number in computation.numbers[:_MOST_INPUTS]:
            inputs += written_values(number, style=PYTHON_STYLE)
        said = [*self._script_numbers, *answer_values(answer.text)]
        for value in inputs:
            matches = find_matches(value, self._sources_by_rank)
            if len({match.place for match in matches}) != 1:
                continue
            match = matches[0]
            if match.value is None or match.agreement.is_rounded:
                continue
            own, other = other_name_beside(
                match.source,
                match.line,
                match.value.start,
                texts,
                said,
            )
            if other:
                return f"{value.text} of {own}", other
        return "", ""

    @cached_property
    def _script_numbers(self) -> list[WrittenValue]:
        """The numbers that stand in the scripts."""
        numbers: list[WrittenValue] = []
        for run in self.script_runs:
            code = run.code[: bounds.MOST_COMPARED_CHARS]
            numbers += written_values(code, style=PYTHON_STYLE, kinds=_ONLY_NUMBERS)
        return numbers[:_MOST_SCRIPT_NUMBERS]

    @cached_property
    def _sources_by_rank(self) -> list[Source]:
        """All that was read, with the cited files first."""
        return sorted(self.sources, key=lambda source: source.path not in self.cited)

    @cached_property
    def _question(self) -> list[Source]:
        """The question. In which style it writes `24.000`, the one who asked knows: it may be either."""
        styles = (None, NumberStyle("."), NumberStyle(","))
        return [Source("", self.question, style=style) for style in styles]

    @cached_property
    def _given(self) -> list[Source]:
        """What the trial was given besides the question and the files: the clock, names of files."""
        texts = [Source("", text) for text in self.context_texts]
        return [*texts, Source("", self.names, kinds=_KINDS_IN_FILE_NAMES)]

    @cached_property
    def _computations(self) -> Computations:
        """Finds what computed a value: a query, a function or a script."""
        return Computations(
            self.script_runs,
            self.function_results,
            self.query_results,
            self.sources,
            [*self._question, *self._given],
        )


_LEAST_GROUPS: Final = 3
"""The digits of a card, an account or a serial number stand in so many groups at least."""


def _found(value: WrittenValue, line: BestMatch) -> Mark:
    """Return the mark of a value that a line states."""
    return Mark(value, "found", line.place, line.note)


def marker_of(
    evidence: Evidence,
    question: str,
    cited: Iterable[str],
    context_texts: Sequence[str],
    script_runs: Sequence[ScriptRun],
) -> ValueMarker:
    """Return a marker for the answer of a trial.

    `evidence` records what the trial read and wrote, `script_runs` what its scripts printed
    and stored. `cited` are the paths that the answer cites. `context_texts` are texts that the
    trial was given besides the question, such as the clock.
    """
    # 1. The texts that prove values, without those that the script may have written.
    whole_files: list[Source] = []
    excerpts: list[Source] = []
    query_results: list[Source] = []
    # The files are searched for the values of the answer, and for the numbers of the scripts.
    budget = LineBudget()
    for access in evidence.accesses.values():
        for proof in access.proofs:
            line_numbers = LineNumbers(tuple(proof.lines))
            source = Source(access.path, proof.text, line_numbers, budget=budget)
            if line_numbers == UNKNOWN_NUMBERS:  # the result of a query or tool
                query_results.append(source)
            elif proof.kind is TextKind.EXCERPT:
                excerpts.append(source)
            else:
                whole_files.append(source)
    sources = whole_files + excerpts

    # 2. The lines that citations quote.
    quoted: list[Source] = []
    for source in sources:
        for quotation in evidence.quotations.get(source.path, ()):
            quoted += source.quoted_parts(quotation)

    # 3. The paths of all files and folders that were accessed or listed. They are one text, because
    #    values are searched in texts.
    names = list(evidence.folders)
    for paths in evidence.paths_by_spelling.values():
        names += paths
    cited_paths = frozenset(cited)
    return ValueMarker(
        # A value in one of these texts is "found", or "written" if the trial wrote the text.
        sources=sources,
        cited=cited_paths,
        quoted=quoted,
        written=_written_files(evidence, cited_paths),
        # A value from one of these is "computed".
        script_runs=script_runs,
        query_results=query_results,
        function_results=evidence.function_results,
        # A value in one of these texts is "given".
        question=question,
        context_texts=context_texts,
        names="\n".join(names),
    )


def _written_files(evidence: Evidence, cited: frozenset[str]) -> list[Source]:
    """Return the cited files that the trial wrote, with the last text that it wrote.

    Leaves out files that it deleted afterwards, and changes that it undid.
    """
    last_actions: dict[str, str] = {}
    for change in evidence.present_changes:  # those that were not undone
        last_actions[change.path] = change.action

    sources: list[Source] = []
    for path, action in last_actions.items():
        if action != "write" or path not in cited or path not in evidence.accesses:
            continue
        seen_texts = evidence.accesses[path].seen
        written = [seen for seen in seen_texts if not (seen.is_cut or seen.is_proof)]
        if written:
            sources.append(Source(path, written[-1].text))
    return sources
