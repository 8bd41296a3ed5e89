"""Ends of trials of an embedded shop on the server: they leave no process behind.

The server offers the shop's tasks to agents over HTTP, in the protocol of the platform BitGN. The
tools of a trial run in a worker process, which ends with the trial, and with a run that its client
has left.
"""

import time

import psutil

from controlplane import TaskSelection
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.benchmarks.ecom.shop_environment import WORKER_MODULES
from tests.benchmarks.bitgn.raw_client import raw_client_of


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
