"""The picture of a run fits its window, however many trials play, and however long the texts are.

A picture of more lines than the window could not be drawn again in its place. At the end of the last
line there is room for "^C", which a terminal prints when the user presses Ctrl-C.
"""

from collections import Counter
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
from controlplane.facts.run_facts import run_details
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from controlplane.view.progress import RunPhase, picture
from tests.support.run_summaries import STARTED_AT_MS, end_trial, run_with_trials

# The picture of a run as text, in a window of 80 columns, and the ids of its trials.
#
# For example:
#
#     drawn_text(run_with_trials(LONG_TRIAL_IDS[:1], started=1))    ->    "━━━─── 0 of 1 · 0:05 ..."

LONG_TRIAL_IDS = [f"some-long-task-family.{number}" for number in range(100)]
"""The ids of trials, so long that they do not fit into narrow windows."""


def drawn_text(summary: RunSummary) -> str:
    """Return the picture of a run, 5 s after its start, in a window of 80 columns."""
    now_ms = STARTED_AT_MS + 5000
    window = ConsoleDimensions(width=80, height=24)
    run = run_details(summary, Path("run.jsonl"))
    lines = picture(run, RunPhase.WORKING, now_ms, window)
    return "\n".join(line.plain for line in lines)


@pytest.fixture
def half_played_run() -> RunSummary:
    """A run of ten trials. One is over, and three play; one of these waits for its model."""
    summary = run_with_trials(LONG_TRIAL_IDS[:10], started=4)
    first, second, third, *_ = LONG_TRIAL_IDS
    reply = ModelReplied(
        trial_id=first,
        step=3,
        reply="",
        usage=Usage(prompt_tokens=40_000, completion_tokens=5_200),
        cost_usd=0.25,
    )
    retry = Noticed(trial_id=second, text="HTTP 503; asking again in 1.0 s", retry=True)
    fold_event(summary, ModelAsked(trial_id=first, step=3, messages=2))
    fold_event(summary, reply)
    fold_event(summary, retry)
    end_trial(summary, third, score=0.5)
    return summary


# The picture of a run that a terminal shows while it plays: a few lines, drawn again and again.
#
#     ━━━────────────── 1 of 10 · 0:05 · about 1 min left
#     mean score 0.500 · 3 running · 45.2k tokens · $0.2500 · 1 retry
#       some-task.0      step  3   0:05  running
#
# It is drawn from the summary of a run, which is made of the events of its journal.


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


# The picture of a run shows the last line that a running call has printed.
#
# A call may run for minutes, such as `make`: "CC main.o". When it ends, its output goes away.


def test_the_picture_shows_the_last_line_that_a_running_call_printed() -> None:
    summary = run_with_trials([LONG_TRIAL_IDS[0]], started=1)

    fold_event(
        summary, CallOutput(trial_id=LONG_TRIAL_IDS[0], text="configuring\nCC main.o\n")
    )
    text_during_call = drawn_text(summary)
    fold_event(summary, CallOutput(trial_id=LONG_TRIAL_IDS[0], text=""))
    text_after_call = drawn_text(summary)

    assert "CC main.o" in text_during_call
    assert "CC main.o" not in text_after_call


def long_call(trial_id: str) -> CallEvent:
    """Return a call with a long path, whose Chinese letters take two columns each."""
    return CallEvent(
        trial_id=trial_id,
        step=1,
        number=0,
        operation="read",
        arguments={"path": "/a/very/long/path/漢字" * 9},
        state="under_way",
    )


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("height", [3, 10, 24, 60])
@pytest.mark.parametrize("running_trials", [0, 1, 50])
def test_the_picture_is_never_wider_or_higher_than_its_window(
    width: int, height: int, running_trials: int
) -> None:
    """Names, paths and notices are long.

    At the end of the last line there is room for "^C", which a terminal prints when the user
    presses Ctrl-C.
    """
    summary = run_with_trials(LONG_TRIAL_IDS, started=running_trials)
    for trial_id in LONG_TRIAL_IDS[:running_trials]:
        fold_event(summary, long_call(trial_id))
    notice = Noticed(
        trial_id=LONG_TRIAL_IDS[0], text="the model is away\n" * 20, retry=True
    )
    fold_event(summary, notice)

    for phase in RunPhase:
        window = ConsoleDimensions(width, height)
        run = run_details(summary, Path("run.jsonl"))
        lines = picture(run, phase, STARTED_AT_MS, window)
        assert len(lines) < height
        for line in lines:
            assert line.cell_len < width
            assert "\n" not in line.plain
        assert lines[-1].cell_len + len("^C") < width
