"""The facts of an answer to a question about files, read from its journal; `ask` shows them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import re2

from controlplane.agent.events import CallRecord, Citation
from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.reply.unusable_reply import PROSE, without_thoughts
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker, marker_of
from controlplane.gates.text_folding import encodable, parts_of, tokens_of
from controlplane.gates.trial import Change, ScriptRun
from controlplane.gates.values.notations import locale_names
from controlplane.gates.values.spans import ValueKind
from controlplane.gates.values.written_values import written_values
from controlplane.journal.journal_reader import Journal
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.sandbox.interface import ToolSchema, bounds
from controlplane.sandbox.interface.outcomes import OutcomeKind

# Whether a question asks for a certain version of a file, by a time or a number in the file's name.
#
# Files of which there are versions are named like `fees-2025.csv` or `plan-v2.md`. Who asks for the fees in
# 2025 means the older file, and needs no hint at a newer one.

_NO_NAME_CHAR: Final = r"[^0-9A-Za-z]"
_PERIOD: Final = re2.compile(
    rf"(?:^|{_NO_NAME_CHAR})"
    r"((?:19|20)\d\d)"  # 2026
    r"(?:[-_.]?([01]\d))?"  # -03: the month
    r"(?:[-_.]?([0-3]\d))?"  # -12: the day
    rf"(?:{_NO_NAME_CHAR}|$)"
)
"""A year in a file's name, possibly with a month and a day: `2026`, `2026-03`, `20260312`."""
_VERSION_NUMBER: Final = re2.compile(
    rf"(?:^|{_NO_NAME_CHAR})"
    r"([vV]\d+(?:\.\d+)*)"  # v1.4
    r"(?:\.[A-Za-z]|[^0-9A-Za-z.]|$)"  # the file's ending, or another sign
)
"""A version number in a file's name: `v2` in `plan-v2.md`, `v1.4` in `plan v1.4 draft.md`."""
_TIMES: Final = (ValueKind.DATE, ValueKind.MONTH)
"""The kinds of values that name a time, written as `2026-03-12`, `2026-03` or `--03-12`."""


def _is_asked_for(path: str, question: str) -> bool:
    """Return True if a question names the time or the version number in a file's name.

    question                       file                  result
    What does v2 of the plan say?  plan-v2.md            True
    What were the fees in 2025?    fees-2025.csv         True
    Who paid in March 2025?        fees-2025-03.csv      True
    Who paid in March?             fees-2025-03.csv      True: of any year
    Who paid in March 2026?        fees-2025-03.csv      False
    """
    file_name = encodable(path.rpartition("/")[2])
    version = _VERSION_NUMBER.search(file_name)
    if version is not None and version[1].casefold() in tokens_of(question):
        return True
    period = _PERIOD.search(file_name)
    if period is None:
        return False
    year_month_day = [part for part in period.groups() if part]
    return _names_period(question, year_month_day)


def _names_period(question: str, parts: Sequence[str]) -> bool:
    """Return True if a question names a time in a file's period, or at least its month.

    `parts` are the year and, if the file's name has them, month and day: `["2026", "03"]`.
    """
    period = "-".join(parts)
    values = list(written_values(question))

    # 1. The year, read as a number, or a time in the period: `2026-03-12` in `2026-03`
    numbers = [value.canonical for value in values if value.kind is ValueKind.NUMBER]
    times = [value.canonical for value in values if value.kind in _TIMES]
    if period in numbers or any(time.startswith(period) for time in times):
        return True

    # 2. Only the month: "in March" asks for the file of March of any year. "On 12 March" is the
    #    time `--03-12`, which begins with `-` because it has no year.
    names_year = any(not time.startswith("-") for time in times)
    has_month = len(parts) > 1
    if names_year or not has_month:
        return False
    return int(parts[1]) in _months_named(question)


def _months_named(question: str) -> set[int]:
    """Return the months that a question names, in any of the known languages."""
    months = locale_names().months
    return {months[word] for word in parts_of(question.casefold()) if word in months}


# A path of a trial as the user would write it.

_TOOL_RESULTS: Final = "/mcp/"
"""The prefix of a path that belongs to the result of an MCP server's tool, not to a file."""


