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
)
from controlplane.view.answer.newer_versions import (
    TOOL_RESULTS,
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

# The citations of an answer: the passages that support it, as the user would name them.

_MOST_CITATIONS: Final = 200


def _answer_citations(
    summary: TrialSummary, record: TrialRecord, sources: Sequence[Source], root: Path
) -> list[Citation]:
    """Return the citations of the answer, with paths as the user would write them.

    A path with quotations has one citation for each; any other path has one citation.
    """
    by_scripts = citations_by_scripts(record)
    citations = []
    for cited_path in summary.refs[:_MOST_CITATIONS]:
        user_path = shown_path(cited_path, root)
        for citation in _citations_of(cited_path, by_scripts):
            line = _quoted_line(citation, cited_path, sources)
            citations.append(
                Citation(
                    path=user_path,
                    line=line,
                    quote=citation.quote,
                    reason=citation.reason,
                )
            )
    return citations


def _citations_of(cited_path: str, by_scripts: Sequence[Citation]) -> list[Citation]:
    """Return the last citation of each quotation of a path; without quotations, the last of all.

    A script may write the path as `docs/a.md`. Its citation has this form as `path`, and
    the environment's form, `/docs/a.md`, as `spelling`. `cited_path` has the latter form.
    """
    last_citation = Citation(path=cited_path, reason="")
    by_quotation: dict[str, Citation] = {}
    for citation in by_scripts:
        if citation.spelling == cited_path:
            last_citation = citation
            if citation.quote:
                by_quotation[citation.quote] = citation
    if by_quotation:
        return list(by_quotation.values())
    return [last_citation]


def _quoted_line(citation: Citation, cited_path: str, sources: Sequence[Source]) -> int:
    """Return the line of a file on which a quotation begins; 0 if the line is unknown."""
    if not citation.quote or cited_path.startswith(TOOL_RESULTS):
        return 0
    if citation.line:
        return citation.line
    for source in sources:
        if source.path != cited_path:
            continue
        line = source.line_of_quotation(citation.quote)
        if line is not None:
            return source.place(line).line
    return 0


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

    return AskedAnswer(
        summary=summary,
        root=root,
        status=status,
        now=(record.started.now or "") if record.started else "",
        citations=tuple(_answer_citations(summary, record, value_marker.sources, root)),
        marks=marks,
        newer=tuple(_newer_versions(overview.get("versions"), summary, root)),
        table_doubts=tuple(table_doubts(calls)),
        draft=_unverified_draft(record) if status == FALLBACK else "",
        searched=searched_words(calls),
        not_seen=_first_text(overview.get("left_out")),
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
