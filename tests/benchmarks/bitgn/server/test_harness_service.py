"""Runs and trials as the platform gives them: states, scores, what stands in the way of a submission."""

import pytest

from controlplane import RunRequest, TaskSelection, TaskTry
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import RIGHT, platform


def test_the_benchmark_is_described_with_hints_only_where_scores_are_open(served):
    described = served("GetBenchmark", benchmarkId="shelf")
    assert described["policy"] == "EVAL_POLICY_OPEN"
    assert described["tasks"][0] == {"taskId": "t00", "preview": "Which title?", "hint": "look in /books"}
    with platform(policy="blind") as blind:
        described = blind("GetBenchmark", benchmarkId="shelf")
        assert described["policy"] == "EVAL_POLICY_BLIND"
        assert described["tasks"][0] == {"taskId": "t00", "preview": "Which title?"}


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
