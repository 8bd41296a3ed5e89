"""Rules of the user that fail instead of judging an answer.

A user may add rules for answers, as a module for `--rule-sets`. A rule with a mistake must not end the
trial, and the user has to see where the mistake is.
"""

from pathlib import Path

from tests.support.command import run_in_process

BROKEN_RULES = """\
from controlplane.gates.rules import RuleSet, Rule


def bad(submission, evidence, case):
    return {}['none']


RULE_SET = RuleSet("mine", (Rule("bad", bad),))
"""
"""A module of the user, whose rule fails in line 5."""


def test_an_error_in_a_users_rule_is_shown_with_its_file_and_line(
    tmp_path: Path,
) -> None:
    """It is shown twice: as a notice, and below the trial's line, which says that the answer is OK.

    "baseline" is a program of the benchmark that plays in place of a model.
    """
    (tmp_path / "broken_rules.py").write_text(BROKEN_RULES)

    run = run_in_process(
        "run",
        "calendar-date.1",
        "--model",
        "baseline",
        "--rule-sets",
        "broken_rules:RULE_SET",
        cwd=tmp_path,
        COLUMNS="500",
    )

    message = "mine/bad: the rule failed: KeyError: 'none' ("
    assert f"notice: {message}" in run.out + run.err
    # calendar-date.1   1.00  OK ...
    #   ...; mine/bad: the rule failed: KeyError: 'none' (.../broken_rules.py, line 5)
    _, _, from_trial_on = run.out.partition("\ncalendar-date.1")
    line_of_trial, line_below, *_ = from_trial_on.splitlines()
    assert " OK " in line_of_trial
    assert message in line_below
    assert "broken_rules.py, line 5)" in line_below
