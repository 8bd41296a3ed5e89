"""Marks each value of an answer with its support.

A value is "found" in a text that was read, "computed" by the trial or in the answer
itself, "given" by the question, "written" by the trial into a file that the answer
cites, or "unverified". Only values are compared, not names and sentences.

A mark is a value with its support and, for a found one, the line that states it. If
several lines do, this is the one that shares most words with the answer, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias

from controlplane.gates.evidence import Evidence, FunctionResultValue, ScriptRun
from controlplane.gates.support.answer_arithmetic import shown_results
from controlplane.gates.support.answer_values import answer_values, needs_no_support
from controlplane.gates.support.computations import Computations
from controlplane.gates.support.given_texts import GivenTexts
from controlplane.gates.support.line_search import (
    LineBudget,
    Match,
    find_matches,
    is_stated,
)
from controlplane.gates.support.nearest_value import nearest_value
from controlplane.gates.support.number_equality import amount_of, is_rounded
from controlplane.gates.support.places import UNKNOWN_NUMBERS, LineNumbers, Place
from controlplane.gates.support.shown_results import ShownResult
from controlplane.gates.support.sources import Source, distinctive_words
from controlplane.gates.text_folding import BOILERPLATE
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.sandbox.interface import bounds

Support: TypeAlias = Literal["found", "computed", "given", "written", "unverified"]

NEAR_CHARS: Final = 160
"""Characters before and after a value in an answer, whose words are looked for on the
lines that state the value."""
MAX_NEAREST: Final = 8
"""The nearest value is searched for this many unverified values of an answer."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One value of an answer, with what supports it."""

    value: WrittenValue
    support: Support
    place: Place | None = None
    """Where the value was found. None if it was not found, or was found in several
    places that fit equally well. For an unverified value, the place of the nearest
    value."""
    note: str = ""
    """How the value differs at its place (`rounded from 6.545`), what it was computed
    from, or the value that is nearest to an unverified one."""


@dataclass(frozen=True, slots=True)
class _BestMatch:
    """The line that is most likely the source of a value."""

    place: Place | None
    """None if it is unknown which of several lines is the source."""
    note: str
    """How the value differs from the one on the line, such as `rounded from 6.545`."""
    is_cited: bool
    """True if the place is known, and in a file that the answer cites."""
    is_sure: bool
    """True if the line is unlikely to state the same value by chance. Either it shares
    words with the text around the value, or no other line states the value and its file
    is cited."""


