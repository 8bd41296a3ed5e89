"""`judge FOLDER` sums up what other rules would do to the right and wrong answers of its journals.

    3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)

`gated.jsonl` has a rejected and then a right answer, and `free.jsonl` a wrong one. The rule no-2027
of the rule set "strict" rejects all three.
"""

from pathlib import Path

from tests.support.command import CommandRunner
from tests.support.strict_rule_set import NAME as STRICT_RULE_SET


def test_judge_sums_up_a_folder_by_right_and_wrong_answers(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The rule no-2027 rejects all three answers of the two journals. Two of them were
    accepted.

    The table has a row for each rule: it rejects one answer that is right and one that is
    wrong."""
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET
    )

    summary = "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)"
    assert summary in judged.out
    rows = [line.split() for line in judged.out.splitlines()]
    # The columns are: stops right, stops wrong, stops unscored, no longer rejects.
    assert ["strict/no-2027", "1", "1", "0", "0"] in rows


def test_judge_sums_up_a_folder_as_json(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The rule no-2027 would have stopped one right answer and one wrong one."""
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET, "--json"
    )

    gates_by_name = {gate["name"]: gate for gate in judged.json["gates"]}
    rule = gates_by_name["strict/no-2027"]
    assert rule["stops_right"] == 1
    assert rule["stops_wrong"] == 1