def shown_path(path: str, root: Path) -> str:
    """Return a path of the trial as the user would write it from the working folder.

    With the root `/home/me/notes` and the working folder `/home/me`, `/a/b.md` becomes
    `notes/a/b.md`. The path of a tool's result is not a file's path and is unchanged.
    """
    file = Path(f"{root}{path}")
    is_tool_result = path.startswith(_TOOL_RESULTS) and not file.exists()
    if is_tool_result or not path.startswith("/"):
        return path
    working_folder = Path.cwd()
    if file.is_relative_to(working_folder):
        return os.path.relpath(file, working_folder)
    return str(file)


def newer_versions(
    versions_of_files: object, cited: Collection[str], question: str
) -> dict[str, str]:
    """Return the newest version of each cited file, unless that is cited, too.

    Files that the question asks for, by a time or version number in their names, are left
    out. `versions_of_files` comes from a journal, so it may have any form. It should be a
    list like this one, with the newest version of each file first:

        [["/plan-v3.md", "/plan-v2.md"], ["/fees-2026.csv", "/fees-2025.csv"]]
    """
    newer = {}
    for versions in versions_of_files if isinstance(versions_of_files, list) else ():
        if not isinstance(versions, list) or not versions:
            continue
        newest, *older = map(str, versions)
        for path in older:
            is_cited = path in cited and newest not in cited
            if is_cited and not _is_asked_for(path, question):
                newer[path] = newest
    return newer


def _cited_paths(summary: TrialSummary) -> set[str]:
    """Return the paths that an answer cites, without their fragments."""
    return {ref.partition("#")[0] for ref in summary.refs}


def marker_of_trial(record: TrialRecord, summary: TrialSummary) -> ValueMarker:
    """Return a marker, which finds what supports each value in a trial's answer.

    Values can be supported by results of calls, by the trial's clock, and by what scripts
    computed.
    """
    now = record.started.now if record.started else ""
    clock = [now] if now else []
    scripts = [
        ScriptRun(step.code, step.output, step.scratchpad)
        for step in record.step_summaries
    ]
    return marker_of(
        evidence_of(record).view(),
        question=summary.instruction,
        cited=_cited_paths(summary),
        context_texts=clock,
        script_runs=scripts,
    )


def present_changes(record: TrialRecord) -> tuple[Change, ...]:
    """Return the changes of a trial that are still in effect at its end, by its recorded calls."""
    return evidence_of(record).view().present_changes


def evidence_of(record: TrialRecord) -> EvidenceLog:
    """Return what a trial's calls have shown to its scripts, rebuilt from the recorded calls."""
    tool_schema = ToolSchema(())
    instruction = ""
    if record.started:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
        instruction = record.started.instruction
    log = EvidenceLog(tool_schema, bounds.MOST_READ_BYTES)
    # Words that a script writes count as the model's own, unless they are in the question.
    log.add_given_text(instruction)
    for call in record.all_calls:
        if call.result is not None:
            log.add_call(call.decided_by(tool_schema))
    for citation in citations_by_scripts(record):
        log.add_citation(citation)
    return log


def citations_by_scripts(record: TrialRecord) -> list[Citation]:
    """Return all citations that scripts made, even those that are not in the answer."""
    by_step = [step.citations for step in record.step_summaries]
    return [*chain.from_iterable(by_step), *record.open_step.citations]


