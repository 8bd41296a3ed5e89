"""Runs and trials on the server: they end once, stay apart, and cannot fill it.

Ended trials take no calls, and ids cannot be guessed. A submitted run has scores when the
benchmark has. Trials and bytes are limited. Trials of an embedded shop leave no process behind,
lose no change, and survive a query without end.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest

from controlplane import BenchmarkContext, TaskSelection
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.benchmarks.ecom.shop_environment import WORKER_MODULES
from controlplane.configuration.named_modules import open_benchmark
from controlplane.sandbox.interface import bounds
from tests.benchmarks.bitgn.served_shop import RawClient, raw_client_of
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.benchmarks.bitgn.shelf_contents import RIGHT_ANSWER_FIELDS

# Runs that a client of the platform (BitGN) has played in part.
#
#     run = run_with_one_right_answer(client)
#     run["trialIds"]     # ["8f3a...", "c2d1...", "77b0..."]
#
# The first of these trials was answered rightly, the second was not answered, the last not started.


def run_with_one_right_answer(client: RawClient) -> dict[str, Any]:
    """Start a run of three trials. Return it with the ids of its trials in `trialIds`.

    The first trial is answered rightly and ended, the second one is ended without an
    answer, and the last one is not started.
    """
    run = client.start_run()
    answered, unanswered, _not_started = run["trialIds"]
    runtime_url = client.start_trial(answered)
    client.runtime(runtime_url, "Answer", **RIGHT_ANSWER_FIELDS)
    client.harness("EndTrial", trialId=answered)
    client.start_trial(unanswered)
    client.harness("EndTrial", trialId=unanswered)
    return run


# Answers that a client gives to the server: one without a known outcome is refused.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
# An answer has an outcome, such as `OUTCOME_OK`, which says whether the task could be solved.
# `RIGHT_ANSWER_FIELDS` are the fields of a right answer:
# `{"message": "Emma", "outcome": "OUTCOME_OK", ...}`.


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="missing"),
        pytest.param({"outcome": "OUTCOME_UNSPECIFIED"}, id="unspecified"),
        pytest.param({"outcome": 0}, id="number of unspecified"),
        pytest.param({"outcome": 77}, id="unknown number"),
        pytest.param({"outcome": "OUTCOME_FINE"}, id="unknown name"),
    ],
)
def test_answer_without_a_known_outcome_is_refused_and_may_be_given_again(
    client: RawClient, fields: dict[str, object]
) -> None:
    runtime_url = client.start_trial(client.start_run()["trialIds"][0])

    refusal = client.runtime(runtime_url, "Answer", message="Emma", **fields)
    accepted = client.runtime(runtime_url, "Answer", **RIGHT_ANSWER_FIELDS)

    assert refusal["code"] == "invalid_argument"
    assert accepted == {}


# Trials of the server that have ended: they take no calls, and do not start again.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
# `client.harness` calls a method for runs and trials, `client.runtime` one for the files and tools of a
# trial. A refusal is `{"code": "already_exists", "message": ...}`.


def test_ended_trial_cannot_be_ended_again(client: RawClient) -> None:
    """The client learns that the trial is over, and not that it failed."""
    trial_id = client.start_run()["trialIds"][0]
    client.start_trial(trial_id)
    client.harness("EndTrial", trialId=trial_id)

    refusal = client.harness("EndTrial", trialId=trial_id)

    assert refusal["code"] == "already_exists"
    assert "has already ended" in refusal["message"]


def test_ended_trial_cannot_be_started_again(client: RawClient) -> None:
    trial_id = client.start_run()["trialIds"][0]
    client.start_trial(trial_id)
    client.harness("EndTrial", trialId=trial_id)

    refusal = client.harness("StartTrial", trialId=trial_id)

    assert refusal["code"] == "failed_precondition"
    assert "has already ended" in refusal["message"]


@pytest.mark.parametrize("method", ["Answer", "Read"])
def test_ended_trial_takes_no_calls(client: RawClient, method: str) -> None:
    """Its answer is graded already, so that nothing may change any more."""
    trial_id = client.start_run()["trialIds"][0]
    runtime_url = client.start_trial(trial_id)
    client.harness("EndTrial", trialId=trial_id)

    refusal = client.runtime(runtime_url, method, path="/AGENTS.MD")

    assert refusal["code"] == "failed_precondition"
    assert "has already ended" in refusal["message"]


# Ends of trials of an embedded shop on the server: they leave no process behind.
#
# The server offers the shop's tasks to agents over HTTP, in the protocol of the platform BitGN. The
# tools of a trial run in a worker process, which ends with the trial, and with a run that its client
# has left.


def test_trial_has_a_worker_process_until_it_ends() -> None:
    """The server has a child process, which forks a worker for each trial with a tool call."""
    options = ServerOptions(
        selection=TaskSelection(limit=2), worker_modules=WORKER_MODULES
    )
    this_process = psutil.Process()
    children_before = set(this_process.children())
    with raw_client_of(EcomBenchmark(), options) as client:
        run = client.harness("StartRun", benchmarkId="ecom")
        for trial_id in run["trialIds"]:
            runtime_url = client.start_trial(trial_id)
            client.runtime(runtime_url, "Exec", path="/bin/cat", args=["/AGENTS.MD"])

        (fork_server,) = set(this_process.children()) - children_before
        workers_during_trials = set(fork_server.children())
        for trial_id in run["trialIds"]:
            client.harness("EndTrial", trialId=trial_id)
        workers_after_trials = set(fork_server.children())

    ended_workers = workers_during_trials - workers_after_trials
    assert len(ended_workers) == 2  # one for each trial
    assert set(this_process.children()) == children_before


def test_run_without_calls_ends() -> None:
    """A run ends after 1 s without a call. To ask for its state is a call, too.

    So the test asks for it only after 2.5 s, and again if a slow machine needs longer.
    """
    options = ServerOptions(
        selection=TaskSelection(limit=2), worker_modules=WORKER_MODULES, idle_s=1.0
    )
    with raw_client_of(EcomBenchmark(), options) as client:
        run_reply = client.harness("StartRun", benchmarkId="ecom")
        trial_id = run_reply["trialIds"][0]
        runtime_url = client.start_trial(trial_id)
        client.runtime(runtime_url, "List", path="/")

        for _ in range(8):
            time.sleep(2.5)
            run = client.harness("GetRun", runId=run_reply["runId"])
            if run["state"] == "RUN_STATE_EVALUATED":
                break
        trial = client.harness("GetTrial", trialId=trial_id)

    assert run["state"] == "RUN_STATE_EVALUATED"
    assert run["stats"] == {"errorCount": 2}
    assert trial["error"] == "forced close"


# Ids of the runs and trials of the server: nobody can guess one.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
# Whoever has the id of a trial can make its calls.


def test_ids_of_runs_and_trials_cannot_be_guessed() -> None:
    """An id names neither the task nor the run, and no two ids begin or end alike."""
    run_count = 20
    options = ServerOptions(selection=TaskSelection(("calendar-date",)), seed=77)
    with raw_client_of(EcomBenchmark(), options) as client:
        ids: list[str] = []
        for _ in range(run_count):
            run = client.harness("StartRun", benchmarkId="ecom")
            ids.append(run["runId"])
            ids.extend(run["trialIds"])

    id_count = 2 * run_count  # Each run has one trial.
    assert len(set(ids)) == id_count
    beginnings = {wire_id[:5] for wire_id in ids}
    ends = {wire_id[-5:] for wire_id in ids}
    assert len(beginnings) == id_count
    assert len(ends) == id_count
    for wire_id in ids:
        assert len(wire_id) == 20
        assert "calendar" not in wire_id


# Limits of the server for trials and bytes, so that clients cannot fill it.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
# The tests lower the limits: to three running trials, and to 100,000 bytes.


def test_too_many_running_trials_end_the_run_that_was_called_longest_ago(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """3 trials may run. The newer run starts 4, so the older run has to end.

    The newer run exceeds the limit by itself. It goes on, as the limit never ends the run that
    calls.
    """
    monkeypatch.setattr(bounds, "MOST_RUNNING_TRIALS", 3)
    with raw_client_of(ShelfBenchmark(trials=4)) as client:
        older_run = client.start_run()
        newer_run = client.start_run()
        client.start_trial(older_run["trialIds"][0])
        assert len(newer_run["trialIds"]) == 4
        for trial_id in newer_run["trialIds"]:
            client.start_trial(trial_id)

        older_run_at_end = client.harness("GetRun", runId=older_run["runId"])
        newer_run_at_end = client.harness("GetRun", runId=newer_run["runId"])

    assert older_run_at_end["state"] == "RUN_STATE_EVALUATED"  # The run has ended.
    assert newer_run_at_end["stats"] == {"runningCount": 4}


def test_run_that_stores_too_much_can_end_trials_to_make_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The trials of a run may together store 100,000 bytes: two files of 40,000, but not three.

    An answer is stored, too. After the first trial has ended, its file is gone, so that there is
    room for the answer of the second.
    """
    monkeypatch.setattr(bounds, "MOST_WIRE_SERVER_BYTES", 100_000)
    with raw_client_of(ShelfBenchmark(trials=4)) as client:
        trial_ids = client.start_run()["trialIds"]
        runtime_urls = [client.start_trial(trial_id) for trial_id in trial_ids]
        file = {"path": "/a", "content": "x" * 40_000}

        statuses: list[int] = []
        for runtime_url in runtime_urls:  # of four trials
            reply = client.http.post(runtime_url + "Write", json=file)
            statuses.append(reply.status_code)
        client.harness("EndTrial", trialId=trial_ids[0])
        reply_to_answer = client.runtime(
            runtime_urls[1], "Answer", **RIGHT_ANSWER_FIELDS
        )

    too_much = 429
    assert statuses == [200, 200, too_much, too_much]
    assert reply_to_answer == {}  # The answer was accepted.


