"""Runs and trials as the platform gives them: states, scores, what stands in the way of a submission."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from urllib.parse import quote

import httpx2
import pytest

from benchmarks.bitgn.server import ServerOptions, running_server
from benchmarks.bitgn.server.served_runs import KEPT_RUNS
from controlplane import RunRequest, TaskSelection, TaskTry
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark

HARNESS = "/bitgn.harness.HarnessService/"
ECOM = "/bitgn.vm.ecom.EcomRuntime/"
RIGHT = {"message": "Emma", "outcome": "OUTCOME_OK", "refs": ["/books/emma.json"]}


class Platform:
    def __init__(self, http: httpx2.Client) -> None:
        self.http = http

    def __call__(self, method: str, **fields):
        return self.http.post(HARNESS + method, json=fields).json()

    def run(self):
        return self("StartRun", benchmarkId="shelf", name="a run")

    def start(self, trial_id: str) -> str:
        return self("StartTrial", trialId=trial_id)["harnessUrl"] + ECOM

    def answer(self, runtime: str, **fields):
        return self.http.post(runtime + "Answer", json=fields).json()


@contextmanager
def platform(benchmark: ShelfBenchmark | None = None, **options):
    with ExitStack() as stack:
        server = stack.enter_context(running_server(benchmark or ShelfBenchmark(), ServerOptions(**options)))
        yield Platform(stack.enter_context(httpx2.Client(base_url=server.url, timeout=20)))


@pytest.fixture(scope="module")
def benchmark():
    return ShelfBenchmark()


@pytest.fixture(scope="module")
def served(benchmark):
    with platform(benchmark) as calls:
        yield calls


def test_the_benchmark_is_described_with_hints_only_where_scores_are_open(served):
    described = served("GetBenchmark", benchmarkId="shelf")
    assert described["policy"] == "EVAL_POLICY_OPEN"
    assert described["tasks"][0] == {"taskId": "t00", "preview": "Which title?", "hint": "look in /books"}
    with platform(policy="blind") as blind:
        described = blind("GetBenchmark", benchmarkId="shelf")
        assert described["policy"] == "EVAL_POLICY_BLIND"
        assert described["tasks"][0] == {"taskId": "t00", "preview": "Which title?"}


def test_ids_of_the_platforms_own_benchmarks_are_served_under_the_id_that_was_asked_for(served):
    assert served("GetBenchmark", benchmarkId="bitgn/any")["benchmarkId"] == "bitgn/any"
    assert served("StartRun", benchmarkId="bitgn/any")["benchmarkId"] == "bitgn/any"


def test_a_run_is_what_the_server_was_told_and_has_the_clients_name():
    benchmark = ShelfBenchmark()
    selection = TaskSelection(("t00", "t01", "t02"), limit=2)
    with platform(benchmark, selection=selection, seed=7) as calls:
        assert len(calls.run()["trialIds"]) == 2
    assert benchmark.requests == [RunRequest("a run", (TaskTry("t00", 0), TaskTry("t01", 0)), seed=7)]


def test_a_trial_goes_from_new_to_running_to_done_and_has_no_score_before_the_submission(served):
    run = served.run()
    first = run["trialIds"][0]
    assert served("GetTrial", trialId=first)["state"] == "TRIAL_STATE_NEW"
    runtime = served.start(first)
    started = served("GetTrial", trialId=first)
    assert started["state"] == "TRIAL_STATE_RUNNING"
    assert started["instruction"] == "Which title has the book in /books/emma.json?"
    assert served.answer(runtime, **RIGHT) == {}
    assert served("EndTrial", trialId=first) == {"trialId": first, "state": "TRIAL_STATE_DONE"}
    ended = served("GetTrial", trialId=first)
    assert ended["state"] == "TRIAL_STATE_DONE"
    assert "score" not in ended
    assert "scoreAvailable" not in ended


def test_a_trial_that_is_started_again_is_the_same_trial(served, benchmark):
    first = served.run()["trialIds"][0]
    runtime = served.start(first)
    served.http.post(runtime + "Write", json={"path": "/kept.txt", "content": "kept"})
    assert served.start(first) == runtime
    assert benchmark.lifecycle[f"start {first}"] == 1
    assert served.http.post(runtime + "Read", json={"path": "/kept.txt"}).json()["content"] == "kept"


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("EndTrial", ("already_exists", "has already ended")),
        ("StartTrial", ("failed_precondition", "has already ended")),
        ("Answer", ("failed_precondition", "has already ended")),
        ("Read", ("failed_precondition", "has already ended")),
    ],
)
def test_a_trial_that_has_ended_takes_nothing_more(served, method, expected):
    first = served.run()["trialIds"][0]
    runtime = served.start(first)
    served("EndTrial", trialId=first)
    if method in ("Answer", "Read"):
        said = served.http.post(runtime + method, json={"path": "/AGENTS.MD"}).json()
    else:
        said = served(method, trialId=first)
    assert said["code"] == expected[0]
    assert expected[1] in said["message"]


def test_a_trial_that_has_not_started_can_neither_be_ended_nor_called(served):
    first = served.run()["trialIds"][0]
    assert served("EndTrial", trialId=first)["code"] == "failed_precondition"
    runtime = f"/trials/{quote(first, safe='')}{ECOM}"
    assert served.http.post(runtime + "Read", json={}).json()["message"] == f"trial {first} has not started"


@pytest.mark.parametrize("outcome", [None, "OUTCOME_UNSPECIFIED", 0, 77, "OUTCOME_FINE"])
def test_an_answer_needs_one_of_the_five_outcomes(served, outcome):
    runtime = served.start(served.run()["trialIds"][0])
    fields = {"message": "Emma"} if outcome is None else {"message": "Emma", "outcome": outcome}
    assert served.answer(runtime, **fields)["code"] == "invalid_argument"
    assert served.answer(runtime, **RIGHT) == {}


def test_an_answer_is_given_once(served):
    runtime = served.start(served.run()["trialIds"][0])
    assert served.answer(runtime, **RIGHT) == {}
    assert served.answer(runtime, **RIGHT)["code"] == "already_exists"


def finished(calls: Platform, answers: int):
    """Answer the first trials rightly, leave the next one without an answer and the last one open."""
    run = calls.run()
    for number, trial_id in enumerate(run["trialIds"][:-1]):
        runtime = calls.start(trial_id)
        if number < answers:
            calls.answer(runtime, **RIGHT)
        calls("EndTrial", trialId=trial_id)
    return run


def test_open_trials_stand_in_the_way_unless_the_submission_is_forced(served):
    run = finished(served, answers=1)
    refused = served("SubmitRun", runId=run["runId"])
    assert refused["code"] == "failed_precondition"
    assert served("GetRun", runId=run["runId"])["state"] == "RUN_STATE_RUNNING"
    submitted = served("SubmitRun", runId=run["runId"], force=True)
    assert submitted["state"] == "RUN_STATE_EVALUATED"
    assert submitted["score"] == pytest.approx(1 / 3)
    right, unanswered, forced = submitted["trials"]
    common = {"scoreAvailable": True}
    assert right == common | {"trialId": run["trialIds"][0], "taskId": "t00", "state": "TRIAL_STATE_DONE", "score": 1}
    assert unanswered == common | {
        "trialId": run["trialIds"][1],
        "taskId": "t01",
        "num": 1,
        "state": "TRIAL_STATE_DONE",
        "score": 0,
        "scoreDetail": ["no answer provided"],
    }
    assert forced == common | {
        "trialId": run["trialIds"][2],
        "taskId": "t02",
        "num": 2,
        "state": "TRIAL_STATE_ERROR",
        "score": 0,
        "error": "forced close",
    }


def test_a_run_is_submitted_once_and_counts_its_trials(served):
    run = finished(served, answers=2)
    counts = served("GetRun", runId=run["runId"])["stats"]
    assert counts == {"newCount": 1, "doneCount": 2}
    served("SubmitRun", runId=run["runId"], force=True)
    assert served("SubmitRun", runId=run["runId"], force=True)["code"] == "already_exists"
    after = served("GetRun", runId=run["runId"])
    assert after["stats"] == {"doneCount": 2, "errorCount": 1}
    assert [trial["score"] for trial in after["trials"]] == [1, 1, 0]
    assert after["score"] == pytest.approx(2 / 3)


def test_a_blind_run_keeps_its_scores_until_they_are_revealed():
    with platform(policy="blind", reveal_after_s=0.3) as calls:
        run = finished(calls, answers=1)
        submitted = calls("SubmitRun", runId=run["runId"], force=True)
        for sealed in (submitted, calls("GetRun", runId=run["runId"])):
            assert sealed["state"] == "RUN_STATE_PENDING_EVAL"
            assert "score" not in sealed
            assert not any("score" in trial or "scoreDetail" in trial for trial in sealed["trials"])
        assert "score" not in calls("GetTrial", trialId=run["trialIds"][0])
        time.sleep(0.35)
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_EVALUATED"
        assert calls("GetTrial", trialId=run["trialIds"][1])["scoreDetail"] == ["no answer provided"]


def test_a_blind_run_without_a_reveal_stays_sealed():
    with platform(policy="blind") as calls:
        run = finished(calls, answers=1)
        calls("SubmitRun", runId=run["runId"], force=True)
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_PENDING_EVAL"


def test_scores_that_the_benchmark_has_only_later_are_pending_until_then():
    with platform(ShelfBenchmark(pending_polls=2)) as calls:
        run = finished(calls, answers=1)
        assert calls("SubmitRun", runId=run["runId"], force=True)["state"] == "RUN_STATE_PENDING_EVAL"
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_PENDING_EVAL"
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_EVALUATED"


def test_a_trials_log_counts_its_calls_and_goes_on_from_a_cursor(served):
    first = served.run()["trialIds"][0]
    runtime = served.start(first)
    served.http.post(runtime + "Read", json={"path": "/AGENTS.MD"})
    served.http.post(runtime + "Read", json={"path": "/none"})
    seen = served("GetTrial", trialId=first)
    assert [line["text"] for line in seen["logs"]] == [
        "started",
        "Read /AGENTS.MD",
        "Read /none",
        "Read: not_found: there is no /none",
    ]
    assert (seen["apiCalls"], seen["apiErrors"], seen["eventCount"], seen["nextCursor"]) == ("2", "1", "4", "4")
    assert seen["durationSec"] > 0
    later = served("GetTrial", trialId=first, cursor=seen["nextCursor"])
    assert "logs" not in later


def test_the_oldest_runs_that_were_handed_in_are_forgotten():
    with platform(ShelfBenchmark(trials=1)) as calls:
        abandoned = calls.run()
        runs = [calls.run() for _ in range(KEPT_RUNS + 2)]
        for run in runs:
            calls("SubmitRun", runId=run["runId"], force=True)
        calls.run()
        states = [calls("GetRun", runId=run["runId"]).get("state") for run in runs]
        assert states == [None, None] + ["RUN_STATE_EVALUATED"] * KEPT_RUNS
        assert calls("GetTrial", trialId=runs[0]["trialIds"][0])["code"] == "not_found"
        assert calls("GetRun", runId=abandoned["runId"])["state"] == "RUN_STATE_RUNNING"
