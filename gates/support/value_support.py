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
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from posixpath import commonprefix
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.support.answer_values import answer_values, needs_no_support
from controlplane.gates.support.arithmetic import ShownResult, shown_results
from controlplane.gates.support.computations import Computation, Computations
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching import (
    MAX_LINES,
    BestMatch,
    GivenTexts,
    LineBudget,
    LineChooser,
    amount_of,
    is_rounded,
    is_stated,
)
from controlplane.gates.support.names import (
    name_of_row,
    other_name_in_row,
    other_name_of_selection,
    rows_named,
    sentence_around,
    shared_label,
)
from controlplane.gates.support.sources import (
    UNKNOWN_NUMBERS,
    LineNumbers,
    Place,
    Source,
)
from controlplane.gates.text_folding import BOILERPLATE, distinctive_words
from controlplane.gates.trial import FunctionResultValue, ScriptRun, TextKind
from controlplane.gates.values.normal_text import (
    NumberStyle,
    normalize_text,
    number_style_of,
)
from controlplane.gates.values.spans import ValueKind, WrittenValue
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


# How far two values of the same kind are apart: 12 and 15, or `FA-19` and `FA-21`.
#
# If nothing supports a value of an answer, the nearest value that was read is shown beside it.

_PENALTY_OF_OTHER_UNIT: Final = 1
"""Added to the distance of two numbers if only one has a unit, so that others are nearer.

Without it, the distance of two positive numbers is less than 1.
"""