_ANSWERED: Final = "answered"
NOT_SAID: Final = "not_in_sources"
REFUSED: Final = "refused"
FALLBACK: Final = "no_accepted_answer"
_STATUS_OF_KIND: Final = {
    OutcomeKind.DONE: _ANSWERED,
    OutcomeKind.NOT_FOUND: NOT_SAID,
    OutcomeKind.UNCLEAR: NOT_SAID,
    OutcomeKind.REFUSED: REFUSED,
}
"""The status of an accepted answer, by the kind of its outcome. One that gave up counts as not
accepted."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a cited file that support the answer, as they were read; or a citation without any."""

    path: str
    """The cited path, as the user would write it."""
    line: int = 0
    """The number of the first line; 0 if it is unknown."""
    text: str = ""
    """The lines as they were read. Empty if neither a quotation nor a value of the answer leads there."""
    reason: str = ""
    """Why the file is cited, in the model's words, which no file need have."""


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """The answer to one question, with what supports it and what scripts did for it.

    `asked_answer` creates it from the journal. `ask` prints it, as text or as JSON.
    """

    summary: TrialSummary
    """The question's trial, with the text of the answer, the time and the costs."""
    root: Path
    """The folder with the user's files. Paths in the trial, such as `/a/b.md`, begin there."""
    status: str
    """`answered`, `not_in_sources`, `refused` or `no_accepted_answer`."""
    now: str
    """The time that scripts saw; empty if they had no clock."""

    # What supports the answer

    citations: tuple[Passage, ...]
    """The cited files, each with the lines that support the answer."""
    marks: tuple[Mark, ...]
    """The values in the answer, each with what supports it."""
    newer: dict[str, str]
    """The newest version of each cited file, unless that is cited, too. Paths are as the user writes
    them."""
    table_doubts: tuple[str, ...]
    """Remarks on tables that scripts may have misread, each with the table's path."""
    draft: str
    """What the model wrote, twice in a row, instead of a script, which ended the trial.

    It is unverified and was not submitted.
    """

    # What scripts did

    searched: tuple[str, ...]
    """What scripts searched for."""
    not_seen: str
    """The files that were left out or not searched, with the reasons."""
    unread: dict[str, str]
    """The documents that could not be read, by path, each with the reason."""
    document_notes: tuple[str, ...]
    """What the texts of documents do not show, such as cells that were left out."""
    read: dict[str, str]
    """The files that scripts read, by path, each with the hash of its text before any change."""
    changes: dict[str, str | None]
    """The files that scripts changed, by path, each with its new text; None for a deleted file."""
    changed: tuple[Change, ...]
    """What scripts changed: the files of `changes`, and what tools of MCP servers changed.

    A change that was taken back is left out.
    """
    servers: tuple[str, ...]
    """The MCP servers that scripts called."""

    @property
    def is_without_passages(self) -> bool:
        """True for an answer that no line of a cited file supports, and no computed value."""
        if self.status != _ANSWERED:
            return False
        has_passage = any(passage.text for passage in self.citations)
        is_supported = any(mark.support in ("found", "computed") for mark in self.marks)
        return not has_passage and not is_supported

    @property
    def exit_code(self) -> int:
        """0 for an accepted answer, else 1."""
        return 1 if self.status == FALLBACK else 0

    @property
    def cited(self) -> frozenset[str]:
        """The cited paths, as the trial spells them."""
        return frozenset(_cited_paths(self.summary))

    @property
    def reason(self) -> str:
        """The reason why no answer was accepted; empty if one was."""
        return self.summary.reason if self.status == FALLBACK else ""

    @property
    def overridden(self) -> list[str]:
        """The rules that objected to the answer, which was sent nevertheless."""
        if self.status == FALLBACK:
            return []
        return list(self.summary.overridden)


# The passages of an answer: the lines of the cited files that support it, as they were read.
#
# A script cites a file with a quotation, or with a reason in the model's own words. The lines of the
# quotation are shown, or else those that have a value of the answer, but never the reason as if
# it stood in the file.

_MOST_CITATIONS: Final = 200
_MOST_PASSAGES: Final = 5
"""Of one file, at most so many lines are shown that have values of the answer."""
_MOST_PASSAGE_CHARS: Final = 400
"""A longer line, such as that of a file without line breaks, is cut around what is sought in it."""


