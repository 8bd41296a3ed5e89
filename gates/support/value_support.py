"""What supports each value of an answer: a text that was read, a computation, the question, or
nothing.

Values are compared, names and sentences are not. A place is named only where the value stands in
one place, or the words around it tell it from the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias

import re2

from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import encodable
from controlplane.gates.support.answer_arithmetic import SpelledResult, spelled_results
from controlplane.gates.support.script_origins import Script, trace_scripts
from controlplane.gates.support.sources import Place, Source, distinctive_words
from controlplane.gates.support.value_equality import (
    amount_of,
    is_rounded,
    is_year,
    search_digits,
    support_note,
)
from controlplane.gates.text_folding import BOILERPLATE
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

Support: TypeAlias = Literal["found", "computed", "given", "unverified"]

MOST_UNMARKED: Final = 12
"""A whole number without a unit up to it may count what the answer lists, and is not marked."""
NEAR_CHARS: Final = 160
"""Characters around a value in an answer whose words are compared with those around its places."""
MOST_PLACES: Final = 20
"""Places of one value among which the best one is chosen."""
MOST_LINES: Final = 30_000
"""Lines of files that are compared with the values of one answer, and as many lines that scripts
and functions returned."""
COST_OF_READING: Final = 10
"""What a line whose values must be read first counts for: dozens of patterns look at it."""
MOST_NEAR_LINES: Final = 40
"""Lines among which the value nearest to an unverified one is looked for."""
MOST_NEAREST: Final = 8
"""Unverified values of one answer for which the nearest value is looked for."""
NO_HEADING: Final = " "
"""The heading of a text whose first line says nothing about the others."""
MOST_SHOWN_LINES: Final = 6
"""Numbers of lines that a note shows."""
MOST_SHOWN_EXPRESSIONS: Final = 3
"""Expressions of one script that are shown, if nothing tells which of them gave a value."""
_FENCE: Final = re2.compile(r"(?ms)^[ \t]*(?:```.*?(?:^[ \t]*```|\z)|~~~.*?(?:^[ \t]*~~~|\z))")
_ITEM_NUMBER_END: Final = (". ", ") ")


@dataclass(frozen=True, slots=True)
class Mark:
    """One value of an answer, with what supports it."""

    value: WrittenValue
    support: Support
    place: Place | None = None
    """Where it was found; None also if it stands in several places that nothing tells apart. Of
    an unverified value, where the nearest one stands."""
    note: str = ""
    """How the value stands there if that differs (`rounded from 6.545`), what it was computed
    from, or the nearest value of an unverified one."""


@dataclass(slots=True)
class LineBudget:
    """The lines that may still be compared with the values of one answer.

    A value whose lines are beyond it stays unverified: an answer is judged in seconds, whatever
    was read and printed.
    """

    remaining: int = MOST_LINES

    def allows(self, source: Source, line: int) -> bool:
        """Say whether a line may be looked at, and count it."""
        if self.remaining <= 0:
            return False
        self.remaining -= 1 if source.is_read(line) else COST_OF_READING
        return True


@dataclass(frozen=True, slots=True)
class _Match:
    """A line that states a value."""

    source: Source
    line: int
    note: str

    @property
    def place(self) -> Place:
        return self.source.place(self.line)


def answer_values(answer: str) -> list[WrittenValue]:
    """Return the values of the first 20,000 characters of an answer, but citation marks and code
    blocks."""
    text = encodable(answer[: bounds.MOST_COMPARED_CHARS])
    text = _FENCE.sub(lambda fence: "\n" * len(fence[0]), text)
    return [value for value in written_values(text) if not _is_citation_mark(value, text)]


def _is_citation_mark(value: WrittenValue, text: str) -> bool:
    """Say whether a number is a mark such as `[4]`."""
    is_short = value.kind is Kind.NUMBER and len(value.text) < 4
    return (
        is_short
        and text[value.start - 1 : value.start] == "["
        and text[value.end : value.end + 1] == "]"
    )


@lru_cache(maxsize=8)
def _source_of(text: str) -> Source:
    """Return a text as a source. Many reasons are compared with the same text, one after another."""
    return Source("", text)


@dataclass(eq=False)
class ValueMarker:
    """What a trial read and computed, against which the values of its answer are marked."""

    sources: Sequence[Source]
    question: str = ""
    given_texts: Sequence[str] = ()
    """Other texts that give a value without a place: the clock, rules."""
    names: str = ""
    """Paths and names of files, which support ids and quotations only."""
    steps: Sequence[tuple[str, str]] = ()
    """The scripts, each with what it printed and stored."""
    function_results: Sequence[tuple[str, str]] = ()
    """Arguments and values of what functions of the benchmark returned."""
    query_results: Sequence[Source] = ()
    """Results of queries and tools, which have no line in a file."""
    cited: frozenset[str] = frozenset()
    quoted: Sequence[Source] = ()
    """The lines that citations quote: a value is looked for in them first."""
    file_lines: LineBudget = field(default_factory=LineBudget)
    printed_lines: LineBudget = field(default_factory=LineBudget)
    """Lines that scripts printed, and those of results of functions and queries."""
    input_lines: LineBudget = field(default_factory=LineBudget)
    """Lines that are compared with the numbers of scripts."""
    question_lines: LineBudget = field(default_factory=LineBudget)
    given_lines: LineBudget = field(default_factory=LineBudget)
    """Lines of other given texts and of names."""
    script_texts: dict[tuple[int, NumberStyle], ScriptTexts] = field(default_factory=dict)
    _script_inputs: dict[int, str | None] = field(default_factory=dict)

    def marks(self, answer: str) -> tuple[Mark, ...]:
        """Return the values of an answer in their order, each with what supports it."""
        values = answer_values(answer)
        marks = []
        for value in values:
            if not _is_count(value, answer):
                marks.append(self._mark(value, answer))
        marks = self._with_spelled_results(answer, values, marks)
        return tuple(self._with_nearest_values(marks, answer))

    def _mark(self, value: WrittenValue, answer: str) -> Mark:
        """Look a value up where it most likely comes from first."""
        words = self._words_around(value, answer)
        match = self._best_match(self._matches(value, self.quoted, self.file_lines), words)
        if match is None:
            read_matches = self._matches(value, self._sources_by_citation, self.file_lines)
            match = self._best_match(read_matches, words)
        is_cited = match is not None and match.place is not None and match.place.path in self.cited
        if not is_cited and self._states(value, self._question_sources, self.question_lines):
            return Mark(value, "given")  # a file that is not cited may state it by chance
        if match is not None and (is_cited or match.is_sure):
            return Mark(value, "found", match.place, match.note)
        computation = self._computation_of(value, number_style_of(normalize_text(answer).text))
        if computation is not None:
            return Mark(value, "computed", None, computation)
        if match is not None:
            return Mark(value, "found", match.place, match.note)
        if self._states(value, self._given_sources(value), self.given_lines):
            return Mark(value, "given")
        return Mark(value, "unverified")

    def is_stated(self, value: WrittenValue, text: str) -> bool:
        """Say whether a text states a value, in any spelling."""
        return self._states(value, [_source_of(text)], LineBudget())

    # Found

    @cached_property
    def _sources_by_citation(self) -> list[Source]:
        return sorted(self.sources, key=lambda source: source.path not in self.cited)

    def _matches(
        self, value: WrittenValue, sources: Iterable[Source], budget: LineBudget
    ) -> list[_Match]:
        """Return the first lines that state a value: equal ones, or else those from which it is
        rounded."""
        equal: list[_Match] = []
        rounded: list[_Match] = []
        for source in sources:
            for match in self._matches_in(source, value, budget):
                if match.note.startswith("rounded"):
                    rounded.append(match)
                else:
                    equal.append(match)
                if len(equal) >= MOST_PLACES:
                    return equal
        return equal or rounded[:MOST_PLACES]

    def _matches_in(
        self, source: Source, value: WrittenValue, budget: LineBudget
    ) -> Iterator[_Match]:
        if value.kind is Kind.QUOTATION:
            line = _line_of_quotation(source, value)
            if line is not None:
                yield _Match(source, line, "")
            return
        for line in _candidate_lines(source, value):
            if not budget.allows(source, line):
                return
            for found in source.values_of(line):
                note = support_note(value, found, source, line)
                if note is not None:
                    yield _Match(source, line, note)
                    break

    def _states(self, value: WrittenValue, sources: Iterable[Source], budget: LineBudget) -> bool:
        """Say whether one of several texts states a value."""
        return bool(self._matches(value, sources, budget))

    def _best_match(self, matches: Sequence[_Match], words: frozenset[str]) -> _ChosenMatch | None:
        """Return the match whose line shares most words with those around a value."""
        if not matches:
            return None
        best = matches[0]
        best_rank = (-1, False)
        for match in matches:
            line_text = f"{match.source.heading_of(match.line)}\n{match.source.lines[match.line]}"
            shared = len(words & distinctive_words(line_text[-bounds.MOST_LINE_CHARS :]))
            rank = (shared, match.source.path in self.cited)
            if rank > best_rank:
                best = match
                best_rank = rank
        places = {match.place for match in matches}
        shares_words = best_rank[0] > 0
        is_alone = len(places) == 1
        place = best.place if shares_words or is_alone else None
        is_cited = best.source.path in self.cited
        return _ChosenMatch(place, best.note, shares_words or (is_cited and is_alone))

    def _words_around(self, value: WrittenValue, answer: str) -> frozenset[str]:
        around = answer[max(value.start - NEAR_CHARS, 0) : value.end + NEAR_CHARS]
        words = distinctive_words(f"{around}\n{self.question}")
        return words - distinctive_words(value.text) - BOILERPLATE

    # Given

    @cached_property
    def _question_sources(self) -> list[Source]:
        return [Source("", self.question)]

    @cached_property
    def _given_text_sources(self) -> list[Source]:
        return [Source("", text) for text in self.given_texts]

    @cached_property
    def _name_sources(self) -> list[Source]:
        return [Source("", self.names)]

    def _given_sources(self, value: WrittenValue) -> list[Source]:
        """Return the texts that may give a value; a name of a file gives ids and quotations
        alone."""
        if value.kind in _NAMING_KINDS or is_year(value):
            return self._given_text_sources + self._name_sources
        return self._given_text_sources

    # Computed

    @cached_property
    def _returned_texts(self) -> list[_ReturnedText]:
        """The arguments and the result of each call of a function."""
        texts = []
        for arguments, result in self.function_results:
            texts.append(_ReturnedText(Source("", arguments), Source("", result)))
        return texts

    @cached_property
    def _scripts(self) -> list[Script]:
        return trace_scripts(self.steps)

    def _computation_of(self, value: WrittenValue, style: NumberStyle) -> str | None:
        """Return what a value was computed from, in words; None if the trial did not compute it."""
        budget = self.printed_lines
        for query in self.query_results:
            if self._states(value, [query], budget):
                return self._query_text(query.path)
        for returned in self._returned_texts:
            if self._states(value, [returned.arguments], budget):
                continue
            if self._states(value, [returned.result], budget):
                return "by a function"
        for script in self._scripts:
            texts = self._texts_of(script, style)
            if self._states(value, [texts.literals], budget):
                return None  # the script states it, whatever it prints
            if self._states(value, texts.outputs, budget):
                inputs = self._known_inputs_of(script)
                if inputs is not None:
                    return inputs
        return None

    def _texts_of(self, script: Script, style: NumberStyle) -> ScriptTexts:
        """Return a script's texts, which all values of an answer are compared with."""
        key = (id(script), style)
        if key not in self.script_texts:
            self.script_texts[key] = _script_texts(script, style)
        return self.script_texts[key]

    def _known_inputs_of(self, script: Script) -> str | None:
        """Return the inputs of a script, which are looked up once."""
        if id(script) not in self._script_inputs:
            self._script_inputs[id(script)] = self._inputs_of(script)
        return self._script_inputs[id(script)]

    def _inputs_of(self, script: Script) -> str | None:
        """Return the supported inputs of a script's printed expressions, in words.

        None if one of the expressions is computed from anything else: nothing tells which of them
        gave a value.
        """
        paths: list[str] = []
        numbers: list[str] = []
        computations: list[str] = []
        for expression in script.expressions:
            if expression.is_literal:
                continue
            origins = expression.origins
            if not self._are_supported(origins.numbers):
                return None
            if not origins.reads_environment and not origins.numbers:
                continue  # a text without numbers
            computations.append(expression.text)
            paths += origins.paths
            numbers += origins.numbers
        if not computations:
            return None
        inputs = self._inputs_text(list(dict.fromkeys(paths)), list(dict.fromkeys(numbers)))
        shown = "; ".join(list(dict.fromkeys(computations))[:MOST_SHOWN_EXPRESSIONS])
        return f"= {shown}, from {inputs}" if inputs else f"= {shown}"

    def _query_text(self, path: str) -> str:
        """Return the call that gave the result of a query, or the path of the result."""
        for script in self._scripts:
            for call in script.path_calls:
                if path and call.path == path:
                    return f"= {call.text}"
        return f"by {path or 'a query'}"

    def _are_supported(self, numbers: Iterable[str]) -> bool:
        """Say whether every number of a script's literals stands in what was read or asked."""
        for number in numbers:
            values = written_values(number)
            for value in values:
                sources = [*self._question_sources, *self.sources, *self._given_sources(value)]
                if not self._states(value, sources, self.input_lines):
                    return False
        return True

    def _inputs_text(self, paths: Sequence[str], numbers: Sequence[str]) -> str:
        parts: list[str] = []
        for path in paths:
            rows = self._rows_of(path)
            if rows:
                shown = ", ".join(map(str, rows[:MOST_SHOWN_LINES]))
                more = " and more" if len(rows) > MOST_SHOWN_LINES else ""
                parts.append(f"{len(rows)} rows of {path}, lines {shown}{more}")
            else:
                parts.append(path)
        parts += numbers
        return "; ".join(parts)

    def _rows_of(self, path: str) -> list[int]:
        """Return the lines of the rows that a query of a table returned, without the heading."""
        for source in self.sources:
            if source.path == path and len(source.line_numbers) > 1:
                return list(source.line_numbers[1:])
        return []

    def _with_spelled_results(
        self, answer: str, values: Sequence[WrittenValue], marks: list[Mark]
    ) -> list[Mark]:
        """Mark results of arithmetic in the answer as computed if each of its operands is
        supported."""
        supported = {mark.value.start for mark in marks if mark.support != "unverified"}
        supported.update(value.start for value in values if _is_count(value, answer))
        computed: dict[int, SpelledResult] = {}
        for spelled in spelled_results(answer, values):
            operands = {operand.start for operand in spelled.operands}
            if spelled.is_right and operands <= supported:
                computed[spelled.result.start] = spelled
                supported.add(spelled.result.start)
        marked: list[Mark] = []
        for mark in marks:
            if mark.support == "unverified":
                mark = _mark_as_computed(mark, computed)
            marked.append(mark)
        return marked

    # The nearest value of an unverified one

    def _with_nearest_values(self, marks: Sequence[Mark], answer: str) -> Iterator[Mark]:
        """Yield marks; the first unverified ones name the nearest value."""
        unverified = 0
        for mark in marks:
            if mark.support == "unverified" and unverified < MOST_NEAREST:
                unverified += 1
                yield self._with_nearest(mark, answer)
            else:
                yield mark

    def _with_nearest(self, mark: Mark, answer: str) -> Mark:
        """Return the mark of an unverified value with the nearest value of its kind, and its
        place."""
        words = self._words_around(mark.value, answer)
        nearest: WrittenValue | None = None
        nearest_place: Place | None = None
        least_distance = float("inf")
        for source, line in self._lines_sharing_words(words):
            for found in source.values_of(line):
                distance = _distance(mark.value, found)
                if distance < least_distance:
                    nearest = found
                    nearest_place = source.place(line)
                    least_distance = distance
        if nearest is None:
            return mark
        return replace(mark, place=nearest_place, note=f"nearest: {nearest.text}")

    def _lines_sharing_words(self, words: frozenset[str]) -> list[tuple[Source, int]]:
        """Return the lines that share most words with those around a value, of cited sources
        first."""
        ranked: list[tuple[int, int, Source, int]] = []
        looked_at = 0
        for source in self._sources_by_citation:
            for line, text in enumerate(source.lines):
                looked_at += 1
                if looked_at > MOST_LINES:
                    break
                shared = len(words & distinctive_words(text[: bounds.MOST_LINE_CHARS]))
                if shared:
                    ranked.append((-shared, looked_at, source, line))
        ranked.sort(key=lambda entry: entry[:2])
        return [(source, line) for _, _, source, line in ranked[:MOST_NEAR_LINES]]


