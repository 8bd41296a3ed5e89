"""`show` prints a report about a run that is over: its trials, their mean score, and what is next.

It reads the run's journal, a file in the folder `runs`.
"""

import re
from pathlib import Path

from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import run_in_process
from tests.support.recorded_run import RecordedRun
from tests.support.terminal import Terminal


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


def test_a_report_shows_the_20_worst_trials_and_counts_the_rest(tmp_path: Path) -> None:
    trials = []
    for number in range(1, 26):
        # seat-05, seat-10, seat-15, seat-20 and seat-25 have failed.
        is_right = number % 5 != 0
        trials.append(ReportedTrial(f"seat-{number:02}", score=float(is_right)))
    journal_of_trials(tmp_path / "runs/first.jsonl", trials, name="first")

    shown = run_in_process("show", "first", cwd=tmp_path, COLUMNS="80")

    table, _, rest = shown.out.partition("\n5 more trials\n")
    tasks = re.findall(r"^seat-\d+", table, re.MULTILINE)
    assert len(tasks) == 20
    worst_tasks = tasks[:5]
    assert worst_tasks == ["seat-05", "seat-10", "seat-15", "seat-20", "seat-25"]
    assert rest.startswith("mean score 0.800 over 25 of 25 trials\n")
    assert re.search(r" show first --all$", rest.rstrip())  # the command for the rest


def test_a_terminal_of_24_lines_holds_the_essentials_of_80_trials(
    tmp_path: Path,
) -> None:
    """The user should not have to scroll up to learn why trials failed."""
    trials = []
    for family in range(20):
        # Family 0 has the score 0, family 1 the score 0.05, and so on to 0.95.
        for number in range(4):
            task = f"family{family}.{number}"
            trials.append(ReportedTrial(task, score=family / 20, details=("not it",)))
    journal_of_trials(tmp_path / "runs/many.jsonl", trials, name="many")

    with Terminal("show", "many", cwd=tmp_path, columns=80, rows=24) as terminal:
        assert terminal.finish() == 0
        screen = terminal.text

    assert "many · " in screen  # the title
    assert "family0.0" in screen  # the worst trial
    assert "not it" in screen  # why it failed
    assert "more trials" in screen
    assert "mean score 0.475" in screen
    assert "0.00  family0 ×4" in screen  # the worst family
    assert "next " in screen  # a command to type
    assert " --all" in screen  # the command for the whole table


class TestRecordedRun:
    """The fixture `recorded` is a run of 25 trials that was played, with what it has printed."""

    def test_a_run_prints_at_its_end_the_report_that_show_prints(
        self, recorded: RecordedRun
    ) -> None:
        shown = recorded.run_command("show", "first")

        assert recorded.printed.out == shown.out

    def test_a_report_counts_the_rejections_of_a_rule(
        self, recorded: RecordedRun
    ) -> None:
        """The rule "wording" of gate 6 has sent an answer of each trial back."""
        shown = recorded.run_command("show", "first", COLUMNS="80")

        title, heading, worst_trial, reason, *_ = shown.out.splitlines()
        assert title.startswith("first · tests.support.many_trials:25 · scripted:crowd")
        assert heading.split() == ["trial", "score", "outcome", "steps", "time"]
        assert re.search(r"^seat-005 +0\.00  OK +3 +\d+(\.\d)? m?s$", worst_trial)
        assert reason == "  expected 8; answered 7"
        assert "\nsent back by gate 6 (wording) ×25\n" in shown.out

    def test_only_paths_and_commands_are_longer_than_a_line_of_the_terminal(
        self, recorded: RecordedRun
    ) -> None:
        """They are the last three lines; to wrap them would make them unusable."""
        shown = recorded.run_command("show", "first", COLUMNS="80")

        *lines, _journal, _replay, _show = shown.out.splitlines()
        assert max(len(line) for line in lines) <= 80

    def test_a_run_prints_few_lines_of_progress(self, recorded: RecordedRun) -> None:
        """They are printed to standard error, where there is no terminal."""
        first_line, *_, last_line = recorded.printed.err.splitlines()

        assert re.match(r"run 2\S+: 25 trials$", first_line)
        assert re.match(
            r"25 of 25 trials over after 0:\d\d, mean score 0.800$", last_line
        )
        # Far less than a line for each of the 25 trials.
        assert len(recorded.printed.err.splitlines()) <= 12
