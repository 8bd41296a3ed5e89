"""What the platform is asked where a call that starts, ends or hands in keeps failing."""

from __future__ import annotations

import pytest

from benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from controlplane import BenchmarkContext, BenchmarkError, RunState
from tests.benchmarks.bitgn.byte_server import reply, stub


@pytest.mark.parametrize(
    ("state", "is_stopping", "code"),
    [
        ("TRIAL_STATE_ERROR", False, "failed_precondition"),
        ("TRIAL_STATE_RUNNING", False, "internal"),
        ("TRIAL_STATE_ERROR", True, "internal"),
    ],
)
def test_a_start_that_fails_in_passing_is_final_only_where_the_platform_says_that_the_trial_is_over(
    state, is_stopping, code
):
    def behave(connection, request):
        if b"/GetTrial" in request:
            reply(b'{"trialId": "t", "state": "%s"}' % state.encode())(connection, request)
        else:
            reply(b'{"code": "internal", "message": "it is gone"}', status="500 X")(connection, request)

    with stub(behave) as (url, requests):
        context = BenchmarkContext()
        remote = RemoteBenchmark("x", {"host": url}, context)
        if is_stopping:
            context.stop.set()
        with pytest.raises(BenchmarkError, match="StartTrial: it is gone") as caught:
            remote.start_trial("t")
        remote.close()
    assert caught.value.code == code
    assert any(b"/GetTrial" in each for each in requests) is not is_stopping


@pytest.mark.parametrize(("state", "is_done"), [("RUN_STATE_PENDING_EVAL", True), ("RUN_STATE_RUNNING", False)])
def test_a_submission_that_is_never_confirmed_counts_where_the_platform_says_that_the_run_is_handed_in(state, is_done):
    def behave(connection, request):
        if b"/GetRun" in request:
            reply(b'{"runId": "r", "state": "%s"}' % state.encode())(connection, request)
        else:
            reply(b'{"code": "deadline_exceeded", "message": "grading"}', status="504 X")(connection, request)

    with stub(behave) as (url, _):
        remote = RemoteBenchmark("x", {"host": url, "lifecycle_patience_s": "0.2"}, BenchmarkContext())
        if is_done:
            assert remote.submit_run("r", force=False).state is RunState.PENDING
        else:
            with pytest.raises(BenchmarkError, match="SubmitRun: grading"):
                remote.submit_run("r", force=False)
        remote.close()
