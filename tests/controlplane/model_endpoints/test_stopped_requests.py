"""What becomes of a request to a model that is waited for, and of the retries of a whole run.

The endpoint holds a request until its client leaves, or refuses it for the moment: "503: overloaded".
"""

import signal
import socket
import threading
from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted, Interrupted
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.command import LONGEST_RUN_S, wait_for_exit, wait_until
from tests.support.phonebook_model import (
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    responding_always,
)

# An endpoint that holds each request for as long as its client waits.


class HoldingModel:
    """Never replies. It notes which clients have left."""

    def __init__(self) -> None:
        self.left = threading.Semaphore(0)
        """Released once for each client that has left."""

    def respond(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.settimeout(LONGEST_RUN_S)
        try:
            connection.recv(1)  # The client sends nothing more, but it may leave.
        except OSError:
            return b""
        self.left.release()
        return b""


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_of_the_run_cuts_off_the_requests_in_flight(
    tmp_path: Path, signal_number: signal.Signals
) -> None:
    """The model would be waited for for an hour. Two trials ask it at a time."""
    model = HoldingModel()
    options = ("--concurrency", "2", "--model-timeout", "3600")
    with phonebook_endpoint(tmp_path, model.respond) as endpoint:
        process = endpoint.start_command(*PHONEBOOK_RUN, *options, "--json")
        wait_until(lambda: len(endpoint.server.asked) == 2)
        process.send_signal(signal_number)
        stopped = wait_for_exit(process)
        assert model.left.acquire(timeout=LONGEST_RUN_S)
        assert model.left.acquire(timeout=LONGEST_RUN_S)

    assert stopped.code == Interrupted.exit_code, stopped.err
    first, second, third = stopped.json["trials"]
    assert [first["state"], second["state"], third["state"]] == [
        "open",
        "open",
        "waiting",
    ]
    assert [first["reason"], second["reason"]] == ["interrupted", "interrupted"]


def test_the_end_of_the_runs_time_cuts_off_the_requests_in_flight(
    tmp_path: Path,
) -> None:
    model = HoldingModel()
    options = ("--run-time", "3", "--model-timeout", "3600", "--json")
    with phonebook_endpoint(tmp_path, model.respond) as endpoint:
        run = endpoint.command(*PHONEBOOK_RUN, *options)

    assert run.code == BudgetExhausted.exit_code, run.err
    assert "the run's time of 3 s is over (--run-time)" in run.json["error"]
    assert {trial["state"] for trial in run.json["trials"]} <= {"open", "waiting"}


# The retries of a run: one number for all trials, however they are played.

overloaded = responding_always(error_response(503, "overloaded"))


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param(["--concurrency", "3"], id="trials side by side in this process"),
        pytest.param(
            ["--concurrency", "4", "--workers", "dask:local:2"],
            id="two workers of a cluster",
            marks=pytest.mark.second_tier,
        ),
    ],
)
def test_the_number_of_retries_is_that_of_the_whole_run(
    tmp_path: Path, workers: list[str]
) -> None:
    if "--workers" in workers:
        pytest.importorskip("distributed")
    options = ("--model-retries", "2", "--repeats", "2", "--json")
    with phonebook_endpoint(tmp_path, overloaded) as endpoint:
        run = endpoint.command(*PHONEBOOK_RUN, *options, *workers)

    assert run.code == BudgetExhausted.exit_code, run.err
    assert "the run has used up its 2 retries (--model-retries)" in run.json["error"]
    assert run.json["retries"] == 2


# An agent (a solver) that a user has written is asked again like one of the product's.

OWN_SOLVER = """\
from controlplane.agent.model import Message, ModelRequest
from controlplane.solver import SolverSpec

class OwnSolver:
    def __init__(self, tools):
        self.model = tools.model

    def solve(self, session):
        question = Message(role='user', content='?')
        session.ask(self.model.reply_to, ModelRequest([question]))
        return 'nothing found'

SOLVER = SolverSpec(OwnSolver)
"""

NESTED_SOLVER = """\
from controlplane.agent.loop import CitedLoop
from controlplane.solver import SolverSpec

class NestedSolver:
    def __init__(self, tools):
        self.tools = tools

    def solve(self, session):
        tools = self.tools
        return CitedLoop(tools.model, tools.sandbox_server(), tools.loop).solve(session)

SOLVER = SolverSpec(NestedSolver)
"""


def test_the_retries_of_a_users_solver_are_counted_and_are_not_its_trials_time(
    tmp_path: Path,
) -> None:
    """The endpoint asks to wait two seconds, more than the trial's time of one."""
    (tmp_path / "own_solver.py").write_text(OWN_SOLVER)
    asked = 0

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        nonlocal asked
        asked += 1
        if asked == 1:
            return error_response(503, "overloaded", {"retry-after": "2"})
        return http_response(200, completion_json("here"))

    options = ("--limit", "1", "--trial-time", "1", "--json", "--agent", "own_solver")
    with phonebook_endpoint(tmp_path, respond) as endpoint:
        run = endpoint.command(*PHONEBOOK_RUN, *options)

    (trial,) = run.json["trials"]
    assert trial["reason"].startswith("nothing found"), trial
    assert run.json["retries"] == 1


def test_a_users_solver_may_give_its_model_to_a_loop_of_the_product(
    tmp_path: Path,
) -> None:
    """The request is given up once. It is not sent again by the loop, and then by the model."""
    (tmp_path / "nested_solver.py").write_text(NESTED_SOLVER)

    options = ("--limit", "1", "--json", "--agent", "nested_solver")
    with phonebook_endpoint(tmp_path, overloaded) as endpoint:
        run = endpoint.command(*PHONEBOOK_RUN, *options, "--model-patience", "1")

    (trial,) = run.json["trials"]
    assert trial["reason"].count("given up") == 1, trial
