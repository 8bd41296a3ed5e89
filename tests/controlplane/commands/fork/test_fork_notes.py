"""`fork --note TEXT` shows the model a text of the user, to see what it changes.

`fork first --trial calendar --step 3 --note "..."` repeats the replies of steps 1 and 2, shows the note,
and asks the model for the reply of step 3.
"""

from controlplane.agent.record.trial_record import TrialRecord
from tests.controlplane.commands.fork.forked_trial import only_trial
from tests.support.command import CommandRunner


def are_replies_copies(record: TrialRecord) -> list[bool]:
    """Return for each reply of a fork whether it is a copy from the recorded trial.

    `[True, False]`: the model was asked for the second reply only, and only that one costs money.
    """
    are_copies: list[bool] = []
    for step in record.whole_steps:
        for reply in step.replies:
            are_copies.append(reply.cached)
    return are_copies


def test_a_note_at_step_1_is_added_to_the_first_message(
    fork_original: CommandRunner,
) -> None:
    note = "Answer with the date alone."

    forked = fork_original("--step", "1", "--note", note, "--json")

    record = only_trial(forked).record
    assert record.initial_prompt is not None
    assert record.initial_prompt.first_message[-1].endswith(note)
    assert are_replies_copies(record) == [False, False, False]


def test_a_note_at_a_later_step_is_added_to_the_feedback_before_it(
    fork_original: CommandRunner,
) -> None:
    """Feedback is what the model is told after a step. That of step 2 comes before step 3."""
    note = "Answer with the date alone."

    forked = fork_original("--step", "3", "--note", note, "--json")

    record = only_trial(forked).record
    _step_1, step_2, _step_3 = record.step_summaries
    assert step_2.feedback[-1].endswith(note)
    assert are_replies_copies(record) == [True, True, False]
