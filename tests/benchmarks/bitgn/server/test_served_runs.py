"""Runs and trials of the server that serves a benchmark as the platform (BitGN) does.

A client starts a run, starts and answers its trials, ends them, and submits the run. Then
the run has scores. The tests also show what ends a run that its client has left, and that
trials of an embedded shop, with a worker process each, do not disturb each other.
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
from tests.benchmarks.bitgn.raw_client import (
    RIGHT_ANSWER_FIELDS,
    RawClient,
    raw_client_of,
)
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark


@pytest.fixture(scope="module")
def client() -> Iterator[RawClient]:
    """A client of a server whose runs have three trials."""
    with raw_client_of(ShelfBenchmark()) as client:
        yield client


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


class TestSubmittedRuns:
    """A run is submitted when its trials have ended, or by force, and then has scores.

    `run_with_one_right_answer` starts a run of three trials: the first is answered rightly and
    ended, the second is ended without an answer, and the last one is not started.
    """

    def test_run_with_an_open_trial_is_not_submitted(self, client: RawClient) -> None:
        """One of the run's three trials was not started. The user may still want to play it."""
        run = run_with_one_right_answer(client)

        refusal = client.harness("SubmitRun", runId=run["runId"])

        assert refusal["code"] == "failed_precondition"
        open_run = client.harness("GetRun", runId=run["runId"])
        assert open_run["state"] == "RUN_STATE_RUNNING"

    def test_run_with_an_open_trial_can_be_submitted_by_force(
        self, client: RawClient
    ) -> None:
        """Of three trials, one was answered rightly, one has no answer, and one was not started."""
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

    def test_run_is_pending_until_the_benchmark_has_scores(self) -> None:
        """The benchmark has no scores at submission and the first request, and then has them."""
        with raw_client_of(ShelfBenchmark(pending_polls=2)) as client:
            run_id = run_with_one_right_answer(client)["runId"]

            submitted_run = client.harness("SubmitRun", runId=run_id, force=True)
            run_at_first_request = client.harness("GetRun", runId=run_id)
            run_at_second_request = client.harness("GetRun", runId=run_id)

        assert submitted_run["state"] == "RUN_STATE_PENDING_EVAL"
        assert run_at_first_request["state"] == "RUN_STATE_PENDING_EVAL"
        assert run_at_second_request["state"] == "RUN_STATE_EVALUATED"


class TestEndedTrials:
    """A trial has one attempt: after its end, it takes no calls and does not start again.

    `client.harness` calls a method for runs and trials, `client.runtime` one for the files and
    tools of a trial. A refusal is `{"code": "already_exists", "message": ...}`.
    """

    def test_ended_trial_cannot_be_ended_again(self, client: RawClient) -> None:
        """The client learns that the trial is over, and not that it failed."""
        trial_id = client.start_run()["trialIds"][0]
        client.start_trial(trial_id)
        client.harness("EndTrial", trialId=trial_id)

        refusal = client.harness("EndTrial", trialId=trial_id)

        assert refusal["code"] == "already_exists"
        assert "has already ended" in refusal["message"]

    def test_ended_trial_cannot_be_started_again(self, client: RawClient) -> None:
        """A trial has one attempt."""
        trial_id = client.start_run()["trialIds"][0]
        client.start_trial(trial_id)
        client.harness("EndTrial", trialId=trial_id)

        refusal = client.harness("StartTrial", trialId=trial_id)

        assert refusal["code"] == "failed_precondition"
        assert "has already ended" in refusal["message"]

    @pytest.mark.parametrize("method", ["Answer", "Read"])
    def test_ended_trial_takes_no_calls(self, client: RawClient, method: str) -> None:
        """Its answer is graded already, so that nothing may change any more."""
        trial_id = client.start_run()["trialIds"][0]
        runtime_url = client.start_trial(trial_id)
        client.harness("EndTrial", trialId=trial_id)

        refusal = client.runtime(runtime_url, method, path="/AGENTS.MD")

        assert refusal["code"] == "failed_precondition"
        assert "has already ended" in refusal["message"]


class TestAnswers:
    """An answer has an outcome, such as `OUTCOME_OK`, which says whether the task could be solved.

    `RIGHT_ANSWER_FIELDS` are the fields of a right answer:
    `{"message": "Emma", "outcome": "OUTCOME_OK", ...}`.
    """

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
        self, client: RawClient, fields: dict[str, object]
    ) -> None:
        """An outcome, such as `OUTCOME_OK`, says whether the task could be solved."""
        runtime_url = client.start_trial(client.start_run()["trialIds"][0])

        refusal = client.runtime(runtime_url, "Answer", message="Emma", **fields)
        accepted = client.runtime(runtime_url, "Answer", **RIGHT_ANSWER_FIELDS)

        assert refusal["code"] == "invalid_argument"
        assert accepted == {}