@dataclass(frozen=True, slots=True)
class _ChosenMatch:
    """The place that fits a value best."""

    place: Place | None
    note: str
    is_sure: bool
    """True if words around the value are there, too, or a cited file states it once."""


_NAMING_KINDS: Final = frozenset(
    {Kind.ID, Kind.QUOTATION, Kind.URL, Kind.MAIL, Kind.DATE, Kind.MONTH}
)
"""Kinds of values that the name of a file may be: it gives no amounts and no times."""


def _candidate_lines(source: Source, value: WrittenValue) -> Iterator[int]:
    """Yield the lines of a text that may state a value, each once."""
    yielded: set[int] = set()
    for digits in search_digits(value):
        for line in source.lines_with(digits):
            if line not in yielded:
                yielded.add(line)
                yield line
    if value.kind is Kind.NUMBER:
        for line in source.lines_with_numerals:
            if line not in yielded:
                yield line


@dataclass(frozen=True, slots=True)
class _ReturnedText:
    """A call of a function: what it was asked and what it returned."""

    arguments: Source
    result: Source


@dataclass(frozen=True, slots=True)
class ScriptTexts:
    """A script's literals and its output, as texts in which values are looked up."""

    literals: Source
    outputs: list[Source]


def _script_texts(script: Script, style: NumberStyle) -> ScriptTexts:
    """Return a script's texts; its output is read as Python prints numbers and as the answer
    writes them."""
    literals = Source("", "\n".join(script.literals), heading=NO_HEADING)
    outputs = [
        Source("", script.output, heading=NO_HEADING, style=output_style)
        for output_style in (NumberStyle("."), style)
    ]
    return ScriptTexts(literals, outputs)


