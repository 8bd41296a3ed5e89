"""`replay` shows a recorded trial as text or JSON.

`replay last --trial t1 | less` prints the pages of a trial one below the other, the end first. The
page of a step has the model's script, what it printed, and what *gates*, checks of answers, said:

    ── the end ───────── ... grader: expected 8 ...
    ── initial prompt ── ... You solve one task ...
    ── step 1 of 3 ───── ...
"""

import json
import re
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandResult, run_in_process
from tests.support.recorded_run import RecordedRun

SUCCESS = 0
"""The exit code of a command that did what it was asked for."""


def replay_into_pipe(recorded: RecordedRun, *options: str) -> CommandResult:
    """Replay the trial seat-005 of the run "first" without a terminal."""
    return recorded.run_command("replay", "first", "--trial", "seat-005", *options)


PAGE_HEADING = re.compile(r"^── (initial prompt|step \d|the end)", re.MULTILINE)
ALL_PAGES = ["the end", "initial prompt", "step 1", "step 2", "step 3"]
WORDS_OF_THE_GRADER = "grader: expected 8"
WORDS_OF_THE_SYSTEM_PROMPT = "You solve one task"


class TestPipe:
    """Through a pipe, `replay` prints all pages of the trial seat-005, which has three steps.

    The end comes first, then the initial prompt and the steps. `--full` leaves nothing out.
    """

    def test_through_a_pipe_the_end_comes_first(self, recorded: RecordedRun) -> None:
        """The end has the answer and the score, which a reader wants first."""
        piped = replay_into_pipe(recorded)

        assert piped.code == SUCCESS
        assert piped.err == ""
        assert PAGE_HEADING.findall(piped.out) == ALL_PAGES
        first_page, _, _ = piped.out.partition("── initial prompt")
        assert WORDS_OF_THE_GRADER in first_page

    def test_through_a_pipe_long_texts_are_cut(self, recorded: RecordedRun) -> None:
        """The system prompt is the longest text."""
        cut = replay_into_pipe(recorded)
        full = replay_into_pipe(recorded, "--full")

        assert WORDS_OF_THE_SYSTEM_PROMPT not in cut.out
        assert len(cut.out.splitlines()) < len(full.out.splitlines()) / 2

    def test_full_prints_every_text_of_the_trial(self, recorded: RecordedRun) -> None:
        full = replay_into_pipe(recorded, "--full")

        assert full.code == SUCCESS
        assert full.err == ""
        assert PAGE_HEADING.findall(full.out) == ALL_PAGES
        assert WORDS_OF_THE_SYSTEM_PROMPT in full.out
        line_of_a_script = 'scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"'
        assert f"\n  {line_of_a_script}\n" in full.out
        result_of_a_call = "\n    number: 7\n"
        assert result_of_a_call in full.out
        assert WORDS_OF_THE_GRADER in full.out

    def test_full_prints_long_lines_without_colours(
        self, recorded: RecordedRun
    ) -> None:
        """It is meant for other programs. A terminal would wrap lines at 100 columns here."""
        printed = replay_into_pipe(recorded, "--full").out

        line_lengths = [len(line) for line in printed.splitlines()]
        assert max(line_lengths) > 100
        escape_character = "\x1b"  # It begins each change of colour.
        assert escape_character not in printed


class TestChosenParts:
    """Options choose a trial, a step, or another form of what `replay` prints.

    The run "first" has the trials seat-001 to seat-025, of three steps each. Step 0 is the
    prompt with which a trial begins.
    """

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
        self, options: tuple[str, ...], printed_part: str, recorded: RecordedRun
    ) -> None:
        result = recorded.run_command("replay", "first", *options)

        assert result.code == SUCCESS
        assert printed_part in result.out + result.err

    def test_trials_steps_and_prompts_are_available_as_json(
        self, recorded: RecordedRun
    ) -> None:
        """The prompt is step 0, the steps of the model count from 1."""
        trial = replay_into_pipe(recorded, "--json").json
        step = replay_into_pipe(recorded, "--step", "2", "--json").json
        initial_prompt = replay_into_pipe(recorded, "--step", "0", "--json").json

        assert trial["task_id"] == "seat-005"
        assert trial["score"] == 0.0
        assert len(trial["steps"]) == 3
        assert step == trial["steps"][1]
        assert initial_prompt["type"] == "conversation_opened"


class TestMissingParts:
    """A trial or step that is not in the journal is refused, or shown as far as it goes.

    The run "first" has the trials seat-001 to seat-025, of three steps each.
    """

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
            pytest.param(
                ("--trial", "nobody"), "no trial 'nobody'", id="no such trial"
            ),
            pytest.param(
                ("--step", "2"), "--step needs --trial", id="a step without a trial"
            ),
        ],
    )
    def test_a_trial_or_step_that_does_not_exist_is_a_usage_error(
        self, options: tuple[str, ...], message_part: str, recorded: RecordedRun
    ) -> None:
        result = recorded.run_command("replay", "first", *options)

        assert result.code == UsageError.exit_code
        assert message_part in result.out + result.err

    def test_a_trial_that_was_cut_off_in_a_step_shows_what_was_recorded(
        self, recorded: RecordedRun, tmp_path: Path
    ) -> None:
        """The journal is cut right before the event that ends the first step of a trial."""
        lines = recorded.journal.read_bytes().splitlines(keepends=True)
        events = [json.loads(line) for line in lines]
        end_of_first_step = [event["type"] for event in events].index("step")
        trial_id = events[end_of_first_step]["trial_id"]
        cut_journal = tmp_path / "cut.jsonl"
        cut_journal.write_bytes(b"".join(lines[:end_of_first_step]))

        result = run_in_process(
            "replay", cut_journal, "--trial", trial_id, cwd=tmp_path
        )

        assert result.code == SUCCESS
        assert "harness.count()" in result.out
        assert "the journal breaks off here" in result.out
