"""What the record of a trial says about its start. All is empty if no attempt has started it.

A trial that is resumed keeps the clock of its first start, so that scripts see the same time. A
*fork* repeats the first steps of another trial, its origin, and keeps its random numbers.

    TrialStarted(instruction="Renew my loan", now="2031-05-02T14:30:00", origin="t-3", ...)
        -> start_time: datetime(2031, 5, 2, 14, 30), origin_of: "t-3"
"""

from __future__ import annotations

from datetime import datetime

from controlplane.agent.record.trial_record import TrialRecord

# What the record of a trial says about its answer: whether work is left, and which step sent it.
#
# An answer is sent in a step or, *late*, after all steps. If the process is killed, the next one cannot
# be sure that the answer has arrived, and sends it again:
#
#     recorded of step 3                          recorded after it    is_solved   step_of_answer
#     answer_sent, then the process was killed                         False       3
#     answer_sent, answer_done, step_done                              True        3
#     answer_sent, answer_done, step_done         answer_sent, late    True        3
#     step_done                                   answer_sent, late    True        None


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


def start_time(record: TrialRecord) -> datetime | None:
    """Return the time that the trial's scripts saw at the start; None if they had no clock."""
    if record.started is None or not record.started.now:
        return None
    return datetime.fromisoformat(record.started.now)


def origin_of(record: TrialRecord) -> str:
    """Return the id of the trial from which this one was forked; empty if it was not forked."""
    return record.started.origin if record.started else ""


def instruction_of(record: TrialRecord) -> str:
    """Return the instruction with which the trial began."""
    return record.started.instruction if record.started else ""


def has_other_instruction(record: TrialRecord, instruction: str) -> bool:
    """Return True if the trial began with another instruction than this one."""
    return record.started is not None and record.started.instruction != instruction


def is_resumed(record: TrialRecord) -> bool:
    """Return True if the next attempt goes on with the recorded initial prompt."""
    return record.initial_prompt is not None
