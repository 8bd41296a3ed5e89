"""`judge` shows what other gates, checks of an answer, would have made of the answers in a journal.

    run    --gates none    "In a week it is 24-11-2027." is sent, and has the score 0
    judge                  all gates: "stopped", as the answer cites a file that was not read
    judge  --gates none    the gates of the run: "as before"

The run's journal is `free.jsonl`.
"""

from pathlib import Path

from tests.controlplane.commands.judge.judged_answers import effects_and_scores
from tests.support.command import CommandRunner


def test_judge_uses_all_gates_without_the_option_gates(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here("judge", f"{runs_of_two_answers}/free.jsonl", "--json")

    assert effects_and_scores(judged) == [("stopped", 0.0)]


def test_an_answer_is_as_before_if_the_gates_are_those_of_the_run(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here(
        "judge", f"{runs_of_two_answers}/free.jsonl", "--gates=none", "--json"
    )

    assert effects_and_scores(judged) == [("as before", 0.0)]
