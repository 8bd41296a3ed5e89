"""The picture of a running run fits its window, and its rows keep their places."""

import random
from collections import Counter

import pytest

from agent.events import CallSent, ModelAsked, ModelReplied, Noticed
from agent.model.model_protocol import Usage
from controlplane.journal.run_events import (
    AllottedTrial,
    RunNotice,
    RunOpened,
    RunResumed,
    RunStarted,
    Scored,
    TrialEnded,
    TrialStarted,
    Versions,
)
from controlplane.journal.run_summary import RunSummary
from controlplane.view.progress.run_frame import RunFrame
from controlplane.view.progress.run_phase import RunPhase

NOW = 1_800_000_000_000
VERSIONS = Versions(controlplane="1", python="3.11.0", gates="g", prompts="p")


def begun(trials: int, running: int) -> RunSummary:
    summary = RunSummary()
    summary.fold(
        RunOpened(run="r" * 50, name="a name", benchmark="ecom", model="m" * 60, settings=(), versions=VERSIONS)
    )
    heads = tuple(AllottedTrial(trial_id=f"t{at}", task_id=f"some-long-task-family.{at}") for at in range(trials))
    summary.fold(RunStarted(run_id="x", trials=heads, at_ms=NOW))
    for at in range(running):
        start(summary, at)
    return summary


def start(summary: RunSummary, at: int, at_ms: int = NOW) -> None:
    task = f"some-long-task-family.{at}"
    summary.fold(
        TrialStarted(trial_id=f"t{at}", task_id=task, instruction="do", now="2026-01-01", surface="", at_ms=at_ms)
    )


def end(summary: RunSummary, at: int, score: float = 1.0, elapsed_ms: float = 10_000) -> None:
    summary.fold(TrialEnded(trial_id=f"t{at}", how="answered", elapsed_ms=elapsed_ms))
    summary.fold(Scored(trial_id=f"t{at}", score=score))


def drawn(frame: RunFrame, summary: RunSummary, *, width: int = 80, height: int = 24) -> list[str]:
    return [each.plain for each in frame.lines(summary, RunPhase.WORKING, NOW + 5000, width=width, height=height)]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("height", [3, 10, 24, 60])
@pytest.mark.parametrize("running", [0, 1, 50])
def test_it_never_is_wider_or_higher_than_its_window(width: int, height: int, running: int) -> None:
    summary = begun(100, running)
    for at in range(running):
        path = "/a/very/long/path/漢字" * 9
        summary.fold(CallSent(trial_id=f"t{at}", step=1, number=0, operation="read", arguments={"path": path}))
    summary.fold(Noticed(trial_id="t0", text="the model is away\n" * 20, retry=True))
    for phase in RunPhase:
        lines = RunFrame().lines(summary, phase, NOW, width=width, height=height)
        assert len(lines) < height
        assert all(each.cell_len < width and "\n" not in each.plain for each in lines)
        assert lines[-1].cell_len + len("^C") < width


def test_every_last_line_fits_80_columns() -> None:
    assert all(len(phase) + len("^C") < 80 for phase in RunPhase)


def test_what_does_not_fit_is_counted() -> None:
    lines = drawn(RunFrame(), begun(100, 50))
    shown = sum("some-long-task-family" in each for each in lines)
    assert 10 < shown < 24
    assert f"+ {50 - shown} more running" in "\n".join(lines)


def test_a_row_stays_with_its_trial_until_that_is_over() -> None:
    summary, frame, chance = begun(300, 12), RunFrame(), random.Random(7)
    following = 12
    before: dict[str, int] = {}
    while summary.running:
        places = {each.split()[0]: at for at, each in enumerate(drawn(frame, summary)) if "family" in each}
        assert len(places) == len(summary.running)
        assert {name: at for name, at in before.items() if name in places}.items() <= places.items()
        before = places
        ended = chance.choice(sorted(summary.running))
        end(summary, int(ended[1:]))
        if following < 300 and len(summary.running) < 12 and chance.random() < 0.95:
            start(summary, following)
            following += 1


def test_it_tells_progress_score_tokens_cost_retries_and_rejections() -> None:
    summary = begun(10, 4)
    summary.fold(ModelAsked(trial_id="t0", step=3, messages=2))
    usage = Usage(prompt_tokens=40_000, completion_tokens=5_200)
    summary.fold(ModelReplied(trial_id="t0", step=3, reply="", usage=usage, cost_usd=0.25))
    summary.fold(Noticed(trial_id="t1", text="HTTP 503; asking again in 1.0 s", retry=True))
    summary.rejections = Counter({"4": 2, "8": 1, "ecom/checklist": 3})
    end(summary, 2, score=0.5)
    text = "\n".join(drawn(RunFrame(), summary))
    for each in ("1 of 10", "0:05", "left", "mean score 0.500 of 1", "3 running", "45.2k tokens", "$0.2500", "1 retry"):
        assert each in text
    assert "sent back by gate 4 (citations were read) ×2, gate 8 (literal tokens) ×" in text
    assert "step  3   0:05  running" in text
    assert "calls at a time" not in text
    throttled = RunFrame(throttle_status="4 calls at a time")
    assert "1 retry · 4 calls at a time" in "\n".join(drawn(throttled, summary, width=100))
    assert "asking again in 1.0 s" in text


@pytest.mark.parametrize(
    ("phase", "last"),
    [
        (RunPhase.WORKING, "2 notices, the latest: the platform is away; trying again in 1.0 s"),
        (RunPhase.SUBMITTING, "submitting the run: the platform is away; trying again in 1.0 s"),
        (RunPhase.STOPPING, "stopping after the running steps · Ctrl-C: now"),
    ],
)
def test_the_last_line_tells_the_latest_notice_unless_something_matters_more(phase: RunPhase, last: str) -> None:
    summary = begun(3, 1)
    summary.fold(RunNotice(text="something"))
    summary.fold(RunNotice(text="the platform is away;\ntrying again in 1.0 s"))
    assert RunFrame().lines(summary, phase, NOW, width=100, height=24)[-1].plain == last
    summary.fold(RunResumed(versions=Versions(controlplane="1", python="3.11", gates="g", prompts="p")))
    assert RunFrame().lines(summary, phase, NOW, width=100, height=24)[-1].plain == str(phase)


@pytest.mark.parametrize("phase", RunPhase)
def test_no_time_is_left_for_trials_that_will_not_be_run(phase: RunPhase) -> None:
    summary = begun(10, 4)
    end(summary, 2)
    text = "\n".join(each.plain for each in RunFrame().lines(summary, phase, NOW, width=100, height=24))
    assert ("left" in text) == (phase is RunPhase.WORKING)