def _passages(
    summary: TrialSummary,
    record: TrialRecord,
    sources: Sequence[Source],
    marks: Sequence[Mark],
    root: Path,
) -> list[Passage]:
    """Return the passages of each cited file, or the file alone if nothing in it is found."""
    by_scripts = citations_by_scripts(record)
    passages: list[Passage] = []
    for cited_path in summary.refs[:_MOST_CITATIONS]:
        citations = [
            citation for citation in by_scripts if citation.spelling == cited_path
        ]
        file_path = cited_path.partition("#")[0]
        read = [source for source in sources if source.path == file_path]
        reason = citations[-1].reason if citations else ""
        path = shown_path(cited_path, root)

        of_file: dict[int | str, Passage] = {}
        by_quotation = {citation.quote: citation for citation in citations}
        for quotation, citation in by_quotation.items():
            if quotation:
                line, text = _quoted_lines(citation, read)
                passage = Passage(path, line, text, citation.reason)
                of_file.setdefault(line or text, passage)
        if not of_file:
            for line, text in _lines_of_values(marks, read):
                of_file[line] = Passage(path, line, text, reason)
        passages += of_file.values() or [Passage(path, reason=reason)]
    return passages


def _quoted_lines(citation: Citation, read: Sequence[Source]) -> tuple[int, str]:
    """Return the lines with a quotation, and the number of the first one, 0 if it is unknown."""
    for source in read:
        for part in source.quoted_parts(citation.quote):
            number = part.place(0).line
            if citation.line in (0, number) or not number:
                return number, _shortened(part.text, citation.quote)
    # It was checked when it was cited, in a text that is not kept by its lines.
    return citation.line, citation.quote


def _lines_of_values(
    marks: Sequence[Mark], read: Sequence[Source]
) -> list[tuple[int, str]]:
    """Return the lines of a file in which values of the answer were found, with their numbers."""
    lines: dict[int, str] = {}
    for mark in marks:
        if mark.support != "found" or mark.place is None or not mark.place.line:
            continue
        for source in read:
            index = source.index_of(mark.place.line)
            if source.path == mark.place.path and index is not None:
                text = _shortened(source.lines[index], mark.value.text)
                lines.setdefault(mark.place.line, text)
    return sorted(lines.items())[:_MOST_PASSAGES]