class TestLimits:
    """The server keeps a limited number of trials and of bytes. Clients cannot fill it.

    The limits are lowered: to three running trials, and to 100,000 bytes.
    """

    def test_too_many_running_trials_end_the_run_that_was_called_longest_ago(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """At most 3 trials may run. The run that starts a fourth one is not ended itself."""
        monkeypatch.setattr(bounds, "MOST_RUNNING_TRIALS", 3)
        with raw_client_of(ShelfBenchmark(trials=4)) as client:
            older_run = client.start_run()
            newer_run = client.start_run()
            client.start_trial(older_run["trialIds"][0])
            for trial_id in newer_run["trialIds"]:  # four trials
                client.start_trial(trial_id)

            older_run_at_end = client.harness("GetRun", runId=older_run["runId"])
            newer_run_at_end = client.harness("GetRun", runId=newer_run["runId"])

        assert older_run_at_end["state"] == "RUN_STATE_EVALUATED"
        assert newer_run_at_end["stats"] == {"runningCount": 4}

    def test_run_that_stores_too_much_can_end_trials_to_make_room(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A run may store 100,000 bytes: two files of 40,000, and not a third one.

        After one of the trials with a file has ended, another one can be answered.
        """
        monkeypatch.setattr(bounds, "MOST_WIRE_SERVER_BYTES", 100_000)
        with raw_client_of(ShelfBenchmark(trials=4)) as client:
            trial_ids = client.start_run()["trialIds"]
            runtime_urls = [client.start_trial(trial_id) for trial_id in trial_ids]
            file = {"path": "/a", "content": "x" * 40_000}

            statuses: list[int] = []
            for runtime_url in runtime_urls:
                reply = client.http.post(runtime_url + "Write", json=file)
                statuses.append(reply.status_code)
            client.harness("EndTrial", trialId=trial_ids[0])
            reply_after_the_end = client.runtime(
                runtime_urls[1], "Answer", **RIGHT_ANSWER_FIELDS
            )

        assert statuses == [200, 200, 429, 429]
        assert reply_after_the_end == {}


class TestIds:
    """Whoever has the id of a trial can make its calls, so nobody may guess one."""

    def test_ids_of_runs_and_trials_cannot_be_guessed(self) -> None:
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


# Runs of two trials of the embedded shop, whose tools run in a worker process of the trial.
SHOP_OPTIONS = ServerOptions(
    selection=TaskSelection(limit=2), worker_modules=WORKER_MODULES
)


@pytest.fixture(scope="module")
def shop_client() -> Iterator[RawClient]:
    """A client of the embedded shop. With the profile `dev`, its database never fails."""
    opened = open_benchmark("ecom", {"profile": "dev"}, BenchmarkContext())
    with raw_client_of(opened.benchmark, SHOP_OPTIONS) as client:
        yield client


def start_shop_trials(client: RawClient) -> list[str]:
    """Start a run and both of its trials. Return the URLs of their runtimes."""
    run = client.harness("StartRun", benchmarkId="ecom")
    return [client.start_trial(trial_id) for trial_id in run["trialIds"]]


class TestShopTrials:
    """Trials of an embedded shop do not disturb each other.

    The tools of a trial run in a worker process of its own, with a limit of processor time.
    """

    def test_concurrent_writes_lose_no_change(self, shop_client: RawClient) -> None:
        """Eight threads write forty files, in turn to one trial and the other."""
        runtime_urls = start_shop_trials(shop_client)

        def write_file(number: int) -> None:
            runtime_url = runtime_urls[number % 2]
            file = {"path": f"/tmp/{number}", "content": f"{number}"}
            shop_client.runtime(runtime_url, "Write", **file)

        with ThreadPoolExecutor(8) as threads:
            writes = [threads.submit(write_file, number) for number in range(40)]
            for write in writes:
                write.result()

        for trial_number, runtime_url in enumerate(runtime_urls):
            listing = shop_client.runtime(runtime_url, "List", path="/tmp")
            names = {entry["name"] for entry in listing["entries"]}
            written_names = {str(number) for number in range(trial_number, 40, 2)}
            assert written_names <= names

    def test_query_without_end_is_given_up_and_the_trial_goes_on(
        self, shop_client: RawClient
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


class TestEndsOfShopTrials:
    """A trial that has ended, or was left by its client, keeps no process.

    By `SHOP_OPTIONS`, a run has two trials, whose tools run in worker processes.
    """

    def test_trial_has_a_worker_process_until_it_ends(self) -> None:
        """The server has a child process, which forks a worker for each trial with a tool call."""
        this_process = psutil.Process()
        children_before = set(this_process.children())
        with raw_client_of(EcomBenchmark(), SHOP_OPTIONS) as client:
            run = client.harness("StartRun", benchmarkId="ecom")
            for trial_id in run["trialIds"]:
                runtime_url = client.start_trial(trial_id)
                client.runtime(
                    runtime_url, "Exec", path="/bin/cat", args=["/AGENTS.MD"]
                )

            (fork_server,) = set(this_process.children()) - children_before
            workers_during_trials = set(fork_server.children())
            for trial_id in run["trialIds"]:
                client.harness("EndTrial", trialId=trial_id)
            workers_after_trials = set(fork_server.children())

        one_for_each_trial = 2
        ended_workers = workers_during_trials - workers_after_trials
        assert len(ended_workers) == one_for_each_trial
        assert set(this_process.children()) == children_before

    def test_run_without_calls_ends(self) -> None:
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
