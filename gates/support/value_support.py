"""Marks each value of an answer with its support.

The support is one of five:

- "found": a text that was read states it.
- "computed": the trial or the answer itself computes it.
- "given": the question, or another text that the trial was given, states it.
- "written": the trial wrote it into a file that the answer cites.
- "unverified": none of these.

A mark is a value with its support and, for a found one, the line that states it. Only
values are compared, not names and sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from posixpath import commonprefix
from typing import Final

from controlplane.gates.boilerplate import BOILERPLATE
from controlplane.gates.support.answer_values import answer_values, needs_no_support
from controlplane.gates.support.arithmetic.answer_arithmetic import shown_results
from controlplane.gates.support.arithmetic.shown_results import ShownResult
from controlplane.gates.support.computations.output_templates import Writers
from controlplane.gates.support.computations.outputs import Output
from controlplane.gates.support.computations.script_outputs import (
    ANSWER_KEY,
    WrittenTexts,
    stored_output,
    written_texts,
)
from controlplane.gates.support.computations.traced_expressions import (
    ExpressionTracer,
    TracedExpression,
)
from controlplane.gates.support.matching.best_match import (
    BestMatch,
    GivenTexts,
    LineChooser,
)
from controlplane.gates.support.matching.line_search import (
    MAX_LINES,
    LineBudget,
    find_matches,
    is_stated,
)
from controlplane.gates.support.matching.value_equality import amount_of, is_rounded
from controlplane.gates.support.scripts import PathCall, text_of
from controlplane.gates.support.sources import Place, Source
from controlplane.gates.support.support_texts import Mark
from controlplane.gates.text_folding import distinctive_words
from controlplane.gates.trial import FunctionResultValue, ScriptRun
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

# An answer whose values are to be marked, with the words around each value.
#
# In "The late fee is 300", the words `late` and `fee` stand near the 300.

_NEAR_CHARS: Final = 160
"""How far before and behind a value its near words stand, in characters.

