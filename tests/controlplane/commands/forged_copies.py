"""Copies of a journal with changed events, as a forger would write them.

    forged_copy(journal, folder, change_output)
    forged_copy(journal, folder, set_fields("answer_sent", message="8"), versions={"gates": "x"})

A change is a function that takes an event, and returns the event to write instead. Those below change
the journal of two submissions of the answer "7".
"""

from collections.abc import Callable
from pathlib import Path

from controlplane.agent.events import AnswerSent, StepDone, SubmissionJudged
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunOpened
from tests.support.journals.read_events import read_events

Change = Callable[[JournalEvent], JournalEvent]
"""Takes an event of a journal, and returns the event to write instead."""


def forged_copy(
    source: Path,
    folder: Path,
    change: Change,
    *,
    versions: dict[str, str] | None = None,
) -> Path:
    """Copy a journal with changed events, as a forger would: the hashes of the copy fit.

    The first event says which versions have recorded the run: `versions={"python": "3.99.1"}`
    changes one of them.
    """
    copy = folder / "forged.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                new_versions = event.versions.model_copy(update=versions or {})
                event = event.model_copy(update={"versions": new_versions})
            journal.write(change(event))
    return copy


def change_error_text_of_step(event: JournalEvent) -> JournalEvent:
    """Change "KeyError" to "LookupError" in the error of step 1."""
    if not isinstance(event, StepDone):
        return event
    error = event.error.replace("KeyError", "LookupError")
    return event.model_copy(update={"error": error})


def change_error_text_of_verdict(event: JournalEvent) -> JournalEvent:
    """Change what the gate said of the check that raised: "did not answer" to "did not reply"."""
    if not isinstance(event, SubmissionJudged):
        return event
    text = event.model_dump_json()
    text = text.replace("`verify` did not answer", "`verify` did not reply")
    return SubmissionJudged.model_validate_json(text)


def change_output(event: JournalEvent) -> JournalEvent:
    """Change "7" to "8" in the output of step 2."""
    if not isinstance(event, StepDone):
        return event
    output = event.output.replace("7", "8")
    return event.model_copy(update={"output": output})


def change_answer(event: JournalEvent) -> JournalEvent:
    """Change the answer "7" to "8", where it was submitted and where it was sent."""
    if isinstance(event, AnswerSent):
        return event.model_copy(update={"message": "8"})
    if isinstance(event, SubmissionJudged):
        judged = event.judged.model_copy(update={"answer": "8"})
        return event.model_copy(update={"judged": judged})
    return event


def set_fields(event_type: str, **fields: object) -> Change:
    """Return a change that gives all events of a type these fields.

    `set_fields("answer_sent", message="8")` forges the answer that was sent.
    """

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != event_type:
            return event
        return event.model_copy(update=fields)

    return change
