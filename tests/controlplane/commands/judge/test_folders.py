"""`judge FOLDER` sums up what other rules would do to the answers in the journals of a folder.

    3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)

An answer that was accepted in its run, and that the other rules reject, is *stopped*. Here the
other rules are one, no-2027 of the rule set "strict". It rejects all answers of the folder:

    gated.jsonl   1. rejected in its run, too     not stopped
                  2. accepted, and right          stopped
    free.jsonl    1. accepted, and wrong          stopped
"""

from pathlib import Path

from tests.support.command import CommandRunner
from tests.support.strict_rule_set import NAME as STRICT_RULE_SET


def test_judge_sums_up_a_folder_by_right_and_wrong_answers(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET
    )

    summary = "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)"
    assert summary in judged.out
    rows = [line.split() for line in judged.out.splitlines()]
    # The columns: stopped answers that are right, wrong, and without a score. The last one
    # counts answers that the rule rejected in their run, and does not reject now.
    assert ["strict/no-2027", "1", "1", "0", "0"] in rows


def test_judge_sums_up_a_folder_as_json(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET, "--json"
    )

    gates_by_name = {gate["name"]: gate for gate in judged.json["gates"]}
    rule = gates_by_name["strict/no-2027"]
    assert rule["stops_right"] == 1
    assert rule["stops_wrong"] == 1