# Submitted runs that have no scores yet, as a benchmark may need time to grade them.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN. A
# client asks for the run's state until `RUN_STATE_PENDING_EVAL` has become `RUN_STATE_EVALUATED`.


def test_run_is_pending_until_the_benchmark_has_scores() -> None:
    """The benchmark has no scores at submission and the first request, and then has them."""
    with raw_client_of(ShelfBenchmark(pending_polls=2)) as client:
        run_id = run_with_one_right_answer(client)["runId"]

        submitted_run = client.harness("SubmitRun", runId=run_id, force=True)
        run_at_first_request = client.harness("GetRun", runId=run_id)
        run_at_second_request = client.harness("GetRun", runId=run_id)

    assert submitted_run["state"] == "RUN_STATE_PENDING_EVAL"
    assert run_at_first_request["state"] == "RUN_STATE_PENDING_EVAL"
    assert run_at_second_request["state"] == "RUN_STATE_EVALUATED"


# Runs that a client submits to the server: they have scores then.
#
# The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN. A
# run is submitted when all its trials have ended, or by force, and then has scores. In these tests,
# the first of a run's three trials is answered rightly, the second has no answer, and the last one
# is not started.


def test_run_with_an_open_trial_is_not_submitted(client: RawClient) -> None:
    """The user may still want to play the trial that was not started."""
    run = run_with_one_right_answer(client)

    refusal = client.harness("SubmitRun", runId=run["runId"])

    assert refusal["code"] == "failed_precondition"
    open_run = client.harness("GetRun", runId=run["runId"])
    assert open_run["state"] == "RUN_STATE_RUNNING"


