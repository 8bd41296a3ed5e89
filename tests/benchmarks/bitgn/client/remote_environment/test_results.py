"""Calls of a remote trial have the results of local ones, and changes happen once.

Answers, writes and deletes whose replies were lost happen once, and programs are not run again.
Errors and wrong arguments have the codes of the platform (BitGN).
"""

from collections.abc import Iterator
from typing import Any

import pytest

from controlplane import RunRequest, Trial
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteEnvironment
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_benchmark import (
    Connection,
    ShelfBenchmark,
    connected_to,
)
from tests.support.relay import Faults, FaultyServer

# Trials that the product's client has started on a server, and their environments there.
#
# An environment is a `Shelf`: a few books as files, and programs. It counts what a trial changes:
# `shelf_of(benchmark, server, trial.trial_id).effects` is `{"write /a.txt": 1}` after one write.


def started_trial(connection: Connection) -> Trial:
    """Start a run and return its first trial."""
    run = connection.remote.start_run(RunRequest("a run"))
    return connection.remote.start_trial(run.trials[0].trial_id)


def shelf_of(benchmark: ShelfBenchmark, server: FaultyServer, trial_id: str) -> Shelf:
    """Return the environment of a trial on the server's side, which counts the changes.

    The server gives its clients other ids of trials than the benchmark does.
    """
    return benchmark.shelves[server.own_id(trial_id)]


@pytest.fixture
def environment(server: FaultyServer) -> Iterator[RemoteEnvironment]:
    """The environment of a trial, without faults of the network."""
    with connected_to(server) as connection:
        yield started_trial(connection).environment


# Errors of the calls of a remote trial: they have the codes that the platform (BitGN) sends.
#
# The platform is a server that offers tasks to agents. A call of a script, such as
# `harness.read(path="/nothing")`, becomes a request to the platform, and a refusal becomes an error:
# `not_found`. So scripts can tell one failure from another. The files and programs are those of
# `Shelf`: a few books, and `/bin/crash`, which fails by a fault of its own.


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param("read", {"path": "/nothing"}, "not_found", id="no such file"),
        pytest.param(
            "list",
            {"path": "/books/emma.json"},
            "invalid_argument",
            id="list a file",
        ),
        pytest.param(
            "write",
            {"path": "/books", "content": "x"},
            "failed_precondition",
            id="write to a folder",
        ),
        pytest.param(
            "write",
            {"path": "/books/emma.json", "content": "x", "if_match_sha256": "00"},
            "failed_precondition",
            id="write to a file that has changed",
        ),
        pytest.param(
            "exec", {"path": "/bin/crash"}, "unknown", id="crash of the platform"
        ),
    ],
)
def test_failed_call_raises_an_error_with_its_code(
    environment: RemoteEnvironment,
    operation: str,
    arguments: dict[str, Any],
    code: str,
) -> None:
    with pytest.raises(CallError) as caught:
        environment.call(operation, arguments)

    assert caught.value.code == code


# If the reply to an answer is lost, the client sends the answer again, and the server records one.
#
# The client answers the trials of a run on a server. A trial takes one answer. If the first one has
# arrived, the server refuses the repeated one, and the client takes this refusal as a success.


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param("reset_before", id="connection lost before the call"),
        pytest.param("reset_after", id="connection lost after the call"),
        pytest.param("stall", id="reply that stops in the middle"),
        pytest.param("hang", id="no reply"),
    ],
)
def test_answer_whose_reply_was_lost_is_recorded_once(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
) -> None:
    """40 % of the answers, chosen by the seed, meet the fault on their way through the network."""
    faults = Faults(methods=frozenset({"Answer"}), seed=92, **{fault: 0.4})

    with connected_to(server, faults=faults, call_timeout_s="0.2") as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        for trial in run.trials:
            environment = connection.remote.start_trial(trial.trial_id).environment
            environment.answer(message="Emma", outcome="OUTCOME_OK", refs=[])
        fault_count = server.faults.made[fault]

    assert fault_count > 0
    for trial in run.trials:
        trial_on_server = shelf_of(benchmark, server, trial.trial_id)
        assert len(trial_on_server.answers) == 1


# Writes and deletes of a remote trial whose replies were lost: they happen once.
#
# A call of a script becomes a request to the platform (BitGN, a server that offers tasks to agents).
# If its reply is lost, the client reads the file to find out whether the change was made, and
# repeats the call if it was not.


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param("unavailable", id="refused for now"),
        pytest.param("bare_unavailable", id="page of a proxy"),
        pytest.param("reset_before", id="connection lost before the call"),
        pytest.param("reset_after", id="connection lost after the call"),
        pytest.param("stall", id="reply that stops in the middle"),
        pytest.param("hang", id="no reply"),
    ],
)
def test_write_or_delete_whose_reply_was_lost_happens_once(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
) -> None:
    """The fault hits 40 of 100 calls, as the seed decides. The client repeats them.

    `effects` counts the changes of files: `{"write /new/0.txt": 1}`.
    """
    faults = Faults(methods=frozenset({"Write", "Delete"}), seed=84, **{fault: 0.4})
    paths = ["/new/0.txt", "/new/1.txt", "/new/2.txt", "/new/3.txt"]

    with connected_to(server, faults=faults, call_timeout_s="0.2") as connection:
        trial = started_trial(connection)
        for path in paths:
            written = trial.environment.call("write", {"path": path, "content": "x"})
            assert written == {"path": path}
            deleted = trial.environment.call("delete", {"path": path})
            assert deleted == {"path": path}
        fault_count = server.faults.made[fault]

    assert fault_count > 1  # The seed lets the fault happen.
    expected_effects: dict[str, int] = {}
    for path in paths:
        expected_effects[f"write {path}"] = 1
        expected_effects[f"delete {path}"] = 1
    shelf = shelf_of(benchmark, server, trial.trial_id)
    assert shelf.effects == expected_effects


