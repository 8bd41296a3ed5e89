"""Reads the answer to a question from the journal of its run, with what supports it.

The journal has one trial. Its recorded calls tell what was searched, read and changed; the values of the
answer are looked up in what was read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from controlplane.agent.events import CallRecord, Citation
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.reply.unusable_reply import PROSE, without_thoughts
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.sources import Source
from controlplane.journal.journal_reader import Journal
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.sandbox.interface.outcomes import OutcomeKind
from controlplane.view.answer.asked_answer import (
    FALLBACK,
    STATUS_OF_KIND,
    AskedAnswer,
    Passage,
)
from controlplane.view.answer.newer_versions import (
    NewerVersion,
    newer_versions,
    shown_path,
)
from controlplane.view.answer.trial_evidence import (
    citations_by_scripts,
    cited_paths,
    marker_of_trial,
    present_changes,
)

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

        lines: dict[int | str, tuple[int, str, str]] = {}
        by_quotation = {citation.quote: citation for citation in citations}
        for quotation, citation in by_quotation.items():
            if quotation:
                line, text = _quoted_lines(citation, read)
                lines.setdefault(line or text, (line, text, citation.reason))
        if not lines:
            for line, text in _lines_of_values(marks, read):
                lines[line] = (line, text, reason)
        for line, text, reason_of_line in lines.values():
            passages.append(Passage(path, line, text, reason_of_line))
        if not lines:
            passages.append(Passage(path, reason=reason))
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
    position = max(text.find(sought), 0)
    start = max(position - _MOST_PASSAGE_CHARS // 4, 0)
    part = text[start : start + _MOST_PASSAGE_CHARS]
    before = "…" if start else ""
    behind = "…" if start + _MOST_PASSAGE_CHARS < len(text) else ""
    return f"{before}{part}{behind}"


# What the calls of a question's trial show: what was searched, read, written and left out.

# The names of the operations in the calls of a question's trial.
READ: Final = "read"
WRITE: Final = "write"
DELETE: Final = "delete"
TABLE: Final = "table"
_SOURCES: Final = "sources"
"""Describes the files of the question: which are versions of one file, and which are left out."""
_WORDS_ARGUMENT: Final = {"search": "pattern", "passages": "words", "find": "name"}
"""The operations that search, each with the argument that holds the searched text."""


def searched_words(calls: Sequence[CallRecord]) -> tuple[str, ...]:
    """Return what scripts searched for, without duplicates."""
    searched: dict[str, None] = {}
    for call in calls:
        argument = _WORDS_ARGUMENT.get(call.operation)
        if argument is not None and call.result and _is_made_by_script(call):
            searched[str(call.arguments[argument])] = None
    return tuple(searched)


def _is_made_by_script(call: CallRecord) -> bool:
    """Return True for a call by a script, False for one made for the trial's first message.

    For the latter, `shown_chars` counts the characters of the result that the message shows.
    """
    return call.shown_chars is None


def _written_texts(calls: Sequence[CallRecord]) -> dict[str, str | None]:
    """Return the last text of each written file, and None for each deleted file."""
    texts: dict[str, str | None] = {}
    for call in calls:
        if call.result is None:
            continue
        if call.operation == WRITE:
            texts[_path_of(call)] = str(call.arguments["content"])
        elif call.operation == DELETE:
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
        if call.operation == READ and "sha256" in call.result and path not in changed:
            hashes[path] = str(call.result["sha256"])
        if call.operation in (WRITE, DELETE):
            changed.add(path)
    return hashes


def _path_of(call: CallRecord) -> str:
    """Return the path that a call is about: from its result if that has one, else its argument."""
    result = call.result or {}
    return str(result.get("path") or call.arguments.get("path"))


def _called_servers(calls: Sequence[CallRecord]) -> tuple[str, ...]:
    """Return the servers whose operations were called: `db` for a call of `db.query`."""
    servers = set()
    for call in calls:
        server, point, _ = call.operation.partition(".")
        if point:
            servers.add(server)
    return tuple(sorted(servers))


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
    doubts: list[str] = []
    for call in calls:
        if call.operation != TABLE or not call.result:
            continue
        doubts_of_call = call.result.get("doubts")
        if not isinstance(doubts_of_call, list):
            continue
        for doubt in doubts_of_call:
            if str(doubt) not in doubts:
                doubts.append(str(doubt))
    return doubts


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
        status = STATUS_OF_KIND[kind]

    # A marker finds the values (such as numbers and names) in an answer, and where each
    # comes from. Only the values of a positive answer need support.
    value_marker = marker_of_trial(record, summary)
    marks: tuple[Mark, ...] = ()
    if kind is OutcomeKind.DONE:
        marks = value_marker.marks(summary.answer)
    overview = _sources_overview(calls)
    read_texts = [*value_marker.sources, *value_marker.query_results]

    return AskedAnswer(
        summary=summary,
        root=root,
        status=status,
        now=(record.started.now or "") if record.started else "",
        citations=tuple(_passages(summary, record, read_texts, marks, root)),
        marks=marks,
        newer=tuple(_newer_versions(overview.get("versions"), summary, root)),
        table_doubts=tuple(table_doubts(calls)),
        draft=_unverified_draft(record) if status == FALLBACK else "",
        searched=searched_words(calls),
        not_seen=_first_text(overview.get("left_out")),
        unread=_texts_by_path(overview.get("unread"), root),
        document_notes=_all_texts(overview.get("notes")),
        read=_read_hashes(calls),
        changes=_written_texts(calls),
        changed=present_changes(record),
        servers=_called_servers(calls),
    )


def _first_text(values: object) -> str:
    """Return the first item of a recorded list as text: `["2 too large"]` -> "2 too large"."""
    if isinstance(values, list) and values:
        return str(values[0])
    return ""


def _all_texts(values: object) -> tuple[str, ...]:
    """Return the items of a recorded list as texts."""
    return tuple(map(str, values)) if isinstance(values, list) else ()


def _texts_by_path(values: object, root: Path) -> dict[str, str]:
    """Return the texts of a recorded mapping by path, with paths as the user would write them."""
    if not isinstance(values, dict):
        return {}
    return {shown_path(str(path), root): str(text) for path, text in values.items()}


def _newer_versions(
    versions_of_files: object, summary: TrialSummary, root: Path
) -> list[NewerVersion]:
    """Return the cited files that have a newer version which is not cited.

    The paths are as the user would write them. `versions_of_files` is the field
    `versions` of the result of `sources`.
    """
    shown = []
    for version in newer_versions(
        versions_of_files, cited_paths(summary), summary.instruction
    ):
        cited = shown_path(version.cited, root)
        newest = shown_path(version.newest, root)
        shown.append(NewerVersion(cited, newest))
    return shown


def _unverified_draft(record: TrialRecord) -> str:
    """Return the prose with which the model ended the trial instead of a script, or nothing."""
    if not record.step_summaries:
        return ""
    last_step = record.step_summaries[-1]
    # Its reply could not be used, because it was prose in place of a script.
    was_prose = last_step.fault in PROSE
    if not was_prose:
        return ""
    return without_thoughts(last_step.reply).strip()
