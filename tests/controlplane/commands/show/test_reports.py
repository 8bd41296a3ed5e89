"""`show` prints a report about a run that is over: its trials, their mean score, and what is next.

It reads the run's journal, a file in the folder `runs`. The worst trial comes first:

    beta    0.00  OK           3  1.5 s
      should be 7; answered answer of beta
"""

import re
from pathlib import Path

from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import run_in_process


def test_a_report_has_the_trials_their_mean_score_and_commands_to_type(
    tmp_path: Path,
) -> None:
    journal_of_trials(
        tmp_path / "runs/20260422-0930.jsonl",
        [
            ReportedTrial("alpha", score=1.0),
            # Gate 4, a check of answers, sends two answers back to the model.
            ReportedTrial(
                "beta", score=0.0, details=("should be 7",), rejected_answers=2
            ),
        ],
        name="first",
    )

    shown = run_in_process("show", "first", cwd=tmp_path, COLUMNS="100")

    *report, journal, replay = shown.out.splitlines()
    assert report == [
        "first · shelf · canned  20260422-0930",
        "trial  score  outcome  steps   time",
        "beta    0.00  OK           3  1.5 s",
        "  should be 7; answered answer of beta",
        "alpha   1.00  OK           1  1.5 s",
        "mean score 0.500 over 2 of 2 trials",
        "740 tokens · $0.0400",
        "$0.0200 a trial · $0.0400 a right answer · 29% of request tokens from the provider's cache",
        "sent back by gate 4 (citations were read) ×2",
    ]
    assert journal == "journal  runs/20260422-0930.jsonl"
    assert re.search(r"^next .* replay 20260422-0930 --trial beta$", replay)
