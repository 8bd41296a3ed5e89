"""What the record of a trial says about its answer: whether work is left, and which step sent it.

An answer is sent in a step or, *late*, after all steps. If the process is killed, the next one cannot
be sure that the answer has arrived, and sends it again:

    recorded of step 3                          recorded after it    is_solved   step_of_answer
    answer_sent, then the process was killed                         False       3
    answer_sent, answer_done, step_done                              True        3
    answer_sent, answer_done, step_done         answer_sent, late    True        3
    step_done                                   answer_sent, late    True        None
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
    # The environment may have refused the answers of earlier steps.
    for step in record.all_steps:
        was_taken = any(result.is_taken for result in step.answer_results)
        if was_taken:
            return step.number

    # The record does not say that an answer was taken, for example because the process was killed
    # meanwhile. Then the last answer that was sent counts.
    answer = record.answer
    if answer is None or answer.late:
        return None
    return answer.step