def _shortened(text: str, sought: str) -> str:
    """Return a text, or the part of a long one around what is sought in it."""
    if len(text) <= _MOST_PASSAGE_CHARS:
        return text
    start = max(text.find(sought) - _MOST_PASSAGE_CHARS // 4, 0)
    end = start + _MOST_PASSAGE_CHARS
    before = "…" if start else ""
    behind = "…" if end < len(text) else ""
    return f"{before}{text[start:end]}{behind}"


# What the calls of a question's trial show: what was searched, read, written and left out.

# The names of the operations in the calls of a question's trial.
_READ: Final = "read"
_WRITE: Final = "write"
_DELETE: Final = "delete"
_TABLE: Final = "table"
_SOURCES: Final = "sources"
"""Describes the files of the question: which are versions of one file, and which are left out."""
_WORDS_ARGUMENT: Final = {"search": "pattern", "passages": "words", "find": "name"}
"""The operations that search, each with the argument that holds the searched text."""


def _searched_words(calls: Sequence[CallRecord]) -> tuple[str, ...]:
    """Return what scripts searched for, without duplicates."""
    searched: dict[str, None] = {}
    for call in calls:
        argument = _WORDS_ARGUMENT.get(call.operation)
        # Of a call for the trial's first message, `shown_chars` counts what the message shows.
        is_made_by_script = call.shown_chars is None
        if argument is not None and call.result and is_made_by_script:
            searched[str(call.arguments[argument])] = None
    return tuple(searched)


def _written_texts(calls: Sequence[CallRecord]) -> dict[str, str | None]:
    """Return the last text of each written file, and None for each deleted file."""
    texts: dict[str, str | None] = {}
    for call in calls:
        if call.result is None:
            continue
        if call.operation == _WRITE:
            texts[_path_of(call)] = str(call.arguments["content"])
        elif call.operation == _DELETE:
            texts[_path_of(call)] = None
    return texts


def _read_hashes(calls: Sequence[CallRecord]) -> dict[str, str]:
    """Return the hash of each file that was read before its first change."""
    hashes = {}
    changed = set()
    for call in calls:
        if call.result is None:
            continue
        path = _path_of(call)
        if call.operation == _READ and "sha256" in call.result and path not in changed:
            hashes[path] = str(call.result["sha256"])
        if call.operation in (_WRITE, _DELETE):
            changed.add(path)
    return hashes


def _path_of(call: CallRecord) -> str:
    """Return the path that a call is about: from its result if that has one, else its argument."""
    result = call.result or {}
    return str(result.get("path") or call.arguments.get("path"))


def _called_servers(calls: Sequence[CallRecord]) -> tuple[str, ...]:
    """Return the servers whose operations were called: `db` for a call of `db.query`."""
    names = [call.operation for call in calls if "." in call.operation]
    return tuple(sorted({name.partition(".")[0] for name in names}))


def _sources_overview(calls: Sequence[CallRecord]) -> Mapping[str, object]:
    """Return the result of the first call of `sources`; empty if it was not called.

    For example, `{"versions": [["/plan-v2.md", "/plan-v1.md"]], "left_out": ["3 images"]}`:
    two files are versions of one, and three images were not looked at.
    """
    for call in calls:
        if call.operation == _SOURCES and call.result:
            return call.result
    return {}


def table_doubts(calls: Sequence[CallRecord]) -> list[str]:
    """Return the doubts in the results of `table`, without duplicates.

    A script reads a table by the operation `table`. A doubt says what it may have misread in the file:
    `/fees.csv: two columns are called "fee"`.
    """
    doubts: dict[str, None] = {}
    for call in calls:
        if call.operation == _TABLE and call.result:
            doubts |= dict.fromkeys(_all_texts(call.result.get("doubts")))
    return list(doubts)


def asked_answer(journal: Journal, root: Path) -> AskedAnswer:
    """Return the answer of a journal's only trial, a question about the files below `root`."""
    trial = next(iter(journal.trials.values()))
    record = trial.record
    summary = trial.summary
    calls = list(record.all_calls)
    status = FALLBACK
    kind = None
    if record.started is not None:
        declared = tool_schema_from_text(record.started.tool_schema).outcomes
        kind = declared.kind_of(summary.outcome)
    if summary.state == "answered" and kind is not None:
        status = _STATUS_OF_KIND[kind]

    # A marker finds the values (such as numbers and names) in an answer, and where each
    # comes from. Only the values of a positive answer need support.
    value_marker = marker_of_trial(record, summary)
    marks: tuple[Mark, ...] = ()
    if kind is OutcomeKind.DONE:
        marks = value_marker.marks(summary.answer)
    overview = _sources_overview(calls)
    read_texts = [*value_marker.sources, *value_marker.query_results]
    newer = newer_versions(
        overview.get("versions"), _cited_paths(summary), summary.instruction
    )

    return AskedAnswer(
        summary=summary,
        root=root,
        status=status,
        now=(record.started.now or "") if record.started else "",
        citations=tuple(_passages(summary, record, read_texts, marks, root)),
        marks=marks,
        newer={
            shown_path(cited, root): shown_path(newest, root)
            for cited, newest in newer.items()
        },
        table_doubts=tuple(table_doubts(calls)),
        draft=_unverified_draft(record) if status == FALLBACK else "",
        searched=_searched_words(calls),
        not_seen=next(iter(_all_texts(overview.get("left_out"))), ""),
        unread=_texts_by_path(overview.get("unread"), root),
        document_notes=_all_texts(overview.get("notes")),
        read=_read_hashes(calls),
        changes=_written_texts(calls),
        changed=present_changes(record),
        servers=_called_servers(calls),
    )


def _all_texts(values: object) -> tuple[str, ...]:
    """Return the items of a recorded list as texts."""
    return tuple(map(str, values)) if isinstance(values, list) else ()


def _texts_by_path(values: object, root: Path) -> dict[str, str]:
    """Return the texts of a recorded mapping by path, with paths as the user would write them."""
    if not isinstance(values, dict):
        return {}
    return {shown_path(str(path), root): str(text) for path, text in values.items()}


def _unverified_draft(record: TrialRecord) -> str:
    """Return the prose with which the model ended the trial instead of a script, or nothing."""
    if not record.step_summaries:
        return ""
    last_step = record.step_summaries[-1]
    # Its reply could not be used, because it was prose in place of a script.
    was_prose = last_step.fault in PROSE
    return without_thoughts(last_step.reply).strip() if was_prose else ""
