"""A run prints at its end the report that `show` prints later, and few lines while it plays.

In the run `recorded`, a model answers 25 tasks with 7. Every fifth task, such as seat-005, has the
right answer 8. The report, which lists the wrong trials first, begins and ends so:

    first · tests.support.many_trials:25 · scripted:crowd.toml
    trial     score  outcome  steps  time
    seat-005   0.00  OK           3  134 ms
      expected 8; answered 7
    ...
    sent back by gate 6 (wording) ×25
    journal  runs/20310504-....jsonl
    next     controlplane replay 20310504-... --trial seat-005
             controlplane show 20310504-... --all
"""

import re

from tests.support.recorded_run import RecordedRun


def test_a_run_prints_at_its_end_the_report_that_show_prints(
    recorded: RecordedRun,
) -> None:
    shown = recorded.run_command("show", "first")

    assert recorded.printed.out == shown.out


def test_a_report_begins_with_the_wrong_trials_and_counts_rejected_answers(
    recorded: RecordedRun,
) -> None:
    """Gate 6, a check of an answer's wording, has rejected the first answer of each trial."""
    shown = recorded.run_command("show", "first", COLUMNS="80")

    title, heading, worst_trial, reason, *_ = shown.out.splitlines()
    assert title.startswith("first · tests.support.many_trials:25 · scripted:crowd")
    assert heading.split() == ["trial", "score", "outcome", "steps", "time"]
    assert re.search(r"^seat-005 +0\.00  OK +3 +\d+(\.\d)? m?s$", worst_trial)
    assert reason == "  expected 8; answered 7"
    assert "\nsent back by gate 6 (wording) ×25\n" in shown.out


def test_only_paths_and_commands_are_longer_than_a_line_of_the_terminal(
    recorded: RecordedRun,
) -> None:
    """A user copies the path and the commands in the last three lines, so that they stay whole."""
    shown = recorded.run_command("show", "first", COLUMNS="80")

    *lines, _journal, _replay, _show = shown.out.splitlines()
    assert max(len(line) for line in lines) <= 80


def test_a_run_prints_few_lines_of_progress(recorded: RecordedRun) -> None:
    """The lines of progress go to standard error, which is no terminal here."""
    first_line, *_, last_line = recorded.printed.err.splitlines()

    assert re.match(r"run 2\S+: 25 trials$", first_line)
    assert re.match(r"25 of 25 trials over after 0:\d\d, mean score 0.800$", last_line)
    # Far less than a line for each of the 25 trials.
    assert len(recorded.printed.err.splitlines()) <= 12
