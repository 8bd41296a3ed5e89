"""Changes of single texts in the journal of two submissions, for `forged_copy`.

Each takes an event, and returns the event to write instead: `change_output` changes what step 2
printed to "{'answer': '8', ...}", and leaves all other events alone. In the journal, a model
submits twice, each time with a function `verify` that checks its answer:

step 1   `verify` fails with "KeyError: 'nothing'"; a gate says that it did not answer
step 2   prints "{'answer': '7', ...}"; `verify` returns True, and the answer "7" is sent
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
    """Change what a gate said of the model's check in step 1: "`verify` did not answer".

    The verdict is deep in the event, so the text is changed in the event's JSON.
    """
    if not isinstance(event, SubmissionJudged):
        return event
    text = event.model_dump_json()
    text = text.replace("`verify` did not answer", "`verify` did not reply")
    return SubmissionJudged.model_validate_json(text)


def change_output(event: JournalEvent) -> JournalEvent:
    """Change "7" to "8" in the output of step 2. Step 1 has no output."""
    if not isinstance(event, StepDone):
        return event
    output = event.output.replace("7", "8")
    return event.model_copy(update={"output": output})


def change_answer(event: JournalEvent) -> JournalEvent:
    """Change the answer "7" to "8", where it was submitted and where it was sent."""
    if isinstance(event, AnswerSent):
        return event.model_copy(update={"message": "8"})
    if isinstance(event, SubmissionJudged):
        submission = event.judged.model_copy(update={"answer": "8"})
        return event.model_copy(update={"judged": submission})
    return event
