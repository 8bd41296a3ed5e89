"""The lists of a step by the class of their entries: citations, calls, submissions and so on.

entries_of(step, Citation)   -> step.citations
entries_of(step, Judged)     -> step.submissions
"""

from __future__ import annotations

from typing import Final, TypeVar

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallApproval,
    CallRecord,
    CallStopped,
    Citation,
    JournalRecord,
    Judged,
    ModelReplied,
)
from controlplane.agent.record.trial_step import TrialStep

Entry = TypeVar("Entry", bound=JournalRecord)

_LISTS: Final[dict[type[JournalRecord], str]] = {
    ModelReplied: "replies",
    CallRecord: "calls",
    CallStopped: "stopped",
    CallApproval: "approvals",
    Citation: "citations",
    Judged: "submissions",
    AnswerSent: "sent_answers",
    AnswerDone: "answer_results",
}
"""The list of `TrialStep` that has the entries of each class."""


def entries_of(step: TrialStep, kind: type[Entry]) -> list[Entry]:
    """Return the list of a step with the entries of one class, in order."""
    entries: list[Entry] = getattr(step, _LISTS[kind])
    return entries