@dataclass(eq=False)
class ValueMarker:
    """Marks the values of answers by what one trial read and computed."""

    sources: Sequence[Source]
    """The files, and parts of files, that the trial read."""
    question: str = ""
    context_texts: Sequence[str] = ()
    """Other texts that the trial was given: the clock, rules."""
    names: str = ""
    """Paths and names of files, one a line. They support ids, dates and the like, but
    no amounts."""
    steps: Sequence[ScriptRun] = ()
    """The scripts, with what they printed and stored."""
    function_results: Sequence[FunctionResultValue] = ()
    """What functions of the benchmark returned."""
    query_results: Sequence[Source] = ()
    """Results of queries and tools, which have no line in a file."""
    cited: frozenset[str] = frozenset()
    """The paths that the answer cites."""
    quoted: Sequence[Source] = ()
    """The lines that citations quote. They are searched first."""
    written: Sequence[Source] = ()
    """The cited files that the trial wrote itself, with their present content."""

    # How many more lines of each kind of text may be searched
    _file_budget: LineBudget = field(default_factory=LineBudget)
    _question_budget: LineBudget = field(default_factory=LineBudget)
    _given_budget: LineBudget = field(default_factory=LineBudget)

    def marks(self, answer: str) -> tuple[Mark, ...]:
        """Return the values of an answer in order, each with what supports it."""
        values = answer_values(answer)
        style = number_style_of(normalize_text(answer).text)
        marks = []
        for value in values:
            if not needs_no_support(value, answer):
                marks.append(self._mark(value, answer, style))
        marks = _with_arithmetic(marks, values, answer)
        return tuple(self._with_nearest_values(marks, answer))

    def _mark(self, value: WrittenValue, answer: str, style: NumberStyle) -> Mark:
        """Return a value with its support.

        Several texts may state the same value by chance, so the least likely
        coincidence is tried first. Each step below is weaker than the one above it.
        """
        words = self._words_around(value, answer)

        # 1. A line of a cited file. Lines that a citation quotes are searched first.
        match = self._best_match(value, self.quoted, words)
        if match is None:
            match = self._best_match(value, self._sources_by_citation, words)
        if match is not None and match.is_cited:
            return Mark(value, "found", match.place, match.note)

        # 2. The question, and then a line whose words fit.
        if is_stated(value, self._given.question_sources, self._question_budget):
            return Mark(value, "given")
        if match is not None and match.is_sure:
            return Mark(value, "found", match.place, match.note)

        # 3. A computation, and then a line that may state the same value by chance.
        computation = self.computations.describe(value, answer, style)
        if computation is not None:
            return Mark(value, "computed", None, computation)
        if match is not None:
            return Mark(value, "found", match.place, match.note)

        # 4. The clock, rules, and names of files.
        if is_stated(value, self._given.sources_for(value), self._given_budget):
            return Mark(value, "given")

        # 5. A file that the trial wrote itself: the answer may report its current content.
        written = self._best_match(value, self.written, words)
        if written is not None:
            return Mark(value, "written", written.place, written.note)
        return Mark(value, "unverified")

    @cached_property
    def computations(self) -> Computations:
        return Computations(
            self.steps,
            self.function_results,
            self.query_results,
            self.sources,
            self._given,
        )

    @cached_property
    def _given(self) -> GivenTexts:
        return GivenTexts(self.question, self.context_texts, self.names)

    @cached_property
    def _sources_by_citation(self) -> list[Source]:
        """All sources, with the cited ones first."""
        cited = [source for source in self.sources if source.path in self.cited]
        others = [source for source in self.sources if source.path not in self.cited]
        return cited + others

    def _words_around(self, value: WrittenValue, answer: str) -> frozenset[str]:
        """Return the words near a value in the answer and those of the question,
        without the value itself and very common words."""
        near_text = answer[max(value.start - NEAR_CHARS, 0) : value.end + NEAR_CHARS]
        words = distinctive_words(f"{near_text}\n{self.question}")
        return words - distinctive_words(value.text) - BOILERPLATE

    def _best_match(
        self, value: WrittenValue, sources: Sequence[Source], words: frozenset[str]
    ) -> _BestMatch | None:
        """Return the line that states a value and shares most words with the text
        around it.

        Of equal ones, a line of a cited file wins, and then the first. The place is
        left out if several lines state the value and none shares a word.
        """
        matches = find_matches(value, sources, self._file_budget)
        if not matches:
            return None
        best = matches[0]
        best_rank = self._rank(best, words)
        for match in matches[1:]:
            rank = self._rank(match, words)
            if rank > best_rank:
                best = match
                best_rank = rank

        shares_words = best_rank.shared_words > 0
        is_only_place = len({match.place for match in matches}) == 1
        note = best.agreement.note
        if not shares_words and not is_only_place:
            return _BestMatch(place=None, note=note, is_cited=False, is_sure=False)
        is_cited = best.source.path in self.cited
        is_sure = shares_words or is_cited
        return _BestMatch(best.place, note, is_cited, is_sure)

    def _rank(self, match: Match, words: frozenset[str]) -> _Rank:
        """Return how well a line and its heading fit the words around a value."""
        text = f"{match.source.rows.heading_of(match.line)}\n{match.source.lines[match.line]}"
        # If this is too long, only its end is read: the line itself, without the
        # heading.
        line_words = distinctive_words(text[-bounds.MOST_LINE_CHARS :])
        return _Rank(len(words & line_words), match.source.path in self.cited)

    def _with_nearest_values(self, marks: Sequence[Mark], answer: str) -> list[Mark]:
        """Return the marks. The first unverified ones get a note: `nearest: 470`."""
        completed: list[Mark] = []
        searches = 0
        for mark in marks:
            if mark.support == "unverified" and searches < MAX_NEAREST:
                searches += 1
                words = self._words_around(mark.value, answer)
                nearest = nearest_value(mark.value, words, self._sources_by_citation)
                if nearest is not None:
                    note = f"nearest: {nearest.value.text}"
                    completed.append(replace(mark, place=nearest.place, note=note))
                    continue
            completed.append(mark)
        return completed


@dataclass(frozen=True, slots=True, order=True)
class _Rank:
    """How well a line fits; shared words count first."""

    shared_words: int
    is_cited: bool


# Arithmetic in the answer


def _with_arithmetic(
    marks: Sequence[Mark], values: Sequence[WrittenValue], answer: str
) -> list[Mark]:
    """Mark results of an answer's own arithmetic as computed: 770 in `300 + 470 = 770`.

    All operands must be supported: found, given, or the result of an earlier
    calculation. A value is identified by its `start`, its offset in the answer.
    """
    supported_starts = {
        mark.value.start for mark in marks if mark.support != "unverified"
    }
    for value in values:
        if needs_no_support(value, answer):
            supported_starts.add(value.start)

    calculations_by_start: dict[int, ShownResult] = {}
    for calculation in shown_results(answer, values):
        operand_starts = {operand.start for operand in calculation.operands}
        if calculation.is_right and operand_starts <= supported_starts:
            result_start = calculation.result.start
            calculations_by_start[result_start] = calculation
            supported_starts.add(result_start)

    marked: list[Mark] = []
    for mark in marks:
        if mark.support == "unverified":
            marked.append(_mark_of_result(mark, calculations_by_start))
        else:
            marked.append(mark)
    return marked