Of the lines that state the value, the one with most of these words is its likely source.
"""


@dataclass(frozen=True, slots=True)
class _AnswerText:
    """An answer and its question."""

    text: str
    question: str
    style: NumberStyle
    """How the answer writes numbers: `1,070.50` or `1.070,50`."""

    @classmethod
    def of(cls, answer: str, question: str) -> _AnswerText:
        """Return an answer with the style of its numbers."""
        style = number_style_of(normalize_text(answer).text)
        return cls(answer, question, style)

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
    calculations = _supported_calculations(marks, values, answer)
    return [
        mark if mark.is_supported else _mark_of_result(mark, calculations)
        for mark in marks
    ]


def _supported_calculations(
    marks: Sequence[Mark], values: Sequence[WrittenValue], answer: str
) -> dict[int, ShownResult]:
    """Return the correct calculations of an answer, all of whose operands are supported.

    An operand is supported if its mark says so, if it needs no support, such as the 1 of
    `step 1`, or if it is the result of an earlier calculation: 770 and 230 of `300 + 470 = 770,
    and 770 + 230 = 1000`. The keys are the offsets of the results in the answer.
    """
    # Values are told apart by their offsets in the answer.
    supported = {mark.value.start for mark in marks if mark.is_supported}
    supported |= {value.start for value in values if needs_no_support(value, answer)}
    calculations: dict[int, ShownResult] = {}
    for shown in shown_results(answer, values):
        operands = {operand.start for operand in shown.operands}
        if shown.is_right and operands <= supported:
            calculations[shown.result.start] = shown
            supported.add(shown.result.start)
    return calculations


def _mark_of_result(mark: Mark, calculations: Mapping[int, ShownResult]) -> Mark:
    """Mark a value as computed if it is a result, or a rounded one: `about 26 %` for 25.9 %.

    Else return its mark as it is.
    """
    value = mark.value
    if value.start in calculations:
        text = calculations[value.start].text
        return Mark(value, "computed", note=f"in the answer: {text}")
    for shown in calculations.values():
        if _is_rounded_result(value, shown.result):
            return Mark(value, "computed", note=f"rounded from {shown.result.text}")
    return mark


def _is_rounded_result(value: WrittenValue, result: WrittenValue) -> bool:
    """Return True if a value is a computed result with fewer decimals: `about 26 %` for 25.9 %.

    The value may stand anywhere in the answer, because a summary often rounds.
    """
    are_numbers = value.kind is ValueKind.NUMBER and result.kind is ValueKind.NUMBER
    if not are_numbers or result.decimals <= value.decimals:
        return False
    has_same_unit = value.unit in ("", result.unit)
    # A percentage is often calculated without its sign: `7 / 27 * 100 = 25.9`.
    is_percentage = value.unit == "%" and result.unit == ""
    if not has_same_unit and not is_percentage:
        return False
    exact = amount_of(result)
    return exact is not None and is_rounded(value, exact)


# Describes in words what a value was computed from: `= sum(fees), from /loans.csv`.
#
# Readers see this beside a value of an answer that a script computed.

SHOWN_ROWS: Final = 6
"""How many line numbers are shown of the rows of a table."""
_SHOWN_EXPRESSIONS: Final = 3
"""How many expressions are shown. A value has several if it is unknown which one gave it."""


@dataclass(frozen=True, slots=True)
class _ComputationTexts:
    """Describes expressions with their inputs: paths and numbers."""

    sources: Sequence[Source]
    """The texts that the trial read."""
    path_calls: Sequence[PathCall]
    """The calls in scripts that name a path: `harness.table("/loans.csv", columns="fee")`."""

    def description(self, expressions: Sequence[TracedExpression]) -> str:
        """Return expressions with their inputs: `= sum(fees) * 36, from /loans.csv; 36`."""
        texts = _unique(text_of(traced.expression) for traced in expressions)
        description = f"= {'; '.join(texts[:_SHOWN_EXPRESSIONS])}"

        paths: list[str] = []
        numbers: list[str] = []
        for traced in expressions:
            paths += traced.origins.paths
            numbers += traced.origins.numbers
        inputs = [self._path_with_rows(path) for path in _unique(paths)]
        inputs += _unique(numbers)
        if inputs:
            description += f", from {'; '.join(inputs)}"
        return description

    def _path_with_rows(self, path: str) -> str:
        """Return a path, for a queried table with its rows: `2 rows of /a.csv, lines 4, 9`."""
        rows = self._rows_of(path)
        if not rows:
            return path
        lines = ", ".join(str(row) for row in rows[:SHOWN_ROWS])
        text = f"{len(rows)} rows of {path}, lines {lines}"
        return f"{text} and more" if len(rows) > SHOWN_ROWS else text

    def _rows_of(self, path: str) -> list[int]:
        """Return the line numbers, in the file of a table, of the rows that a query returned.

        Returns nothing if different queries read the table: it is unknown whose rows the value
        comes from.
        """
        queries = {call.text for call in self.path_calls if call.path == path}
        if len(queries) > 1:
            return []
        for source in self.sources:
            # `listed_rows` has 7 and 9 if the query returned the rows in these lines of the file.
            if source.path == path and source.line_numbers.listed_rows:
                return source.line_numbers.listed_rows
        return []


def _unique(texts: Iterable[str]) -> list[str]:
    """Return texts in their order, each once."""
    return list(dict.fromkeys(texts))


# Tells whether the numbers in a script were given to the trial, or may be invented.
#
# The model writes the scripts, so a number in one may come from the model alone. The 36 of
# `sum(rows) * 36` is known if the question says `36 months`, or a file that was read does.


class _KnownNumbers:
    """Looks up numbers in the question, in texts that were read, in the clock and the like.

    Each number is searched for only once. When the budget for searching is spent, further
    numbers count as unknown.
    """

    def __init__(self, sources: Sequence[Source], given_texts: GivenTexts) -> None:
        self._sources = sources
        self._given_texts = given_texts
        self._budget = LineBudget()  # how many lines may still be searched
        self._is_known: dict[str, bool] = {}

    def has_all(self, numbers: Iterable[str]) -> bool:
        """Return True if all numbers of a script, such as `36`, were given to the trial."""
        return all(self._has(number) for number in numbers)

    def _has(self, number: str) -> bool:
        """Return True if a number was given; from `_is_known` if it was asked for before."""
        if number not in self._is_known:
            values = written_values(number)
            self._is_known[number] = all(self._is_given(value) for value in values)
        return self._is_known[number]

    def _is_given(self, value: WrittenValue) -> bool:
        """Return True if the question, a text that was read, or another given one states a number."""
        sources = [
            *self._given_texts.question_sources,
            *self._sources,
            *self._given_texts.sources_for(value),
        ]
        return is_stated(value, sources, self._budget)


# Finds the expressions of a trial's scripts that may have written a value of the answer.
#
# A script prints `f"total: {total} EUR"`, and the answer says "12 EUR". The value 12 was written by
# the expression `total`, so the value is supported if `total` was computed from what was read.

_PYTHON_STYLE: Final = NumberStyle(".")
"""How Python prints numbers: with a decimal point."""


@dataclass(eq=False)
class _PossibleWriters:
    """Finds what may have written a value: expressions, and texts in the code of scripts.

    It is searched for in all that scripts printed and stored. Scripts are only read, so of
    several expressions it may be unknown which one wrote the value. Then all are returned.
    """

    written: WrittenTexts
    """What the scripts printed and stored."""
    budget: LineBudget
    """How many lines may still be searched."""
    _answers: dict[str, Output] = field(default_factory=dict)
    """The answers whose values were asked for. Each is made once for all its values."""

    def of(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> Iterator[Writers]:
        """Yield what may have written a value of the answer, for each place where a script wrote it.

        The first place is in the answer itself, which a script put together:
        `scratchpad["answer"] = f"{total} EUR"`. The others are in what scripts printed or
        stored, with the number written as Python or as the answer writes it: `1234.5`, `1,234.50`.
        """
        yield self._answer_output(answer).writers_of(value.start, value.end)

        styles = dict.fromkeys((_PYTHON_STYLE, style))
        for output in self.written.outputs:
            for output_style in styles:
                source = output.source(output_style)
                for match in find_matches(value, [source], self.budget):
                    yield output.writers_of_match(match)

    def _answer_output(self, answer: str) -> Output:
        """Return the answer as the text that a script stored in the scratchpad."""
        if answer not in self._answers:
            stored = self.written.stored
            self._answers[answer] = stored_output(ANSWER_KEY, answer, stored)
        return self._answers[answer]


# Describes which expressions of a script computed a value: `= sum(fees), from /loans.csv`.
#
# An expression such as `sum(fees) * 36` computed a value if
#
# 1. it wrote the value, in the answer or in an output (see `script_outputs`);
# 2. the script does not state the value itself;
# 3. it reads the environment, or has numbers such as 36, and all its numbers stand in the
#    question or in what was read (see `script_origins`).
#
# If several expressions may have written the value, all of this must be true of each.


class _ScriptComputations:
    """Finds the expressions of scripts that computed a value of an answer.

    `sum(fees) * 36` computed the 1296 of an answer if it may have written it, if no 1296 stands
    in the script, and if its number 36 stands in the question or in what was read.
    """

    def __init__(
        self,
        written: WrittenTexts,
        sources: Sequence[Source],
        given_texts: GivenTexts,
        budget: LineBudget,
    ) -> None:
        """Take what the scripts wrote (`written`), and what the trial read and was given.

        `budget` limits the lines of outputs and literals that are searched for values.
        """
        self._budget = budget
        # The questions that `describe` asks in this order:
        # 1. Which expressions may have written the value?
        self._writers = _PossibleWriters(written, budget)
        # 2. What is an expression computed from?
        self._tracer = ExpressionTracer(written.stored)
        # 3. Do its numbers stand in the question or in what was read?
        self._known_numbers = _KnownNumbers(sources, given_texts)
        # 4. How is it described? `= sum(fees), from /loans.csv`
        self._texts = _ComputationTexts(sources, written.path_calls)

    def describe(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> str | None:
        """Return the expressions that computed a value; None if it is not computed.

        `style` is how the answer writes numbers.
        """
        for writers in self._writers.of(value, answer, style):
            expressions = self._expressions_that_computed(value, writers)
            if expressions:
                return self._texts.description(expressions)
        return None

    def _expressions_that_computed(
        self, value: WrittenValue, writers: Writers
    ) -> list[TracedExpression]:
        """Return the expressions that may have computed a value at the place where it is written.

        `writers` are the expressions that may have written it. One that may have stated or
        invented it spoils the place, and nothing is returned:

        | expression            | if the value is 72                               |
        | --------------------- | ------------------------------------------------ |
        | `"72 months"`         | the script states it: nothing is returned        |
        | `"36 months"`         | cannot have written it, so it is left out        |
        | `ord("H")`            | has no known inputs: nothing is returned         |
        | `count * 36`          | nothing is returned if no text states the 36     |
        | `len(rows)`           | returned                                         |
        """
        # The `000` of `f"{count}000"` is a known text: these digits are not computed.
        if any(character.isdigit() for character in writers.known_text):
            return []
        computing: list[TracedExpression] = []
        for expression in writers.expressions:
            traced = self._tracer.traced(expression)
            if is_stated(value, [traced.literal_lines], self._budget):
                return []
            if traced.computes_nothing:
                continue
            origins = traced.origins
            if not origins.has_known_inputs:
                return []
            if not self._known_numbers.has_all(origins.numbers):
                return []
            computing.append(traced)
        return computing


# Describes what a value was computed from: a query, a function of the benchmark, or a script.
#
#     fees = harness.table("/loans.csv", columns="fee").rows
#     print(sum(fees))                                          1070
#
# The 1070 of this output is computed: `= sum(fees), from /loans.csv`.


@dataclass(frozen=True, slots=True)
class _FunctionCall:
    """A call of a function of the benchmark, as texts in which values can be searched."""

    arguments: Source
    """What the script gave to the function."""
    result: Source
    """What the function returned."""

    def computes(self, value: WrittenValue, budget: LineBudget) -> bool:
        """Return True if the result states a value, and the arguments do not.

        If the arguments state it, too, the function may only repeat what it was given.
        """
        is_given = is_stated(value, [self.arguments], budget)
        return not is_given and is_stated(value, [self.result], budget)


class _Computations:
    """Finds which query, function or script of a trial computed a value of its answer.

    If a script prints `sum(fees)`, the 1070 of this output is `= sum(fees), from /loans.csv`.
    """

    def __init__(
        self,
        script_runs: Sequence[ScriptRun],
        function_results: Sequence[FunctionResultValue],
        query_results: Sequence[Source],
        sources: Sequence[Source],
        given_texts: GivenTexts,
    ) -> None:
        """Take what a trial did (the first three), and what it read and was given.

        A script that computes with a number, such as 36, must have it from `sources`, the texts
        that the trial read, or from `given_texts`, such as the question. Else the model may have
        invented the number.
        """
        self._script_runs = script_runs
        self._query_results = query_results
        self._sources = sources
        self._given_texts = given_texts
        self._budget = LineBudget()
        """How many lines may still be searched. Then further values count as not computed."""
        self._function_calls = [
            _FunctionCall(Source("", call.arguments), Source("", call.value))
            for call in function_results
        ]

    def describe(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> str | None:
        """Return in words what a value was computed from; None if the trial did not compute it.

        - a query: `= harness.table("/loans.csv", columns="sum(fee)")`
        - a function of the benchmark: `by a function`
        - a script: `= sum(fees), from /loans.csv`

        `style` is how the answer writes numbers: scripts may have written numbers in the same way.
        """
        # A query or function that returned the value itself comes before an expression that may
        # have computed it.
        for result in self._query_results:
            if is_stated(value, [result], self._budget):
                return self._description_of_query(result.path)
        for call in self._function_calls:
            if call.computes(value, self._budget):
                return "by a function"
        return self._scripts.describe(value, answer, style)

    @cached_property
    def _scripts(self) -> _ScriptComputations:
        """Finds the expressions of scripts that computed a value."""
        return _ScriptComputations(
            self.written, self._sources, self._given_texts, self._budget
        )

    @cached_property
    def written(self) -> WrittenTexts:
        """What the scripts printed and stored."""
        return written_texts(self._script_runs)

    def _description_of_query(self, path: str) -> str:
        """Return the call of the query whose result has this path; without a call, the path.

        `= harness.table("/loans.csv", columns="sum(fee)")`, or `by /bin/query`
        """
        for call in self.written.path_calls:
            if path and call.path == path:
                return f"= {call.text}"
        return f"by {path or 'a query'}"


# How far two values of the same kind are apart: 12 and 15, or `FA-19` and `FA-21`.
#
# If nothing supports a value of an answer, the nearest value that was read is shown beside it.

_PENALTY_OF_OTHER_UNIT: Final = 1
"""Added to the distance of two numbers in different units, so that those in the same are nearer.

