"""`judge --rule-sets NAME` judges recorded answers by further rules, those of the user for example.

The rules stand beside the gates (numbered checks of a submitted answer), or alone. In
`gated.jsonl`, gate 4 rejected the first answer, "In a week it is 24-11-2027."; the second one,
"24-11-2027", was accepted, and scored 1. For each answer, `judge` tells the effect of the new gates
and rules:

    in the run   now        effect
    rejected     rejected   "other verdicts", if it is another gate or rule that rejects
    rejected     accepted   "let through"
    accepted     rejected   "stopped"
    accepted     accepted   "as before"
"""

from pathlib import Path

import pytest

from tests.controlplane.commands.judge.judged_answers import effects_and_scores
from tests.support.command import CommandRunner
from tests.support.strict_rule_set import NAME as STRICT_RULE_SET


@pytest.mark.parametrize(
    "gate_options",
    [
        pytest.param((), id="beside all gates"),
        pytest.param(("--gates", "none"), id="alone"),
    ],
)
def test_a_rule_of_the_user_stops_the_right_answer(
    gate_options: tuple[str, ...],
    runs_of_two_answers: Path,
    run_command_here: CommandRunner,
) -> None:
    """The rule set "strict" has one rule, which rejects every answer with "2027": both answers."""
    judged = run_command_here(
        "judge",
        f"{runs_of_two_answers}/gated.jsonl",
        *gate_options,
        f"--rule-sets={STRICT_RULE_SET}",
        "--json",
    )

    first_answer = ("other verdicts", None)  # None: it has no score.
    second_answer = ("stopped", 1.0)
    assert effects_and_scores(judged) == [first_answer, second_answer]


def test_an_answer_is_let_through_without_the_gate_that_rejected_it(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The run was judged by all gates and the rules of the shop. Now gate 4 is missing."""
    judged = run_command_here(
        "judge",
        f"{runs_of_two_answers}/gated.jsonl",
        "--gates=2",
        "--rule-sets=controlplane.benchmarks.shop.rule_set:RULE_SET",
        "--json",
    )

    first_answer = ("let through", None)
    second_answer = ("as before", 1.0)
    assert effects_and_scores(judged) == [first_answer, second_answer]
