"""Through a pipe, `replay` prints all pages of a recorded trial, which `--full` leaves uncut.

The page of a step has the model's script, what it printed, and what checks of answers said:

    ── the end ───────── ... grader: expected 8 ...
    ── initial prompt ── ... You solve one task ...
    ── step 1 of 3 ───── ...
"""

import re

from tests.controlplane.commands.replay.piped_replay import replay_into_pipe
from tests.support.recorded_run import RecordedRun

PAGE_HEADING = re.compile(r"^── (initial prompt|step \d|the end)", re.MULTILINE)


ALL_PAGES = ["the end", "initial prompt", "step 1", "step 2", "step 3"]


def test_through_a_pipe_the_end_comes_first(recorded: RecordedRun) -> None:
    """The end has the answer and the score, which a reader wants first."""
    piped = replay_into_pipe(recorded)

    assert piped.code == 0
    assert piped.err == ""
    assert PAGE_HEADING.findall(piped.out) == ALL_PAGES
    first_page, _, _ = piped.out.partition("── initial prompt")
    assert "grader: expected 8" in first_page


def test_through_a_pipe_long_texts_are_cut(recorded: RecordedRun) -> None:
    """The system prompt is the longest text."""
    cut = replay_into_pipe(recorded)
    full = replay_into_pipe(recorded, "--full")

    assert "You solve one task" not in cut.out
    assert len(cut.out.splitlines()) < len(full.out.splitlines()) / 2


def test_full_prints_every_text_of_the_trial(recorded: RecordedRun) -> None:
    full = replay_into_pipe(recorded, "--full")

    assert full.code == 0
    assert full.err == ""
    assert PAGE_HEADING.findall(full.out) == ALL_PAGES
    assert "You solve one task" in full.out
    line_of_a_script = (
        'scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"'
    )
    assert f"\n  {line_of_a_script}\n" in full.out
    result_of_a_call = "\n    number: 7\n"
    assert result_of_a_call in full.out
    assert "grader: expected 8" in full.out


def test_full_prints_long_lines_without_colours(recorded: RecordedRun) -> None:
    """It is meant for other programs. A terminal would wrap lines at 100 columns here."""
    printed = replay_into_pipe(recorded, "--full").out

    line_lengths = [len(line) for line in printed.splitlines()]
    assert max(line_lengths) > 100
    escape_character = "\x1b"  # It begins each change of colour.
    assert escape_character not in printed
