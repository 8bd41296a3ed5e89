"""Reads the answer to a question about files from the journal of its run, for `ask` to show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.agent.events import Citation
from controlplane.agent.reply.thinking_text import without_thoughts
from controlplane.agent.reply.unusable_reply import PROSE
from controlplane.gates.support.marks import Mark
from controlplane.gates.trial.changes import Change
from controlplane.journal.journal_reader import Journal, TrialRecord
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.answer.answer_citations import answer_citations
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

ANSWERED: Final = "answered"
NOT_SAID: Final = "not_in_sources"
REFUSED: Final = "refused"
FALLBACK: Final = "no_accepted_answer"
STATUS_OF_OUTCOME: Final = {
    "OUTCOME_OK": ANSWERED,
    "OUTCOME_NONE_UNSUPPORTED": NOT_SAID,
    "OUTCOME_NONE_CLARIFICATION": NOT_SAID,
    "OUTCOME_DENIED_SECURITY": REFUSED,
}
"""The status of an accepted answer. An answer with another outcome counts as not accepted."""


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

    citations: tuple[Citation, ...]
    """The passages that support the answer, with paths as the user would write them."""
    marks: tuple[Mark, ...]
    """The values in the answer, each with what supports it."""
    newer: tuple[NewerVersion, ...]
    """The cited files with a newer version that is not cited. Paths are as the user writes them."""
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
    def exit_code(self) -> int:
        """0 for an accepted answer, else 1."""
        return 1 if self.status == FALLBACK else 0

    @property
    def cited(self) -> frozenset[str]:
        """The cited paths, as the trial spells them."""
        return frozenset(cited_paths(self.summary))

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