def _line_of_quotation(source: Source, value: WrittenValue) -> int | None:
    """Return the line on which a quotation begins if all of its parts, which `…` separates, are
    in a text."""
    first_line: int | None = None
    for part in value.text.replace("...", "…").split("…"):
        wanted = part.strip(" .,;:!?[]")
        if not wanted:
            continue
        line = source.line_of_quotation(wanted)
        if line is None:
            return None
        if first_line is None:
            first_line = line
    if value.unit == "code" and value.text not in source.text:
        return None
    return first_line


def _mark_as_computed(mark: Mark, computed: Mapping[int, SpelledResult]) -> Mark:
    """Return the mark of a value that the answer computes, or of one that rounds such a result."""
    spelled = computed.get(mark.value.start)
    if spelled is not None:
        return Mark(mark.value, "computed", None, f"in the answer: {spelled.text}")
    for other in computed.values():
        is_finer = other.result.decimals > mark.value.decimals
        is_alike = mark.value.kind is Kind.NUMBER and mark.value.unit in (
            "",
            other.result.unit,
            "%",
        )
        amount = amount_of(other.result) if is_finer and is_alike else None
        if amount is not None and is_rounded(mark.value, amount):
            return Mark(mark.value, "computed", None, f"rounded from {other.result.text}")
    return mark


