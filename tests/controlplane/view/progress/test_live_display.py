"""What a terminal shows of a run while it plays, and what happens to it when the run is stopped.

A picture of a few lines is drawn again and again, and gives way to a table of results at the end:

    ━━━────────────── 1 of 10 · 0:05 · about 1 min left
    mean score 0.500 · 3 running · 45.2k tokens · $0.2500 · 1 retry
      some-task.0      step  3   0:05  running
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import ConsoleDimensions

from controlplane.agent.events import (
    CallEvent,
    CallOutput,
    ModelAsked,
    ModelReplied,
    Noticed,
)
from controlplane.agent.model import Usage
from controlplane.errors import Interrupted
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.view.progress.live_display import picture
from controlplane.view.progress.new_notices import NewCauses, NewNotices
from controlplane.view.progress.run_phase import RunPhase
from tests.support.command import run_in_process
from tests.support.run_summaries import STARTED_AT_MS, end_trial, run_with_trials
from tests.support.terminal import CTRL_C, Terminal

OK = 0
"""The exit code of a command without errors."""

# --- The picture of a run ---

LONG_TRIAL_IDS = [f"some-long-task-family.{number}" for number in range(100)]
"""The ids of trials, so long that they do not fit into narrow windows."""
FIRST, SECOND, THIRD, *_ = LONG_TRIAL_IDS


def drawn_text(summary: RunSummary) -> str:
    """Return the picture of a run, 5 s after its start, in a window of 80 columns."""
    now_ms = STARTED_AT_MS + 5000
    window = ConsoleDimensions(width=80, height=24)
    lines = picture(summary, RunPhase.WORKING, now_ms, window)
    return "\n".join(line.plain for line in lines)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("height", [3, 10, 24, 60])
@pytest.mark.parametrize("running_trials", [0, 1, 50])
def test_the_picture_is_never_wider_or_higher_than_its_window(
    width: int, height: int, running_trials: int
) -> None:
    """Names, paths and notices are long, and Chinese letters take two columns. At the end of the
    last line there is room for "^C", which a terminal prints when the user presses Ctrl-C."""
    summary = run_with_trials(LONG_TRIAL_IDS, started=running_trials)
    for trial_id in LONG_TRIAL_IDS[:running_trials]:
        call = CallEvent(
            trial_id=trial_id,
            step=1,
            number=0,
            operation="read",
            arguments={"path": "/a/very/long/path/漢字" * 9},
            state="under_way",
        )
        fold_event(summary, call)
    notice = Noticed(trial_id=FIRST, text="the model is away\n" * 20, retry=True)
    fold_event(summary, notice)

    for phase in RunPhase:
        window = ConsoleDimensions(width, height)
        lines = picture(summary, phase, STARTED_AT_MS, window)
        assert len(lines) < height
        for line in lines:
            assert line.cell_len < width
            assert "\n" not in line.plain
        assert lines[-1].cell_len + len("^C") < width


@pytest.mark.parametrize(
    ("servers_away", "expected_lines", "last_line"),
    [
        pytest.param(3, 3, "notice: server 2 is away", id="all of three"),
        pytest.param(4, 4, "notice: 1 more cause", id="three of four"),
        pytest.param(5, 4, "notice: 2 more causes", id="three of five"),
    ],
)
def test_three_causes_of_notices_are_shown_and_the_others_counted(
    servers_away: int, expected_lines: int, last_line: str
) -> None:
    """Each server that is away is a cause of its own, and has a line below the picture."""
    summary = run_with_trials([FIRST])
    for number in range(servers_away):
        notice = Noticed(trial_id=FIRST, text=f"server {number} is away")
        fold_event(summary, notice)

    lines = NewCauses(NewNotices(0)).lines(summary)

    assert len(lines) == expected_lines
    assert lines[-1] == last_line


@pytest.fixture
def half_played_run() -> RunSummary:
    """A run of ten trials. One is over, and three play; one of these waits for its model."""
    summary = run_with_trials(LONG_TRIAL_IDS[:10], started=4)
    reply = ModelReplied(
        trial_id=FIRST,
        step=3,
        reply="",
        usage=Usage(prompt_tokens=40_000, completion_tokens=5_200),
        cost_usd=0.25,
    )
    retry = Noticed(trial_id=SECOND, text="HTTP 503; asking again in 1.0 s", retry=True)
    fold_event(summary, ModelAsked(trial_id=FIRST, step=3, messages=2))
    fold_event(summary, reply)
    fold_event(summary, retry)
    end_trial(summary, THIRD, score=0.5)
    return summary


@pytest.mark.parametrize(
    "expected_part",
    [
        pytest.param("1 of 10", id="progress"),
        pytest.param("0:05", id="time since the start"),
        pytest.param("left", id="time to the end"),
        pytest.param("mean score 0.500", id="score"),
        pytest.param("3 running", id="running trials"),
        pytest.param("45.2k tokens", id="tokens"),
        pytest.param("$0.2500", id="cost"),
        pytest.param("1 retry", id="retries"),
        pytest.param("step  3   0:05  running", id="step of a running trial"),
        pytest.param("asking again in 1.0 s", id="notice of a waiting trial"),
    ],
)
def test_the_picture_tells_how_far_the_run_is(
    expected_part: str, half_played_run: RunSummary
) -> None:
    """The run has played for 5 s. One of its ten trials is over, with the score 0.5."""
    assert expected_part in drawn_text(half_played_run)


def test_the_picture_counts_answers_that_were_sent_back(
    half_played_run: RunSummary,
) -> None:
    """A *gate* is a check of an answer. If it objects, the answer goes back to the model.

    The line has the names of as many gates as there is room for, each with a count.
    """
    half_played_run.rejections = Counter({"4": 2, "8": 1, "ecom/checklist": 3})

    assert (
        "sent back by gate 4 (citations were read) ×2, gate 8 (literal tokens) ×"
        in drawn_text(half_played_run)
    )


def test_the_picture_shows_the_last_line_that_a_running_call_printed() -> None:
    """A call may run for minutes, such as `make`. When it ends, its output goes away."""
    summary = run_with_trials([FIRST], started=1)

    fold_event(summary, CallOutput(trial_id=FIRST, text="configuring\nCC main.o\n"))
    text_during_call = drawn_text(summary)
    fold_event(summary, CallOutput(trial_id=FIRST, text=""))
    text_after_call = drawn_text(summary)

    assert "CC main.o" in text_during_call
    assert "CC main.o" not in text_after_call


# --- Runs in a real terminal ---
#
# Every fifth trial of the benchmark (seat-005, seat-010, ...) is wrong. The fixture `script` is a
# file of replies for a model. It takes two or three calls for a trial; its first answer is refused
# by a check and goes back to the model.


def run_of(
    trials: int, script: Path, *options: str, call_time_s: float
) -> Sequence[str]:
    """Return the words of a command that runs so many trials, each of whose calls takes
    `call_time_s`."""
    return (
        "run",
        "--benchmark",
        f"tests.support.many_trials:{trials}",
        "--model",
        f"scripted:{script}",
        "--set",
        f"seconds={call_time_s}",
        *options,
    )


def journal_events(folder: Path) -> list[dict[str, object]]:
    """Return the events in the journal of the only run in a folder."""
    (path,) = (folder / "runs").glob("*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_shows_its_progress_and_leaves_only_its_result_behind(
    script: Path, tmp_path: Path
) -> None:
    """The progress is read off the screen while the run plays. At the end the terminal is as
    before, and the table of results is all that is left."""
    command = run_of(
        12, script, "--concurrency", "4", "--name", "seen", call_time_s=0.2
    )
    with Terminal(*command, cwd=tmp_path) as terminal:
        progress = terminal.wait_for(r"[1-9] of 12")
        assert "seen · tests.support.many_trials:12 · scripted:crowd.toml" in progress
        assert re.search(r"0:0\d", progress), progress
        assert re.search(r"seat-\d+ +step +\d", progress), progress
        assert "Ctrl-C: stop" in progress
        terminal.wait_for(r"mean score .*\n.*sent back by gate 6 \(wording\) ×\d+")
        assert terminal.screen.cursor.hidden

        assert terminal.finish() == OK
        assert terminal.is_as_before
        result = terminal.everything
        rows = [line.split()[0] for line in terminal.lines if line.startswith("seat-")]

    assert "Ctrl-C" not in result
    assert result.startswith("seen · tests.support.many_trials")
    assert rows == ["seat-005", "seat-010", "seat-001", "seat-002"]  # wrong ones first
    assert "mean score 0.833 over 12 of 12 trials" in result
    assert re.search(
        r"next .* replay ?\S+? ?--trial ?seat-005", result.replace("\n", "")
    )


HIDE_CURSOR = b"\x1b[?25l"
"""What a program writes to a terminal to hide the cursor."""
COLOUR = re.compile(rb"\x1b\[[\d;]*3\dm")
"""Finds a code for a colour, such as `\\x1b[1;32m`."""


def written_by_run(script: Path, folder: Path, **variables: str) -> bytes:
    """Return the bytes that a run of four trials writes to its terminal."""
    command = run_of(4, script, call_time_s=0.1)
    with Terminal(*command, cwd=folder, **variables) as terminal:
        assert terminal.finish() == OK
        return terminal.written


def test_a_terminal_gets_a_live_picture_in_colours(
    script: Path, tmp_path: Path
) -> None:
    """To draw the picture again and again, the cursor is hidden."""
    written = written_by_run(script, tmp_path)

    assert HIDE_CURSOR in written
    assert COLOUR.search(written)
    assert b"of 4 trials over after" not in written


def test_the_variable_no_color_takes_the_colours_away(
    script: Path, tmp_path: Path
) -> None:
    """NO_COLOR is a convention of many programs. The picture stays live."""
    written = written_by_run(script, tmp_path, NO_COLOR="1")

    assert HIDE_CURSOR in written
    assert not COLOUR.search(written)
    assert b"of 4 trials over after" not in written


def test_a_dumb_terminal_gets_plain_lines_of_progress(
    script: Path, tmp_path: Path
) -> None:
    """It cannot move its cursor, and gets no escape sequence at all."""
    written = written_by_run(script, tmp_path, TERM="dumb")

    assert b"of 4 trials over after" in written
    assert b"\x1b" not in written


def test_the_result_goes_to_a_file_while_the_terminal_shows_the_run(
    script: Path, tmp_path: Path
) -> None:
    """The picture goes to standard error: `run --json > result.json`."""
    command = " ".join(run_of(6, script, "--json", call_time_s=0.2))
    shell = ("sh", "-c", f"{sys.executable} -m controlplane {command} > result.json")

    with Terminal(cwd=tmp_path, argv=shell) as terminal:
        terminal.wait_for(r"seat-\d+ +step")
        assert terminal.finish() == OK
        assert not terminal.text.strip()

    assert json.loads((tmp_path / "result.json").read_text())["trials_over"] == 6


# --- Runs that are stopped in a terminal ---


def test_ctrl_c_leaves_trials_open_and_names_what_to_do(
    script: Path, tmp_path: Path
) -> None:
    """Up to three of six trials play at a time when the user presses Ctrl-C. Their steps are
    finished, nothing is submitted, and the run can be resumed to its end.

    On a slow machine a trial may have ended before, so the numbers are taken from the journal."""
    command = run_of(6, script, "--concurrency", "3", call_time_s=0.8)
    with Terminal(*command, cwd=tmp_path) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")
        assert terminal.finish() == Interrupted.exit_code
        assert terminal.is_as_before
        text = terminal.everything.replace("\n", "")
    types = [event["type"] for event in journal_events(tmp_path)]
    started_trials = types.count("trial_started")
    ended_trials = types.count("trial_ended")

    assert re.search(r"resume 2\S+ .*submit 2\S+ --force", text)
    assert f"{6 - started_trials} not started" in text
    assert "Traceback" not in text
    assert types.count("step") == started_trials  # a trial has one step
    assert 1 <= types.count("trial_left_open") <= 3
    assert types.count("trial_left_open") == started_trials - ended_trials
    assert types.count("score") == ended_trials
    assert "run_submitted" not in types

    resumed = run_in_process("resume", "last", "--json", cwd=tmp_path)
    assert resumed.code == OK
    assert resumed.json["mean_score"] == pytest.approx(5 / 6)
    assert resumed.json["trials_over"] == 6
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


def test_a_second_ctrl_c_ends_at_once_and_gives_the_terminal_back(
    script: Path, tmp_path: Path
) -> None:
    """The calls that play take 30 s; the run ends within 5 s."""
    command = run_of(6, script, "--concurrency", "3", call_time_s=30)
    with Terminal(*command, cwd=tmp_path) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")
        terminal.type(CTRL_C)
        assert terminal.finish(timeout_s=5) == Interrupted.exit_code
        assert terminal.is_as_before
        text = terminal.everything.replace("\n", "")

    # The message names the command that continues the run, such as `resume 2031-05-04-...`.
    assert re.search("stopped at once; .* resume ?2", text)
    listed = run_in_process("runs", cwd=tmp_path)
    assert listed.out.rstrip().endswith("cut off")


def test_a_run_whose_terminal_is_closed_is_interrupted_and_can_be_resumed(
    script: Path, tmp_path: Path
) -> None:
    """The user closes the window, or a connection breaks."""
    command = run_of(30, script, call_time_s=0.4)
    with Terminal(*command, cwd=tmp_path) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.hang_up()
        assert terminal.wait() == Interrupted.exit_code

    last_event = journal_events(tmp_path)[-1]
    assert last_event["type"] == "run_closed"
    assert last_event["how"] == "interrupted"
    assert last_event["exit_code"] == Interrupted.exit_code
    assert run_in_process("resume", "last", "--quiet", cwd=tmp_path).code == OK
