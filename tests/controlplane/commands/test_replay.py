"""`replay` shows a recorded trial page by page, in a terminal or as text or JSON.

`replay last --trial t1` prints for each step the model's script, what it printed, and what the
gates (checks of a submitted answer) said. In a terminal a key leads to the next or another page.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.errors import Interrupted, UsageError
from tests.support.command import CommandResult, run_controlplane, run_in_process
from tests.support.recorded_run import RecordedRun
from tests.support.terminal import CTRL_C, LEFT, RIGHT, Terminal

SUCCESS = 0
"""The exit code of a command that did what it was asked for."""


def open_trial_in_terminal(recorded: RecordedRun, *, rows: int = 24) -> Terminal:
    """Start `replay` of the first failed trial of the run "first", seat-005, in a terminal.

    Its three steps: count, an answer that a gate sends back, and the answer "7", where the grader
    expects 8.
    """
    words = ("replay", "first", "--trial", "seat-005")
    return Terminal(*words, cwd=recorded.folder, columns=80, rows=rows)


class KeyPress(NamedTuple):
    key: str
    screen: str
    """A regular expression that the screen fits after the key."""


# The pages of steps look like this (the third one shows how the scratchpad has changed):
#
#     ── step 1 of 3 · ...       ── step 2 of 3 · ...              ── step 3 of 3 · ...
#     count                      answer without words              answer
#       1. count                 gates ✓ · · · · ✓ - ·  sent ...   gates ✓ · · · · ✓ ✓ ·  accepted ...
#       2. answer                  ✗ gate 6 (wording)              ── code ────────
#     ── code ────────           ── code ────────                    ...
#       ...                        ...                             ── scratchpad ──
#     ── output ──────                                               ~ answer: "OUTCOME_OK"
#       counted 7                                                            → "7"
#     ── scratchpad ──
#       + n = "7"

START_OF_STEP_1 = (
    r"step 1 of 3 · score 0.00 · trial 1 of 25, worst first\n"
    r"count\n"
    r"  1. count\n"
    r"  2. answer\n"
    r"── code"
)
END_OF_STEP_1 = (
    r"── output ─+\n"
    r"  counted 7\n"
    r"── scratchpad ─+\n"
    r"  \+ n = \"7\""
)
REJECTION_IN_STEP_2 = (
    r"step 2 of 3[\s\S]*"
    r"gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK\n"
    r"  ✗ gate 6 \(wording\)"
)
CHANGE_IN_STEP_3 = (
    r"step 3 of 3[\s\S]*"
    r"~ answer: \"OUTCOME_OK\"\n"
    r" +→ \"7\""
)

ENTER = "\r"
SPACE = " "
WALK_THROUGH_THE_TRIAL = [
    # n and p: the next and the previous page.
    KeyPress("n", START_OF_STEP_1),
    KeyPress("p", "initial prompt"),
    # Enter, the arrows and the space bar turn pages, too.
    KeyPress(ENTER, r"→ count\(\).*\n" + END_OF_STEP_1),
    KeyPress(RIGHT, REJECTION_IN_STEP_2),
    KeyPress(LEFT, "step 1 of 3"),
    # r: the next step whose answer was rejected.
    KeyPress("r", "step 2 of 3"),
    KeyPress(SPACE, CHANGE_IN_STEP_3),
    KeyPress("r", "no further rejection in this trial"),
    KeyPress("n", "the end .*score 0.00"),
    KeyPress("n", "this is the end; t: the next trial"),
    # t: the next trial.
    KeyPress("t", "seat-010 · initial prompt .* trial 2 of 25"),
    KeyPress("p", "this is the beginning"),
]


def test_each_key_prints_the_page_that_it_names(recorded: RecordedRun) -> None:
    """In a terminal, `replay` shows a page of the trial and waits for a key for another page.

    It begins with the initial prompt, in which the request is "How many are there? ...".
    """
    with open_trial_in_terminal(recorded, rows=60) as terminal:
        terminal.wait_for(
            "seat-005 · initial prompt · score 0.00 · trial 1 of 25, worst first\n"
            "How many are there"
        )
        for press in WALK_THROUGH_THE_TRIAL:
            terminal.wait_for(r"q quit\s*$")  # the end of the line that lists the keys
            terminal.screen.reset()
            terminal.press(press.key, press.screen)
        terminal.type("q")

        assert terminal.finish() == SUCCESS
        assert terminal.is_as_before


@pytest.mark.parametrize(
    ("key", "exit_code"),
    [
        pytest.param(CTRL_C, Interrupted.exit_code, id="Ctrl-C"),
        pytest.param("q", SUCCESS, id="q"),
    ],
)
def test_the_terminal_is_restored_when_replay_ends(
    key: str, exit_code: int, recorded: RecordedRun
) -> None:
    """While `replay` reads single keys, the terminal is in another mode and hides the cursor.

    The last assertion is that both are as they were before the command.
    """
    with open_trial_in_terminal(recorded) as terminal:
        terminal.wait_for("q quit")
        terminal.type(key)

        assert terminal.finish() == exit_code
        assert terminal.is_as_before


# --- Without a terminal, as in `replay first --trial seat-005 | less` ---
#
# The pages of the trial are printed one below the other, the end first:
#
#     ── the end ───────── ... grader: expected 8 ...
#     ── initial prompt ── ... You solve one task ...
#     ── step 1 of 3 ───── ...

PAGE_HEADING = re.compile(r"^── (initial prompt|step \d|the end)", re.MULTILINE)
ALL_PAGES = ["the end", "initial prompt", "step 1", "step 2", "step 3"]
WORDS_OF_THE_GRADER = "grader: expected 8"
WORDS_OF_THE_SYSTEM_PROMPT = "You solve one task"


def replay_into_pipe(recorded: RecordedRun, *options: str) -> CommandResult:
    """Replay the trial seat-005 of the run "first" without a terminal."""
    return recorded.run_command("replay", "first", "--trial", "seat-005", *options)


def test_through_a_pipe_the_end_comes_first(recorded: RecordedRun) -> None:
    """The end has the answer and the score, which a reader wants first."""
    piped = replay_into_pipe(recorded)

    assert piped.code == SUCCESS
    assert piped.err == ""
    assert PAGE_HEADING.findall(piped.out) == ALL_PAGES
    first_page, _, _ = piped.out.partition("── initial prompt")
    assert WORDS_OF_THE_GRADER in first_page


def test_through_a_pipe_long_texts_are_cut(recorded: RecordedRun) -> None:
    """The system prompt is the longest text."""
    cut = replay_into_pipe(recorded)
    full = replay_into_pipe(recorded, "--full")

    assert WORDS_OF_THE_SYSTEM_PROMPT not in cut.out
    assert len(cut.out.splitlines()) < len(full.out.splitlines()) / 2


def test_full_prints_every_text_of_the_trial(recorded: RecordedRun) -> None:
    full = replay_into_pipe(recorded, "--full")

    assert full.code == SUCCESS
    assert full.err == ""
    assert PAGE_HEADING.findall(full.out) == ALL_PAGES
    assert WORDS_OF_THE_SYSTEM_PROMPT in full.out
    line_of_a_script = (
        'scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"'
    )
    assert f"\n  {line_of_a_script}\n" in full.out
    result_of_a_call = "\n    number: 7\n"
    assert result_of_a_call in full.out
    assert WORDS_OF_THE_GRADER in full.out


def test_full_prints_long_lines_without_colours(recorded: RecordedRun) -> None:
    """It is meant for other programs. A terminal would wrap lines at 100 columns here."""
    printed = replay_into_pipe(recorded, "--full").out

    line_lengths = [len(line) for line in printed.splitlines()]
    assert max(line_lengths) > 100
    escape_character = "\x1b"  # It begins each change of colour.
    assert escape_character not in printed


@pytest.mark.parametrize(
    ("options", "printed_part"),
    [
        pytest.param(
            ("--trial", "seat-005", "--step", "2"),
            "sent back OUTCOME_OK",
            id="a step of a trial",
        ),
        pytest.param(
            ("--trial", "seat-005", "--step", "0"),
            "system prompt",
            id="the prompt, which is step 0",
        ),
        pytest.param((), "seat-025", id="the list of all trials"),
        pytest.param(
            ("--verify",),
            "25 trials, 75 steps: everything is as recorded",
            id="a verification",
        ),
    ],
)
def test_each_option_prints_its_part(
    options: tuple[str, ...], printed_part: str, recorded: RecordedRun
) -> None:
    result = recorded.run_command("replay", "first", *options)

    assert result.code == SUCCESS
    assert printed_part in result.out + result.err


@pytest.mark.parametrize(
    ("options", "message_part"),
    [
        pytest.param(
            ("--trial", "seat-005", "--step", "9"),
            "has no step 9; it has steps 1 to 3",
            id="no such step",
        ),
        pytest.param(
            ("--trial", "seat-0"), "fits several trials", id="an ambiguous trial"
        ),
        pytest.param(("--trial", "nobody"), "no trial 'nobody'", id="no such trial"),
        pytest.param(
            ("--step", "2"), "--step needs --trial", id="a step without a trial"
        ),
    ],
)
def test_a_trial_or_step_that_does_not_exist_is_a_usage_error(
    options: tuple[str, ...], message_part: str, recorded: RecordedRun
) -> None:
    """The run "first" has the trials seat-001 to seat-025, of three steps each."""
    result = recorded.run_command("replay", "first", *options)

    assert result.code == UsageError.exit_code
    assert message_part in result.out + result.err


def test_trials_steps_and_prompts_are_available_as_json(recorded: RecordedRun) -> None:
    """The prompt is step 0, the steps of the model count from 1."""
    trial = replay_into_pipe(recorded, "--json").json
    step = replay_into_pipe(recorded, "--step", "2", "--json").json
    initial_prompt = replay_into_pipe(recorded, "--step", "0", "--json").json

    assert trial["task_id"] == "seat-005"
    assert trial["score"] == 0.0
    assert len(trial["steps"]) == 3
    assert step == trial["steps"][1]
    assert initial_prompt["type"] == "conversation_opened"


def test_a_trial_that_was_cut_off_in_a_step_shows_what_was_recorded(
    recorded: RecordedRun, tmp_path: Path
) -> None:
    """The journal is cut right before the event that ends the first step of a trial."""
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    events = [json.loads(line) for line in lines]
    end_of_first_step = [event["type"] for event in events].index("step")
    trial_id = events[end_of_first_step]["trial_id"]
    cut_journal = tmp_path / "cut.jsonl"
    cut_journal.write_bytes(b"".join(lines[:end_of_first_step]))

    result = run_in_process("replay", cut_journal, "--trial", trial_id, cwd=tmp_path)

    assert result.code == SUCCESS
    assert "harness.count()" in result.out
    assert "the journal breaks off here" in result.out


def test_a_terminal_without_unicode_gets_question_marks(recorded: RecordedRun) -> None:
    """In UTF-8, the line of the gates is "gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK".

    The encoding is that of a process, so the command gets one of its own.
    """
    command = ("replay", "first", "--trial", "seat-005", "--step", "2")
    replayed = run_controlplane(*command, cwd=recorded.folder, PYTHONIOENCODING="ascii")

    assert replayed.code == 0
    assert replayed.err == ""
    assert re.search(r"^gates \? .* sent back", replayed.out, re.MULTILINE)
