"""What the terminal shows of a run, and what Ctrl-C and a closed window do to it.

A terminal gets a live picture as far as it can show one, and keeps only the table of the result,
which may go to a file. One Ctrl-C finishes the running steps and names what to do next, a second
one ends the run at once, and a run of a closed terminal can be resumed.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.support.command import run_in_process
from tests.support.terminal import CTRL_C, Terminal

# Terminals in one folder, each with a run that plays in it.
#
#     with terminals.run(trials=6, call_time_s=0.8) as terminal:
#         terminal.wait_for(r"step +1 .* running")
#         terminal.press(CTRL_C, "stopping after the running steps")
#
# Every fifth trial of the benchmark (seat-005, seat-010, ...) is wrong. Each trial has one step with
# two or three calls; the first answer is sent back by a check of its wording.


@dataclass(frozen=True)
class Terminals:
    """Opens terminals in one folder, each with a run of `tests.support.many_trials`."""

    folder: Path
    script: Path
    """The replies of the model."""

    def words(self, *options: str, trials: int, call_time_s: float) -> tuple[str, ...]:
        """Return the command of a run, whose calls take so long."""
        return (
            "run",
            "--benchmark",
            f"tests.support.many_trials:{trials}",
            "--model",
            f"scripted:{self.script}",
            "--set",
            f"seconds={call_time_s}",
            *options,
        )

    def run(
        self, *options: str, trials: int, call_time_s: float, **variables: str
    ) -> Terminal:
        """Open a terminal for a `with` block, and start a run in it."""
        words = self.words(*options, trials=trials, call_time_s=call_time_s)
        return Terminal(*words, cwd=self.folder, **variables)

    def journal_events(self) -> list[dict[str, object]]:
        """Return the events in the journal of the only run."""
        (path,) = (self.folder / "runs").glob("*.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def terminals(tmp_path: Path, script: Path) -> Terminals:
    """Terminals in the empty folder of the test, with the replies of a model that fit each trial."""
    return Terminals(tmp_path, script)


# The user presses Ctrl-C twice, or closes the window: a run ends at once.
#
#     stopped at once; ... resume 2031-05-04-...
#
# Its journal, the record of the run, is kept, and the run can be resumed.


def test_a_second_ctrl_c_ends_at_once_and_gives_the_terminal_back(
    terminals: Terminals,
) -> None:
    """The calls that play take 30 s; the run ends within 5 s."""
    with terminals.run("--concurrency", "3", trials=6, call_time_s=30) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")
        terminal.type(CTRL_C)
        assert terminal.finish(timeout_s=5) == Interrupted.exit_code
        assert terminal.is_as_before
        text = terminal.everything.replace("\n", "")

    # The message names the command that continues the run, such as `resume 2031-05-04-...`.
    assert re.search("stopped at once; .* resume ?2", text)
    listed = run_in_process("runs", cwd=terminals.folder)
    assert listed.out.rstrip().endswith("cut off")


def test_a_run_whose_terminal_is_closed_is_interrupted_and_can_be_resumed(
    terminals: Terminals,
) -> None:
    """The user closes the window, or a connection breaks."""
    with terminals.run("--concurrency", "3", trials=10, call_time_s=0.4) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.hang_up()
        assert terminal.wait() == Interrupted.exit_code

    last_event = terminals.journal_events()[-1]
    assert last_event["type"] == "run_closed"
    assert last_event["how"] == "interrupted"
    assert last_event["exit_code"] == Interrupted.exit_code
    resumed = run_in_process("resume", "last", "--quiet", cwd=terminals.folder)
    assert resumed.code == 0


# What a run writes to its terminal depends on what the terminal can do.
#
# A usual terminal gets a live picture, which is drawn again and again in colours, and hides the cursor
# meanwhile. A dumb one gets plain lines: "2 of 4 trials over after ...".

HIDE_CURSOR = b"\x1b[?25l"
"""What a program writes to a terminal to hide the cursor, before it draws a picture again and
again."""


COLOUR = re.compile(rb"\x1b\[[\d;]*3\dm")
"""Finds a code for a colour, such as `\\x1b[1;32m`."""


PLAIN_PROGRESS = b"of 4 trials over after"
"""What a line of progress says in a terminal without a picture."""


def written_by_run(terminals: Terminals, **variables: str) -> bytes:
    """Return the bytes that a run of four trials writes to its terminal."""
    with terminals.run(trials=4, call_time_s=0.1, **variables) as terminal:
        assert terminal.finish() == 0
        return terminal.written


def test_a_terminal_gets_a_live_picture_in_colours(terminals: Terminals) -> None:
    written = written_by_run(terminals)

    assert HIDE_CURSOR in written
    assert COLOUR.search(written)
    assert PLAIN_PROGRESS not in written


def test_the_variable_no_color_takes_the_colours_away(terminals: Terminals) -> None:
    """NO_COLOR is a convention of many programs. The picture stays live."""
    written = written_by_run(terminals, NO_COLOR="1")

    assert HIDE_CURSOR in written
    assert not COLOUR.search(written)
    assert PLAIN_PROGRESS not in written


def test_a_dumb_terminal_gets_plain_lines_of_progress(terminals: Terminals) -> None:
    """It cannot move its cursor, and gets no escape sequence at all."""
    written = written_by_run(terminals, TERM="dumb")

    assert PLAIN_PROGRESS in written
    assert b"\x1b" not in written


# The result of a run goes to a file while the terminal shows how the run goes on.
#
#     controlplane run --json > result.json
#
# The terminal shows a picture of the run: a line for each trial with its step, "seat-004 ... step". The
# picture goes to standard error, so that the file has nothing but the result, and is erased at the end.


def test_the_result_goes_to_a_file_while_the_terminal_shows_the_run(
    terminals: Terminals,
) -> None:
    # Each call takes 0.2 s, so that the picture can be seen.
    command = terminals.words("--json", trials=6, call_time_s=0.2)
    result_file = terminals.folder / "result.json"

    with (
        result_file.open("wb") as output,
        Terminal(*command, cwd=terminals.folder, output=output) as terminal,
    ):
        terminal.wait_for(r"seat-\d+ +step")
        assert terminal.finish() == 0
        assert terminal.text.strip() == ""  # The picture was erased.

    result = json.loads(result_file.read_text())
    assert result["trials_over"] == 6


# A terminal shows a run while it plays, and at its end only the table of its result.
#
#     seen · tests.support.many_trials:12 · scripted:crowd.toml
#     ... 5 of 12 ... 0:03 ...
#
# The run plays twelve trials, four at a time, of which seat-005 and seat-010 are wrong.


def test_a_run_shows_its_progress_while_it_plays(terminals: Terminals) -> None:
    with terminals.run(
        "--concurrency", "4", "--name", "seen", trials=12, call_time_s=0.2
    ) as terminal:
        progress = terminal.wait_for(r"[1-9] of 12")
        assert "seen · tests.support.many_trials:12 · scripted:crowd.toml" in progress
        assert re.search(r"0:0\d", progress), progress  # the time since the start
        assert re.search(r"seat-\d+ +step +\d", progress), progress
        assert "Ctrl-C: stop" in progress
        # The line below the mean score counts answers that a check has sent back to the model.
        terminal.wait_for(r"mean score .*\n.*sent back by gate 6 \(wording\) ×\d+")
        assert terminal.screen.cursor.hidden


def test_a_run_leaves_only_the_table_of_its_result_behind(terminals: Terminals) -> None:
    """The table has four of the twelve trials. The wrong ones come first."""
    with terminals.run(
        "--concurrency", "4", "--name", "seen", trials=12, call_time_s=0.2
    ) as terminal:
        assert terminal.finish() == 0
        assert terminal.is_as_before
        result = terminal.everything
        rows = [line.split()[0] for line in terminal.lines if line.startswith("seat-")]

    assert "Ctrl-C" not in result
    assert result.startswith("seen · tests.support.many_trials")
    assert rows == ["seat-005", "seat-010", "seat-001", "seat-002"]
    # 10 of 12 trials are right.
    assert "mean score 0.833 over 12 of 12 trials" in result
    # "next  .../controlplane replay 2031-05-04-... --trial seat-005". The terminal breaks this
    # long line, so a space or nothing may be left between two words.
    assert re.search(
        r"next .* replay ?\S+? ?--trial ?seat-005", result.replace("\n", "")
    )


# The user presses Ctrl-C once, while up to three of six trials play, and later resumes the run.
#
# The running steps are finished, and nothing is submitted. The text names what to do: "resume
# 2031-05-04-... submit 2031-05-04-... --force". Of seat-001 to seat-006, only seat-005 is wrong.


def test_ctrl_c_leaves_trials_open_and_names_what_to_do(terminals: Terminals) -> None:
    """On a slow machine a trial may have ended before the key is pressed. So the journal tells
    how many trials have started, and how many have ended."""
    with terminals.run("--concurrency", "3", trials=6, call_time_s=0.8) as terminal:
        terminal.wait_for(r"(?s)(step +1 .* running.*){3}")
        terminal.press(CTRL_C, "stopping after the running steps")
        assert terminal.finish() == Interrupted.exit_code
        assert terminal.is_as_before
        text = terminal.everything.replace("\n", "")
    count_of = Counter(event["type"] for event in terminals.journal_events())
    started_trials = count_of["trial_started"]
    ended_trials = count_of["trial_ended"]

    # What the user reads: "... resume 2031-05-04-... submit 2031-05-04-... --force". The name
    # of the run begins with the year.
    assert re.search(r"resume 2\S+ .*submit 2\S+ --force", text)
    assert f"{6 - started_trials} not started" in text
    assert "Traceback" not in text

    # What the journal has. Each trial has one step.
    assert count_of["step"] == started_trials
    assert 1 <= count_of["trial_left_open"] <= 3
    assert count_of["trial_left_open"] == started_trials - ended_trials
    assert count_of["score"] == ended_trials
    assert count_of["run_submitted"] == 0

    # The rest of the run.
    resumed = run_in_process("resume", "last", "--json", cwd=terminals.folder)
    verified = run_in_process("replay", "last", "--verify", cwd=terminals.folder)
    assert resumed.code == 0
    assert resumed.json["mean_score"] == pytest.approx(5 / 6)  # seat-005 is wrong
    assert resumed.json["trials_over"] == 6
    assert verified.code == 0