def _is_count(value: WrittenValue, answer: str) -> bool:
    """Say whether a number may count what the answer lists, or numbers an item of a list."""
    if value.kind is not Kind.NUMBER or value.unit or not value.text.isdecimal():
        return False
    if len(value.canonical) < 3 and int(value.canonical) <= MOST_UNMARKED:
        return True
    line_start = answer.rfind("\n", 0, value.start) + 1
    begins_line = not answer[line_start : value.start].strip()
    return begins_line and answer[value.end : value.end + 2] in _ITEM_NUMBER_END


def _distance(value: WrittenValue, found: WrittenValue) -> float:
    """Return how far a found value is from another one; infinite if they cannot be mistaken for
    each other."""
    if found.kind is not value.kind:
        return float("inf")
    if value.kind is Kind.NUMBER:
        first = amount_of(value)
        second = amount_of(found)
        if first is None or second is None:
            return float("inf")
        size = max(abs(first), abs(second), Fraction(1))
        unit_penalty = 0 if found.unit == value.unit else 1
        return float(abs(first - second) / size) + unit_penalty
    shared = 0
    for own, other in zip(value.canonical, found.canonical, strict=False):
        if own != other:
            break
        shared += 1
    return max(len(value.canonical), len(found.canonical)) - shared


def marker_of(
    evidence: Evidence,
    question: str,
    cited: Iterable[str],
    given_texts: Sequence[str],
    steps: Sequence[tuple[str, str]],
) -> ValueMarker:
    """Return what the evidence of a trial holds. `steps` are its scripts, each with what it
    printed and stored."""
    sources: list[Source] = []
    excerpts: list[Source] = []
    query_results: list[Source] = []
    for access in evidence.accesses.values():
        for seen in access.given_texts:
            if not seen.is_proof:
                continue
            if not seen.lines:
                query_results.append(Source(access.path, seen.text, ()))
            elif seen.is_excerpt:
                excerpts.append(Source(access.path, seen.text, seen.lines))
            else:
                sources.append(Source(access.path, seen.text, seen.lines))
    sources += excerpts
    quoted: list[Source] = []
    for source in sources:
        for quotation in evidence.quoted.get(source.path, ()):
            quoted += source.quoted_parts(quotation)
    paths = [path for spellings in evidence.paths_by_spelling.values() for path in spellings]
    return ValueMarker(
        sources,
        question,
        given_texts,
        names="\n".join([*evidence.directories, *paths]),
        steps=steps,
        function_results=[(result.arguments, result.value) for result in evidence.function_results],
        query_results=query_results,
        cited=frozenset(cited),
        quoted=quoted,
    )


def values_reported(text: str, other_text: str | None = None) -> list[str]:
    """Return the values of a text but quotations; with another text, those that it states in any
    spelling."""
    reported: list[str] = []
    for value in answer_values(text):
        if value.kind is Kind.QUOTATION:
            continue
        if other_text is None or ValueMarker(()).is_stated(value, other_text):
            reported.append(value.text)
    return reported
