"""The files and tools of a remote trial: each call of a script is a request to BitGN's platform.

The platform is a server that offers tasks for agents. `harness.read(path="/a.txt")` in a script
of the agent becomes a request `Read`, and its reply the result of the call. The tests show that
a call has the same result as in this process, and that a call whose reply was lost has its effect
once: a read is repeated; after a write or delete, the file is read first; a program that changes
something is never run again.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from controlplane import RunRequest, Trial
from controlplane.benchmarks.bitgn.client.trial.remote_environment import (
    RemoteEnvironment,
)
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.protocol_clients import Connection, connected_to
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import FaultyServer

pytestmark = pytest.mark.usefixtures("short_backoff")


def started_trial(connection: Connection) -> Trial:
    """Start a run and return its first trial."""
    run = connection.remote.start_run(RunRequest("a run"))
    return connection.remote.start_trial(run.trials[0].trial_id)


@pytest.fixture
def environment(server: FaultyServer) -> Iterator[RemoteEnvironment]:
    """The environment of a trial, without faults of the network."""
    with connected_to(server) as connection:
        yield started_trial(connection).environment


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


class TestResults:
    """A call of a remote trial has the result that it would have in this process.

    The platform is our own server. The files are those of `Shelf`: a few books,
    such as `/books/emma.json`.
    """

    def test_calls_have_the_results_of_local_ones_and_may_be_finished_in_any_order(
        self, environment: RemoteEnvironment
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


class TestErrors:
    """A failed call of a remote trial raises the platform's error, with its code.

    The platform's environment is a `Shelf`: a few books as files, and programs such as
    `/bin/crash`, which fails by a fault of its own.
    """

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
            pytest.param("read", {}, "invalid_argument", id="missing argument"),
            pytest.param(
                "read",
                {"path": "/AGENTS.MD", "speed": 3},
                "invalid_argument",
                id="unknown argument",
            ),
            pytest.param("move", {}, "unimplemented", id="unknown operation"),
            pytest.param(
                "exec", {"path": "/bin/crash"}, "unknown", id="crash of the platform"
            ),
        ],
    )
    def test_failed_call_raises_an_error_with_its_code(
        self,
        environment: RemoteEnvironment,
        operation: str,
        arguments: dict[str, Any],
        code: str,
    ) -> None:
        """The code is the platform's, so that scripts can tell one failure from another."""
        with pytest.raises(CallError) as caught:
            environment.call(operation, arguments)

        assert caught.value.code == code


SHORT_TIMEOUT_S = "0.2"
"""The deadline of a call if the network does not answer at all."""


def shelf_of(benchmark: ShelfBenchmark, server: FaultyServer, trial_id: str) -> Shelf:
    """Return the environment of a trial on the server's side, which counts the changes.

    The server gives its clients other ids of trials than the benchmark does.
    """
    return benchmark.shelves[server.own_id(trial_id)]


class TestLostChanges:
    """A write or delete whose reply was lost happens once.

    The client repeats such a call. Before, it reads the file, to find out
    whether the change was made.
    """

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
        self, server: FaultyServer, benchmark: ShelfBenchmark, fault: str
    ) -> None:
        """The fault hits 40 of 100 calls, as the seed decides. The client repeats them.

        Before it repeats a call, it reads the file, to find out whether the change was made.

        `effects` counts the changes of files: `{"write /new/0.txt": 1}`.
        """
        faults = Faults(methods=frozenset({"Write", "Delete"}), seed=84, **{fault: 0.4})
        paths = ["/new/0.txt", "/new/1.txt", "/new/2.txt", "/new/3.txt"]

        with connected_to(
            server, faults=faults, call_timeout_s=SHORT_TIMEOUT_S
        ) as connection:
            trial = started_trial(connection)
            for path in paths:
                written = trial.environment.call(
                    "write", {"path": path, "content": "x"}
                )
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


class TestLostRunsOfPrograms:
    """A program that changes something is never run again.

    Nothing shows whether `/bin/checkout` has run. The script is told that nobody knows.

    A reply that does not come is waited for 0.2 s (`SHORT_TIMEOUT_S`).
    """

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
        self, server: FaultyServer, benchmark: ShelfBenchmark, fault: str, happens: bool
    ) -> None:
        faults = Faults(methods=frozenset({"Exec"}), seed=84, **{fault: 1.0})

        with connected_to(
            server, faults=faults, call_timeout_s=SHORT_TIMEOUT_S
        ) as connection:
            trial = started_trial(connection)
            with pytest.raises(CallError) as caught:
                trial.environment.call(
                    "exec", {"path": "/bin/checkout", "args": ["b1"]}
                )
            fault_count = server.faults.made[fault]

        assert caught.value.code == "unknown"
        assert "not known" in caught.value.message
        assert fault_count == 1
        shelf = shelf_of(benchmark, server, trial.trial_id)
        assert shelf.effects["checkout ['b1']"] == int(happens)


class TestLostAnswers:
    """An answer whose reply was lost is given once, though the client repeats it.

    If the first one arrived, the platform refuses the second. The client takes such a refusal as a
    success: its own first answer was meant.

    A reply that does not come is waited for 0.2 s (`SHORT_TIMEOUT_S`).
    """

    @pytest.mark.parametrize(
        "fault",
        [
            pytest.param("reset_before", id="connection lost before the call"),
            pytest.param("reset_after", id="connection lost after the call"),
            pytest.param("stall", id="reply that stops in the middle"),
            pytest.param("hang", id="no reply"),
        ],
    )
    def test_answer_whose_reply_was_lost_is_given_once(
        self, server: FaultyServer, benchmark: ShelfBenchmark, fault: str
    ) -> None:
        """The fault hits 40 of 100 answers, as the seed decides. Each trial has one answer."""
        faults = Faults(methods=frozenset({"Answer"}), seed=92, **{fault: 0.4})

        with connected_to(
            server, faults=faults, call_timeout_s=SHORT_TIMEOUT_S
        ) as connection:
            run = connection.remote.start_run(RunRequest("a run"))
            for trial in run.trials:
                environment = connection.remote.start_trial(trial.trial_id).environment
                environment.answer("Emma", "OUTCOME_OK", [])
            fault_count = server.faults.made[fault]

        assert fault_count > 0  # The seed lets the fault happen.
        for trial in run.trials:
            shelf = shelf_of(benchmark, server, trial.trial_id)
            assert len(shelf.answers) == 1
