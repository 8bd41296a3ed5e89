"""`judge --gates 2` shows what other gates would have made of the answers in a journal.

Gates are checks of a submitted answer. `judge` runs the recorded scripts again with other gates than
those of the run. The journal `free.jsonl` has one answer, "In a week it is 24-11-2027.", which was
sent without gates and scored 0.
"""

from pathlib import Path

from tests.controlplane.commands.judge.judged_answers import effects_and_scores
from tests.support.command import CommandRunner


def test_gates_stop_an_answer_that_was_sent_without_gates(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The journal free.jsonl has the answer "In a week it is 24-11-2027.", and score 0."""
    judged = run_command_here("judge", f"{runs_of_two_answers}/free.jsonl", "--json")

    assert effects_and_scores(judged) == [("stopped", 0.0)]


def test_an_answer_is_as_before_if_the_gates_are_those_of_the_run(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The run of free.jsonl was played without gates."""
    judged = run_command_here(
        "judge", f"{runs_of_two_answers}/free.jsonl", "--gates=none", "--json"
    )

    assert effects_and_scores(judged) == [("as before", 0.0)]