def _distance_of(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the distance of two values; infinite for values of different kinds or units.

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
    if value.unit and candidate.unit and value.unit != candidate.unit:
        return math.inf  # 12 kg is not near 12 EUR
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
        is_doubted = mark.note != ""  # it says what speaks against the value
        if mark.is_supported or is_doubted or remaining_searches == 0:
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


# Adds to found values the name under which they stand: `loans.csv:2, under Mei Tan`.
#
# If the row has another name than the answer, which names another row of the table, the value is
# unverified: it may be that of a neighbour.


def _with_names(
    marks: Sequence[Mark], answer: _AnswerText, sources: Sequence[Source]
) -> list[Mark]:
    """Return the marks; the found ones get a name, or become unverified."""
    places = {mark.place for mark in marks if mark.support == "found"}
    named: list[Mark] = []
    for mark in marks:
        if mark.support == "found" and mark.place is not None:
            found_in = _line_at(mark.place, sources)
            if found_in is not None:
                mark = _with_name(mark, answer, *found_in, places)
        named.append(mark)
    return named


def _line_at(place: Place, sources: Sequence[Source]) -> tuple[Source, int] | None:
    """Return the source and the index of the line at a place."""
    for source in sources:
        if source.path == place.path:
            index = source.index_of(place.line)
            if index is not None:
                return source, index
    return None


def _with_name(
    mark: Mark,
    answer: _AnswerText,
    source: Source,
    line: int,
    places: Collection[Place | None],
) -> Mark:
    """Return the mark of a found value with the name of its row, or as an unverified one."""
    sentence = sentence_around(mark.value, answer.text)
    own, other = other_name_in_row(source, line, sentence)
    if other:
        # If another value of the answer is from the row of this name, the name belongs to that.
        is_taken = any(source.place(row) in places for row in rows_named(source, other))
        if not is_taken:
            note = f"found under {own}, and the answer names {other}"
            return replace(mark, support="unverified", note=note)
    # A name within the value, such as `B2`, tells nothing.
    asked_and_said = f"{sentence}\n{answer.question}".replace(mark.value.text, " ")
    name = name_of_row(source, line, asked_and_said)
    if not name:
        start = _start_in(source, line, mark.value)
        name = shared_label(source, line, start, asked_and_said)
    return replace(mark, name=name)


def _start_in(source: Source, line: int, value: WrittenValue) -> int:
    """Return where a value, or one with the same amount, begins in a line; else the line's end."""
    for found_value in source.values.of(line):
        if found_value.canonical == value.canonical:
            return found_value.start
    return len(source.lines[line])


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
    computations: Computations
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
            return _found(value, line)

        # 2. The question.
        if is_stated(value, self.given.question_sources, self.question_budget):
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
        if is_stated(value, self.given.sources_for(value), self.given_budget):
            return Mark(value, "given")

        # 7. A cited file that the trial wrote itself.
        written = self.read.chooser.choose(value, self.written, words)
        if written is not None:
            return Mark(value, "written", written.place, written.note)
        return Mark(value, "unverified")

    def mark_besides_lines(
        self, value: WrittenValue, answer: _AnswerText
    ) -> Mark | None:
        """Return what supports a value besides the line that states it; None if nothing does."""
        if is_stated(value, self.given.question_sources, self.question_budget):
            return Mark(value, "given")
        computed = self._computed(value, answer)
        if computed is not None and computed.is_supported:
            return computed
        return None

    def _computed(self, value: WrittenValue, answer: _AnswerText) -> Mark | None:
        """Return the mark of a value that a script, function or query has; None if none has it.

        It is unverified if something speaks against the calculation.
        """
        computation = self.computations.find(value, answer.text, answer.style)
        if computation is None:
            return None
        doubt = computation.fault
        if not doubt:
            doubt = self._doubt_of_selection(value, computation.selectors, answer)
        if doubt:
            return Mark(value, "unverified", note=doubt)
        return Mark(value, "computed", note=computation.text)

    def _doubt_of_selection(
        self, value: WrittenValue, selectors: Sequence[str], answer: _AnswerText
    ) -> str:
        """Return why a computed value may be that of another name, or an empty string."""
        selected, named = other_name_of_selection(
            selectors,
            self.read.sources,
            sentence_around(value, answer.text),
            answer.question,
        )
        if not selected:
            return ""
        return f"computed from {selected}, and the answer names {named}"


def _found(value: WrittenValue, line: BestMatch) -> Mark:
    """Return the mark of a value that a line states."""
    return Mark(value, "found", line.place, line.note)


@dataclass(eq=False)
class ValueMarker:
    """Marks each value of an answer with its support, by what one trial read and computed.

    In "The fee is 300", the value 300 is `_found` if a text that was read states it, `computed`
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
        # 3. Which name the row of a found value has, and which one the answer writes.
        named = _with_names(marks, answer_text, self._read.sources)
        for index, mark in enumerate(named):
            is_doubted = marks[index].is_supported and not mark.is_supported
            if is_doubted:  # the line may state it by chance
                other = self._search.mark_besides_lines(mark.value, answer_text)
                named[index] = other or mark
        # 4. Beside a value without support, the nearest one that was read.
        return tuple(_with_nearest_values(named, answer_text, self._read.sources))

    def computation_of(self, value: WrittenValue, answer: str) -> Computation | None:
        """Return what computed a value of an answer; None if nothing did."""
        style = _AnswerText.of(answer, self.question).style
        return self.computations.find(value, answer, style)

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
    def computations(self) -> Computations:
        """Finds what computed a value: a query, a function or a script."""
        return Computations(
            self.script_runs,
            self.function_results,
            self.query_results,
            self.sources,
            self._given,
        )


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
    texts = _proof_texts(evidence)
    cited_paths = frozenset(cited)
    return ValueMarker(
        # A value in one of these texts is "found", or "written" if the trial wrote the text.
        sources=texts.sources,
        cited=cited_paths,
        quoted=_quoted(evidence, texts.sources),
        written=_written_files(evidence, cited_paths),
        # A value from one of these is "computed".
        script_runs=script_runs,
        query_results=texts.query_results,
        function_results=evidence.function_results,
        # A value in one of these texts is "given".
        question=question,
        context_texts=context_texts,
        names=_names_by_line(evidence),
    )


def _names_by_line(evidence: Evidence) -> str:
    """Return the paths of all files and folders that were accessed or listed, one a line.

    They are one text, because values are searched in texts.
    """
    names = list(evidence.folders)
    # All known paths of files are here, by their spelling in lower case.
    for paths in evidence.paths_by_spelling.values():
        names += paths
    return "\n".join(names)


def _quoted(evidence: Evidence, sources: Sequence[Source]) -> list[Source]:
    """Return the lines of `sources` that citations quote."""
    quoted: list[Source] = []
    for source in sources:
        for quotation in evidence.quotations.get(source.path, ()):
            quoted += source.quoted_parts(quotation)
    return quoted


@dataclass(frozen=True, slots=True)
class _ProofTexts:
    """The texts of the environment that a trial saw. They prove the values that they state."""

    whole_files: list[Source] = field(default_factory=list)
    excerpts: list[Source] = field(default_factory=list)
    query_results: list[Source] = field(default_factory=list)
    """Results of queries and tools, which have no lines in a file."""

    @property
    def sources(self) -> list[Source]:
        """Files and parts of files, whole files first."""
        return self.whole_files + self.excerpts


def _proof_texts(evidence: Evidence) -> _ProofTexts:
    """Return the texts that prove values, without those that the script may have written."""
    texts = _ProofTexts()
    for access in evidence.accesses.values():
        for proof in access.proofs:
            line_numbers = LineNumbers(tuple(proof.lines))
            source = Source(access.path, proof.text, line_numbers)
            if line_numbers == UNKNOWN_NUMBERS:  # the result of a query or tool
                texts.query_results.append(source)
            elif proof.kind is TextKind.EXCERPT:
                texts.excerpts.append(source)
            else:
                texts.whole_files.append(source)
    return texts


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