Without it, the distance of two positive numbers is less than 1.
"""


def _distance_of(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the distance of two values; infinite for values of different kinds.

    For numbers, it is their difference (12 and 15: 0.2); for other values, the number of
    characters from the first different one on (FA-19 and FA-21: 2).
    """
    if candidate.kind is not value.kind:
        return math.inf
    if value.kind is ValueKind.NUMBER:
        return _distance_of_numbers(value, candidate)
    shared_start = commonprefix([value.canonical, candidate.canonical])
    return max(len(value.canonical), len(candidate.canonical)) - len(shared_start)


def _distance_of_numbers(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the difference of two numbers as a share of the larger one: 12 and 15 -> 0.2.

    Between numbers up to 1, it is the difference itself: 0.1 and 0.2 -> 0.1.
    """
    amount = amount_of(value)
    other_amount = amount_of(candidate)
    if amount is None or other_amount is None:
        return math.inf
    size = max(abs(amount), abs(other_amount), Fraction(1))
    distance = float(abs(amount - other_amount) / size)
    if candidate.unit != value.unit:
        distance += _PENALTY_OF_OTHER_UNIT
    return distance


# Finds the value that is nearest to a value of an answer which nothing supports.
#
# It is shown beside that value: `555 [unverified; nearest: 470]`. The sources are the texts that the
# trial read. Only their lines that share words with the answer are searched.

_MAX_NEAR_LINES: Final = 40
"""At most this many lines are compared with one unsupported value: those that share most words."""


@dataclass(frozen=True, slots=True)
class _NearestValue:
    """The value nearest to an unsupported one, and its place."""

    value: WrittenValue
    place: Place


@dataclass(frozen=True, slots=True)
class _RankedLine:
    """A line, and how many words it shares with the text around a value of the answer."""

    source: Source
    line: int
    """The index of the line in the text of the source."""
    shared_words: int


def _nearest_value(
    value: WrittenValue, words: frozenset[str], sources: Sequence[Source]
) -> _NearestValue | None:
    """Return the nearest value of the same kind, on a line that shares words with the answer.

    `words` are the words around the value in the answer. Of equally near values the
    first wins, so the most important sources must come first.
    """
    nearest: _NearestValue | None = None
    least_distance = math.inf
    for ranked in _lines_sharing_words(words, sources):
        for candidate in ranked.source.values.of(ranked.line):
            distance = _distance_of(value, candidate)
            if distance < least_distance:
                nearest = _NearestValue(candidate, ranked.source.place(ranked.line))
                least_distance = distance
    return nearest


def _lines_sharing_words(
    words: frozenset[str], sources: Sequence[Source]
) -> list[_RankedLine]:
    """Return the lines that share words with the answer, those with most shared words first.

    `words` are the words around a value in the answer. Only the best lines are returned, because
    all their values are compared.
    """
    ranked_lines: list[_RankedLine] = []
    remaining_lines = MAX_LINES
    for source in sources:
        for line, text in enumerate(source.lines[:remaining_lines]):
            shared_words = words & distinctive_words(text[: bounds.MOST_LINE_CHARS])
            if shared_words:
                ranked_lines.append(_RankedLine(source, line, len(shared_words)))
        remaining_lines = max(remaining_lines - len(source.lines), 0)
    ranked_lines.sort(key=lambda ranked: ranked.shared_words, reverse=True)
    return ranked_lines[:_MAX_NEAR_LINES]


# Adds to unverified values which value that was read comes nearest: `555 [nearest: 470]`.
#
# A user sees by it whether a value is invented or only mistyped.

_MAX_NEAREST: Final = 8
"""The nearest value is searched for this many unverified values of an answer."""


def _with_nearest_values(
    marks: Sequence[Mark], answer: _AnswerText, sources: Sequence[Source]
) -> list[Mark]:
    """Return the marks. The first unverified ones get a note: `nearest: 470`."""
    completed: list[Mark] = []
    remaining_searches = _MAX_NEAREST
    for mark in marks:
        if mark.is_supported or remaining_searches == 0:
            completed.append(mark)
        else:
            completed.append(_with_nearest_value(mark, answer, sources))
            remaining_searches -= 1
    return completed


def _with_nearest_value(
    mark: Mark, answer: _AnswerText, sources: Sequence[Source]
) -> Mark:
    """Return the mark of an unverified value with the nearest value that was read, if there is one."""
    words = answer.words_around(mark.value)
    nearest = _nearest_value(mark.value, words, sources)
    if nearest is None:
        return mark
    note = f"nearest: {nearest.value.text}"
    return replace(mark, place=nearest.place, note=note)


# Looks up values in the files that a trial read: the 300 of "The fee is 300" in `fees.md`, line 2.
#
# Many lines may state a value. Those that the answer quotes come first, then those of the files
# that it cites.


@dataclass(frozen=True, slots=True)
class _ReadTexts:
    """The files, and parts of files, that a trial read."""

    quoted: Sequence[Source]
    """The lines that citations quote. They are searched first."""
    sources: Sequence[Source]
    """All that was read, with the cited files first."""
    chooser: LineChooser
    """Chooses among several lines that state a value."""

    @classmethod
    def of(
        cls, sources: Sequence[Source], quoted: Sequence[Source], cited: frozenset[str]
    ) -> _ReadTexts:
        """Return the texts in the order of the search. `cited` are the paths of cited files."""
        cited_sources = [source for source in sources if source.path in cited]
        others = [source for source in sources if source.path not in cited]
        return cls(quoted, cited_sources + others, LineChooser(cited))

    def line_stating(
        self, value: WrittenValue, words: frozenset[str]
    ) -> BestMatch | None:
        """Return the line that states a value; None if no line does.

        `words` are those around the value in the answer: of several lines, the one with
        most of them is chosen.
        """
        quoted_line = self.chooser.choose(value, self.quoted, words)
        if quoted_line is not None:
            return quoted_line
        return self.chooser.choose(value, self.sources, words)


# Searches for what supports one value of an answer.
#
# Several texts may state the same value, some of them by chance. The support that is least
# likely to be chance is tried first, so the order of the search matters.


@dataclass(frozen=True, slots=True)
class _SupportSearch:
    """Looks up values in what one trial read, was given, computed and wrote."""

    read: _ReadTexts
    given: GivenTexts
    computations: _Computations
    written: Sequence[Source]
    """The cited files that the trial wrote itself, with their present content."""

    # How many lines may still be searched, which limits the work for an answer with many values
    question_budget: LineBudget = field(default_factory=LineBudget)
    given_budget: LineBudget = field(default_factory=LineBudget)

    def mark_of(self, value: WrittenValue, answer: _AnswerText) -> Mark:
        """Return a value with its support: of "The fee is 300", 300 with `fees.md`, line 2."""
        words = answer.words_around(value)
        line = self.read.line_stating(value, words)

        # 1. A line of a file that the answer cites.
        if line is not None and line.is_cited:
            return found(value, line)

        # 2. The question.
        if is_stated(value, self.given.question_sources, self.question_budget):
            return Mark(value, "given")

        # 3. A line of another file that shares words with the text around the value (`is_sure`).
        if line is not None and line.is_sure:
            return found(value, line)

        # 4. A computation of the trial's scripts, functions or queries.
        computation = self.computations.describe(value, answer.text, answer.style)
        if computation is not None:
            return Mark(value, "computed", note=computation)

        # 5. Any other line, which may state the same value by chance.
        if line is not None:
            return found(value, line)

        # 6. The other texts that the trial was given, such as rules and names of files.
        if is_stated(value, self.given.sources_for(value), self.given_budget):
            return Mark(value, "given")

        # 7. A cited file that the trial wrote itself.
        written = self.read.chooser.choose(value, self.written, words)
        if written is not None:
            return Mark(value, "written", written.place, written.note)
        return Mark(value, "unverified")


def found(value: WrittenValue, line: BestMatch) -> Mark:
    """Return the mark of a value that a line states."""
    return Mark(value, "found", line.place, line.note)


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
        values = answer_values(answer)
        answer_text = _AnswerText.of(answer, self.question)
        marks = [
            self._search.mark_of(value, answer_text)
            for value in values
            if not needs_no_support(value, answer)
        ]
        # 2. What the answer itself computes from other values: `12 + 4 = 16`.
        marks = _with_arithmetic(marks, values, answer)
        # 3. Beside a value without support, the nearest one that was read.
        return tuple(_with_nearest_values(marks, answer_text, self._read.sources))

    @cached_property
    def _search(self) -> _SupportSearch:
        """Finds the support of one value."""
        return _SupportSearch(self._read, self._given, self.computations, self.written)

    @cached_property
    def _read(self) -> _ReadTexts:
        """The texts that were read, those that the answer quotes or cites first."""
        return _ReadTexts.of(self.sources, self.quoted, self.cited)

    @cached_property
    def _given(self) -> GivenTexts:
        """The texts that the trial was given, such as the question."""
        return GivenTexts(self.question, self.context_texts, self.names)

    @cached_property
    def computations(self) -> _Computations:
        """Finds what computed a value: a query, a function or a script."""
        return _Computations(
            self.script_runs,
            self.function_results,
            self.query_results,
            self.sources,
            self._given,
        )
