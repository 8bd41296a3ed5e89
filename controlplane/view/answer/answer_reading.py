"""Reads the answer to a question from the journal of its run, with what supports it.

The journal has one trial. Its recorded calls tell what was searched, read and changed; the values of the
answer are looked up in what was read.
"""

from __future__ import annotations

from pathlib import Path

from controlplane.agent.reply.fault import PROSE
from controlplane.agent.reply.thinking_text import without_thoughts
from controlplane.gates.support.marks import Mark
from controlplane.journal.journal_reader import Journal, TrialRecord
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.answer.answer_citations import answer_citations
from controlplane.view.answer.asked_answer import (
    FALLBACK,
    STATUS_OF_OUTCOME,
    AskedAnswer,
)
from controlplane.view.answer.newer_versions import NewerVersion, newer_versions
from controlplane.view.answer.question_calls import (
    called_servers,
    read_hashes,
    searched_words,
    sources_overview,
    table_doubts,
    written_texts,
)
from controlplane.view.answer.shown_path import shown_path
from controlplane.view.answer.trial_evidence import (
    cited_paths,
    marker_of_trial,
    present_changes,
)


def asked_answer(journal: Journal, root: Path) -> AskedAnswer:
    """Return the answer of a journal's only trial, a question about the files below `root`."""
    trial = next(iter(journal.trials.values()))
    record = trial.record
    summary = trial.summary
    calls = list(record.all_calls)
    status = FALLBACK
    if summary.state == "answered":
        status = STATUS_OF_OUTCOME.get(summary.outcome, FALLBACK)

    # A marker finds the values (such as numbers and names) in an answer, and where each
    # comes from. Only the values of a positive answer need support.
    value_marker = marker_of_trial(record, summary)
    marks: tuple[Mark, ...] = ()
    if summary.outcome == "OUTCOME_OK":
        marks = value_marker.marks(summary.answer)
    overview = sources_overview(calls)

    return AskedAnswer(
        summary=summary,
        root=root,
        status=status,
        now=(record.started.now or "") if record.started else "",
        citations=tuple(answer_citations(summary, record, value_marker.sources, root)),
        marks=marks,
        newer=tuple(_newer_versions(overview.get("versions"), summary, root)),
        table_doubts=tuple(table_doubts(calls)),
        draft=_unverified_draft(record) if status == FALLBACK else "",
        searched=searched_words(calls),
        not_seen=_first_text(overview.get("left_out")),
        read=read_hashes(calls),
        changes=written_texts(calls),
        changed=present_changes(record),
        servers=called_servers(calls),
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
