"""Runs that a server keeps: when they may be submitted, when their scores are out, and when they are forgotten; the
tasks that it serves, under plain names."""

import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from benchmarks.bitgn.server import listening, served_runs
from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from benchmarks.ecom.shop_environment import WORKER_MODULES
from controlplane import TaskSelection
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import RIGHT, Platform, platform


@pytest.fixture(scope="module")
def served():
    with platform() as calls:
        yield calls


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


def test_scores_that_the_benchmark_has_only_later_are_pending_until_then():
    with platform(ShelfBenchmark(pending_polls=2)) as calls:
        run = finished(calls, answers=1)
        assert calls("SubmitRun", runId=run["runId"], force=True)["state"] == "RUN_STATE_PENDING_EVAL"
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_PENDING_EVAL"
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_EVALUATED"


def test_every_trial_has_an_worker_from_its_first_tool_to_its_end_and_calls_at_once_lose_no_change():
    this = psutil.Process()
    before = set(this.children())
    options = {"selection": TaskSelection(limit=2), "worker_modules": WORKER_MODULES}
    with platform(EcomBenchmark(), **options) as calls, ThreadPoolExecutor(8) as threads:
        run = calls("StartRun", benchmarkId="ecom")
        runtimes = [calls.start(trialId) for trialId in run["trialIds"]]

        def write(number: int) -> None:
            calls.http.post(runtimes[number % 2] + "Write", json={"path": f"/tmp/{number}", "content": f"{number}"})

        list(threads.map(write, range(40)))
        endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
        overrun = calls.http.post(runtimes[0] + "Exec", json={"path": "/bin/sql", "args": [endless]}).json()
        assert overrun.get("code") == "resource_exhausted" or overrun.get("stderr"), "where there is no SQL, it says so"
        for runtime in runtimes:
            calls.http.post(runtime + "Exec", json={"path": "/bin/cat", "args": ["/tmp/0", "/tmp/1"]})
        for trial, runtime in enumerate(runtimes):
            listed = calls.http.post(runtime + "List", json={"path": "/tmp"}).json()["entries"]
            assert {each["name"] for each in listed} >= {str(each) for each in range(40) if each % 2 == trial}
        (server,) = set(this.children()) - before
        running = set(server.children())
        for trial_id in run["trialIds"]:
            calls("EndTrial", trialId=trial_id)
        assert len(running - set(server.children())) == 2
    assert set(this.children()) == before


def test_a_run_that_nobody_calls_ends():
    options = {"selection": TaskSelection(limit=2), "worker_modules": WORKER_MODULES, "idle_s": 1.0}
    with platform(EcomBenchmark(), **options) as calls:
        run = calls("StartRun", benchmarkId="ecom")
        calls.http.post(calls.start(run["trialIds"][0]) + "List", json={"path": "/"})
        for _ in range(8):
            time.sleep(2.5)  # Asking is a call too.
            ended = calls("GetRun", runId=run["runId"])
            if ended["state"] == "RUN_STATE_EVALUATED":
                break
        assert (ended["state"], ended["stats"]) == ("RUN_STATE_EVALUATED", {"errorCount": 2})
        assert calls("GetTrial", trialId=run["trialIds"][0])["error"] == "forced close"


def test_too_many_running_trials_and_kept_bytes_end_the_runs_of_others_alone(monkeypatch):
    monkeypatch.setattr(served_runs, "MOST_RUNNING_TRIALS", 3)
    monkeypatch.setattr(served_runs, "MOST_KEPT_BYTES", 100_000)
    monkeypatch.setattr(listening, "MOST_KEPT_BYTES", 100_000)
    with platform(ShelfBenchmark(trials=4)) as calls:
        left, own = calls.run(), calls.run()
        calls.start(left["trialIds"][0])
        runtimes = [calls.start(trial_id) for trial_id in own["trialIds"]]
        assert calls("GetRun", runId=left["runId"])["state"] == "RUN_STATE_EVALUATED"
        assert calls("GetRun", runId=own["runId"])["stats"] == {"runningCount": 4}
        sizes = [
            calls.http.post(runtime + "Write", json={"path": "/a", "content": "x" * 40_000}) for runtime in runtimes
        ]
        assert [reply.status_code for reply in sizes] == [200, 200, 429, 429]
        calls("EndTrial", trialId=own["trialIds"][0])
        assert calls.answer(runtimes[1], **RIGHT) == {}


def test_runs_and_trials_have_ids_that_nobody_can_guess_and_that_say_nothing():
    selection = TaskSelection(("calendar-date",))
    with platform(EcomBenchmark(), selection=selection, seed=77) as calls:
        runs = [calls("StartRun", benchmarkId="ecom") for _ in range(20)]
        ids = [trialId for run in runs for trialId in (run["runId"], *run["trialIds"])]
        assert len(set(ids)) == 40
        assert all(len(each) == 20 and "calendar" not in each for each in ids)
        assert len({each[:5] for each in ids}) == len({each[-5:] for each in ids}) == 40


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


@pytest.mark.parametrize("outcome", [None, "OUTCOME_UNSPECIFIED", 0, 77, "OUTCOME_FINE"])
def test_an_answer_needs_one_of_the_five_outcomes(served, outcome):
    runtime = served.start(served.run()["trialIds"][0])
    fields = {"message": "Emma"} if outcome is None else {"message": "Emma", "outcome": outcome}
    assert served.answer(runtime, **fields)["code"] == "invalid_argument"
    assert served.answer(runtime, **RIGHT) == {}
