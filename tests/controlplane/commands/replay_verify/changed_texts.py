"""Changes of single texts in the journal of two submissions, for `forged_copy`.

Each takes an event, and returns the event to write instead. In the journal, step 1 ends with the
error "KeyError: 'nothing'" and step 2 prints "{'answer': '7', ...}". So `change_output`, for
example, makes "{'answer': '8', ...}" of what step 2 printed, and leaves all other events alone.
"""

from controlplane.agent.events import AnswerSent, StepDone, SubmissionJudged
from controlplane.journal.run_events import JournalEvent


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