def _mark_of_result(
    mark: Mark, calculations_by_start: Mapping[int, ShownResult]
) -> Mark:
    """Return a mark as computed if its value is a result, or a rounded one: `about 26
    %` for 25.9 %.

    Otherwise, return it as it is.
    """
    own_calculation = calculations_by_start.get(mark.value.start)
    if own_calculation is not None:
        return Mark(
            mark.value, "computed", None, f"in the answer: {own_calculation.text}"
        )
    for calculation in calculations_by_start.values():
        if _is_rounded_result(mark.value, calculation.result):
            return Mark(
                mark.value, "computed", None, f"rounded from {calculation.result.text}"
            )
    return mark


def _is_rounded_result(value: WrittenValue, result: WrittenValue) -> bool:
    """Return True if a value is a computed result with fewer decimals: `about 26 %` for
    25.9 %."""
    are_numbers = value.kind is Kind.NUMBER and result.kind is Kind.NUMBER
    if not are_numbers or result.decimals <= value.decimals:
        return False
    # The unit may be left out, and a share such as 0.259 may be stated in percent.
    if value.unit not in ("", result.unit, "%"):
        return False
    exact = amount_of(result)
    return exact is not None and is_rounded(value, exact)


# From the evidence of a trial


def marker_of(
    evidence: Evidence,
    question: str,
    cited: Iterable[str],
    context_texts: Sequence[str],
    steps: Sequence[ScriptRun],
) -> ValueMarker:
    """Return a marker for the answer of a trial, from the record of what it read and
    wrote.

    `context_texts` are given texts such as the clock. `steps` are the trial's scripts,
    with what they printed and stored.
    """
    texts = _texts_of_environment(evidence)

    # The lines that citations quote.
    quoted: list[Source] = []
    for source in texts.sources:
        for quotation in evidence.quoted.get(source.path, ()):
            quoted += source.quoted_parts(quotation)

    # The names of all files and folders that were accessed or listed.
    names = list(evidence.directories)
    for paths in evidence.paths_by_spelling.values():
        names += paths

    cited_paths = frozenset(cited)
    return ValueMarker(
        texts.sources,
        question,
        context_texts,
        names="\n".join(names),
        steps=steps,
        function_results=evidence.function_results,
        query_results=texts.query_results,
        cited=cited_paths,
        quoted=quoted,
        written=_written_files(evidence, cited_paths),
    )


@dataclass(frozen=True, slots=True)
class _TextsOfEnvironment:
    """The texts that the environment gave to a trial."""

    sources: list[Source]
    """Files and parts of files, whole files first."""
    query_results: list[Source]
    """Results of queries and tools, which have no lines in a file."""


def _texts_of_environment(evidence: Evidence) -> _TextsOfEnvironment:
    """Return the texts that the environment gave. A text that a script may have written
    itself is no proof of a value and is left out."""
    whole_files: list[Source] = []
    excerpts: list[Source] = []
    query_results: list[Source] = []
    for access in evidence.accesses.values():
        for seen in access.given_texts:
            may_be_written_by_script = not seen.is_proof
            if may_be_written_by_script:
                continue
            source = Source(access.path, seen.text, LineNumbers(tuple(seen.lines)))
            has_lines_in_file = source.line_numbers != UNKNOWN_NUMBERS
            if not has_lines_in_file:
                query_results.append(source)
            elif seen.is_excerpt:
                excerpts.append(source)
            else:
                whole_files.append(source)
    return _TextsOfEnvironment(whole_files + excerpts, query_results)


def _written_files(evidence: Evidence, cited: frozenset[str]) -> list[Source]:
    """Return the cited files that the trial wrote, with the last text that it wrote.

    A file that was deleted afterwards, or has its first text again, is left out.
    """
    last_action_by_path = {
        change.path: change.action for change in evidence.present_changes
    }
    sources: list[Source] = []
    for path, action in last_action_by_path.items():
        access = evidence.accesses.get(path)
        if action != "write" or path not in cited or access is None:
            continue
        written_texts: list[str] = []
        for seen in access.seen:
            may_be_written_by_script = not seen.is_proof
            if may_be_written_by_script and seen.is_whole:
                written_texts.append(seen.text)
        if written_texts:
            sources.append(Source(path, written_texts[-1]))
    return sources


# Values that two texts share


def states_value(text: str, value: WrittenValue) -> bool:
    """Return True if a text states a value, in any spelling."""
    return is_stated(value, [_source_of(text)], LineBudget())


@lru_cache(maxsize=8)
def _source_of(text: str) -> Source:
    """Return a text as a source. Many values are compared with the same text, one after
    another."""
    return Source("", text)


def values_reported(text: str, other_text: str | None = None) -> list[str]:
    """Return the values of a text as they are written, except quotations.

    With `other_text`, return only those that it states too: `1,250` if it has
    `1250.00`.
    """
    reported: list[str] = []
    for value in answer_values(text):
        is_left_out = other_text is not None and not states_value(other_text, value)
        if value.kind is not Kind.QUOTATION and not is_left_out:
            reported.append(value.text)
    return reported