# Programs of a remote trial whose replies were lost: they are never run again.
#
# A call of a script becomes a request to the platform (BitGN, a server that offers tasks to agents).
# Nothing shows whether `/bin/checkout` has run, which changes something. So the script is told that
# nobody knows.


@pytest.mark.parametrize(
    ("fault", "happens"),
    [
        pytest.param("reset_before", False, id="reset before the call"),
        pytest.param("reset_after", True, id="reset after the call"),
        pytest.param("bare_unavailable", False, id="page of a proxy"),
        pytest.param("stall", True, id="reply that stops in the middle"),
        pytest.param("hang", False, id="no reply"),
    ],
)
def test_program_whose_reply_was_lost_is_not_run_again(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str, happens: bool
) -> None:
    faults = Faults(methods=frozenset({"Exec"}), seed=84, **{fault: 1.0})

    with connected_to(server, faults=faults, call_timeout_s="0.2") as connection:
        trial = started_trial(connection)
        with pytest.raises(CallError) as caught:
            trial.environment.call("exec", {"path": "/bin/checkout", "args": ["b1"]})
        fault_count = server.faults.made[fault]

    assert caught.value.code == "unknown"
    assert "not known" in caught.value.message
    assert fault_count == 1
    shelf = shelf_of(benchmark, server, trial.trial_id)
    assert shelf.effects["checkout ['b1']"] == int(happens)


# Calls of a remote trial with wrong arguments: the error says so, and by which code.
#
# A call of a script, such as `harness.tree("/", level=-1)`, becomes a request to the platform
# (BitGN, a server that offers tasks to agents), which refuses it as `invalid_argument`. The files
# are those of `Shelf`: a few books.


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param(
            "tree",
            {"root": "/", "level": -1},
            "invalid_argument",
            id="negative level",
        ),
        pytest.param(
            "search", {"pattern": "("}, "invalid_argument", id="invalid pattern"
        ),
        pytest.param(
            "find",
            {"name": "x", "limit": "ten"},
            "invalid_argument",
            id="word for a number",
        ),
        pytest.param("read", {}, "invalid_argument", id="missing argument"),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "speed": 3},
            "invalid_argument",
            id="unknown argument",
        ),
        pytest.param("move", {}, "unimplemented", id="unknown operation"),
    ],
)
def test_wrong_call_is_refused_with_a_code(
    environment: RemoteEnvironment,
    operation: str,
    arguments: dict[str, Any],
    code: str,
) -> None:
    with pytest.raises(CallError) as caught:
        environment.call(operation, arguments)

    assert caught.value.code == code


# Results of the calls of a remote trial: they are those that local calls would have.
#
# The platform (BitGN) is a server that offers tasks for agents. A call of a script, such as
# `harness.read(path="/books/emma.json")`, becomes a request to it. Here it is our own server, and
# the files are those of `Shelf`, an environment with a few books.


# Calls whose results do not depend on each other, so that the tests can make them in any order. The
# files are those of `Shelf`, an environment with a few books.
INDEPENDENT_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read", {"path": "/books/emma.json"}),
    ("read", {"path": "/books/été.json"}),
    ("read", {"path": "/books/emma.json", "start_line": 2, "end_line": 2}),
    ("list", {}),
    ("list", {"path": "/books"}),
    ("tree", {}),
    ("tree", {"root": "/docs", "level": 0}),
    ("tree", {"root": "/books/emma.json"}),
    ("find", {"name": "*.md"}),
    ("find", {"name": "*", "root": "/", "kind": "dirs", "limit": 1}),
    ("find", {"name": "nothing"}),
    ("search", {"pattern": "title"}),
    ("search", {"pattern": "title", "limit": 1}),
    ("search", {"pattern": "no such text"}),
    ("stat", {"path": "/books"}),
    ("stat", {"path": "/books/emma.json"}),
    ("exec", {"path": "/bin/date"}),
    ("exec", {"path": "/bin/checkout", "args": ["b1", "--now"], "stdin": "yes\n"}),
    ("exec", {"path": "/bin/nothing", "args": []}),
]


def local_result(operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call in this process, with the defaults of all other parameters."""
    shelf = Shelf()
    declared = shelf.tool_schema.operation(operation)
    assert declared is not None
    all_arguments = {
        parameter.name: parameter.default for parameter in declared.parameters
    }
    all_arguments.update(arguments)
    result = shelf.call(operation, all_arguments)
    result.pop("searched", "")  # The platform's messages do not have this field.
    return result


def test_calls_have_the_results_of_local_ones_and_may_be_finished_in_any_order(
    environment: RemoteEnvironment,
) -> None:
    """All calls are begun, and then finished from the last to the first.

    `begin` returns the function that waits for the call's result.
    """
    begun_calls = []
    for operation, arguments in INDEPENDENT_CALLS:
        finish = environment.begin(operation, arguments)
        begun_calls.append((operation, arguments, finish))

    for operation, arguments, finish in reversed(begun_calls):
        assert finish() == local_result(operation, arguments)
