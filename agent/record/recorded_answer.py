"""What the record of a trial says about its answer: whether work is left, and who sent it.

An answer is sent while a script runs, or *late*, after all steps. The process may be killed
before it is known whether the environment took it. If so, the next attempt sends it again.

| the record has | `is_solved` | `step_of_answer` |
|---|---|---|
| an answer of step 3, and that the environment took it; step 3 is whole | True | 3 |
| an answer of step 3; the process was killed in this step | False | 3 |
| a late answer | True | None |
| no answer | False | None |
"""

from __future__ import annotations

from controlplane.agent.record.trial_record import TrialRecord


def is_solved(record: TrialRecord) -> bool:
    """Return True if the solver's work is done: an answer was sent, and its step is complete."""
    if record.answer is None:
        return False
    if record.answer.late:
        return True
    return record.all_steps.cut_off is None


def step_of_answer(record: TrialRecord) -> int | None:
    """Return the number of the step that sent the answer; None if no step did."""
    for step in record.all_steps:
        was_taken = any(result.error is None for result in step.answer_results)
        if was_taken:
            return step.number

    # No result in a step says that the environment took the answer. It may have been sent after
    # all steps, as a *fallback* is: what is sent if the gates accepted none of the answers. Or the
    # process was killed in the step that sent it.
    answer = record.answer
    if answer is None or answer.late or answer.fallback:
        return None
    return answer.step