def test_run_with_an_open_trial_can_be_submitted_by_force(client: RawClient) -> None:
    run = run_with_one_right_answer(client)

    submitted_run = client.harness("SubmitRun", runId=run["runId"], force=True)

    assert submitted_run["state"] == "RUN_STATE_EVALUATED"
    assert submitted_run["score"] == pytest.approx(1 / 3)
    answered, unanswered, not_started = submitted_run["trials"]
    assert answered == {
        "trialId": run["trialIds"][0],
        "taskId": "t00",
        "state": "TRIAL_STATE_DONE",
        "scoreAvailable": True,
        "score": 1,
    }
    assert unanswered == {
        "trialId": run["trialIds"][1],
        "taskId": "t01",
        "num": 1,
        "state": "TRIAL_STATE_DONE",
        "scoreAvailable": True,
        "score": 0,
        "scoreDetail": ["no answer provided"],
    }
    assert not_started == {
        "trialId": run["trialIds"][2],
        "taskId": "t02",
        "num": 2,
        "state": "TRIAL_STATE_ERROR",
        "scoreAvailable": True,
        "score": 0,
        "error": "forced close",
    }


# Trials of an embedded shop on the server: they do not disturb each other.
#
# The server offers the shop's tasks to agents over HTTP, in the protocol of the platform BitGN.
# The tools of a trial run in a worker process of its own, with a limit of processor time.


@pytest.fixture(scope="module")
def shop_client() -> Iterator[RawClient]:
    """A client of the embedded shop. With the profile `dev`, its database never fails."""
    opened = open_benchmark("ecom", {"profile": "dev"}, BenchmarkContext())
    options = ServerOptions(
        selection=TaskSelection(limit=2), worker_modules=WORKER_MODULES
    )
    with raw_client_of(opened.benchmark, options) as client:
        yield client


def start_shop_trials(client: RawClient) -> list[str]:
    """Start a run and both of its trials. Return the URLs of their runtimes."""
    run = client.harness("StartRun", benchmarkId="ecom")
    return [client.start_trial(trial_id) for trial_id in run["trialIds"]]


def test_concurrent_writes_lose_no_change(shop_client: RawClient) -> None:
    """Eight threads write forty files, in turn to one trial and the other."""
    runtime_urls = start_shop_trials(shop_client)

    with ThreadPoolExecutor(8) as threads:
        replies = []
        for number in range(40):
            url = runtime_urls[number % 2]
            file = {"path": f"/tmp/{number}", "content": f"{number}"}
            replies.append(threads.submit(shop_client.runtime, url, "Write", **file))
        for reply in replies:
            reply.result()

    for trial_number, runtime_url in enumerate(runtime_urls):
        listing = shop_client.runtime(runtime_url, "List", path="/tmp")
        names = {entry["name"] for entry in listing["entries"]}
        written_names = {str(number) for number in range(trial_number, 40, 2)}
        assert written_names <= names


@pytest.mark.usefixtures("short_worker_calls")
def test_query_without_end_is_given_up_and_the_trial_goes_on(
    shop_client: RawClient,
) -> None:
    """The query runs in the worker process of its trial, which has a limit of CPU time."""
    runtime_url = start_shop_trials(shop_client)[0]
    endless_query = (
        "with recursive n(x) as (select 1 union all select x + 1 from n) "
        "select count(*) from n"
    )

    refusal = shop_client.runtime(
        runtime_url, "Exec", path="/bin/sql", args=[endless_query]
    )
    listing = shop_client.runtime(runtime_url, "List", path="/")

    assert refusal["code"] == "resource_exhausted"
    assert listing["entries"]
