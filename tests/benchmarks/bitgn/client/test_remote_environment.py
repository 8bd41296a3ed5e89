"""The files and tools of a remote trial: each call of a script is a request to BitGN's platform.

The platform is a server that offers tasks for agents. `harness.read(path="/a.txt")` in a script
of the agent becomes a request `Read`, and its reply the result of the call. The tests show that
a call has the same result as in this process, and that a call whose reply was lost has its effect
once: a read is repeated; after a write or delete, the file is read first; a program that changes
something is never run again.
"""

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from controlplane import RunRequest, Trial
from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.benchmarks.bitgn.client.trial.remote_environment import (
    RemoteEnvironment,
)
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.stub_platform import (
    RepliesInTurn,
    http_reply,
    refusal,
)
from tests.benchmarks.bitgn.protocol_clients import Connection, connected_to
from tests.benchmarks.bitgn.shelf_benchmark import Shelf, ShelfBenchmark
from tests.support.byte_server import Behaviour, ByteServer
from tests.support.server_faults import Faults, FaultyServer

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


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param("read", {"path": "/nothing"}, "not_found", id="no such file"),
        pytest.param(
            "list", {"path": "/books/emma.json"}, "invalid_argument", id="list a file"
        ),
        pytest.param(
            "tree", {"root": "/", "level": -1}, "invalid_argument", id="negative level"
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
    shelf = benchmark.shelves[server.own_id(trial.trial_id)]
    assert shelf.effects == expected_effects


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
    """Nothing shows whether `/bin/checkout` has run. The script is told that nobody knows."""
    faults = Faults(methods=frozenset({"Exec"}), seed=84, **{fault: 1.0})

    with connected_to(
        server, faults=faults, call_timeout_s=SHORT_TIMEOUT_S
    ) as connection:
        trial = started_trial(connection)
        with pytest.raises(CallError) as caught:
            trial.environment.call("exec", {"path": "/bin/checkout", "args": ["b1"]})
        fault_count = server.faults.made[fault]

    assert caught.value.code == "unknown"
    assert "not known" in caught.value.message
    assert fault_count == 1
    shelf = benchmark.shelves[server.own_id(trial.trial_id)]
    assert shelf.effects["checkout ['b1']"] == int(happens)


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
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
) -> None:
    """The client repeats the answer. If the first one arrived, the platform refuses the second.

    The client takes such a refusal as a success: its own first answer was meant.
    """
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
        shelf = benchmark.shelves[server.own_id(trial.trial_id)]
        assert len(shelf.answers) == 1


@dataclass(frozen=True)
class StubTrial:
    """A trial on a stand-in for the platform."""

    environment: RemoteEnvironment
    platform: ByteServer

    @property
    def request_count(self) -> int:
        return len(self.platform.requests)


@contextmanager
def trial_on_stub(behaviour: Behaviour, retry_s: float = 5.0) -> Iterator[StubTrial]:
    """Open a trial on a server that replies to each request in this way."""
    policy = CallPolicy(deadline_s=5.0, retry_s=retry_s)
    with ByteServer(behaviour) as platform, closing(PlatformClient(2)) as client:
        environment = RemoteEnvironment(client, platform.url, policy=policy)
        yield StubTrial(environment, platform)


# A tree of 450 levels, which is not too deep. In the last one, there is a number for a list.
MALFORMED_TREE = b'{"children": [' * 450 + b"7" + b"]}" * 450
MALFORMED_REPLY = b'{"path": 7, "stdout": 7, "sha256": [], "root": %b}' % MALFORMED_TREE
"""A reply whose fields have other types than the protocol says."""


@pytest.mark.parametrize(
    ("operation", "arguments", "code", "request_count"),
    [
        pytest.param(
            "exec",
            {"path": "/bin/checkout", "args": ["b1"]},
            "unknown",
            1,
            id="program that changes something: not repeated",
        ),
        pytest.param(
            "write",
            {"path": "/a.txt", "content": "x"},
            "unknown",
            3 + 2,
            id="write: three times, and the file is read in between",
        ),
        pytest.param(
            "exec", {"path": "/bin/id"}, "internal", 3, id="program: three times"
        ),
        pytest.param("stat", {"path": "/a.txt"}, "internal", 3, id="stat: three times"),
        pytest.param("tree", {}, "internal", 3, id="tree: three times"),
    ],
)
def test_malformed_reply_is_handled_like_a_lost_one(
    operation: str, arguments: dict[str, Any], code: str, request_count: int
) -> None:
    """The call may have happened, so it is repeated only if it may happen twice.

    Each row has the code of the error, and how many requests the client makes.
    """
    with (
        trial_on_stub(http_reply(MALFORMED_REPLY)) as trial,
        pytest.raises(CallError, match="is not as described") as caught,
    ):
        trial.environment.call(operation, arguments)

    assert caught.value.code == code
    assert trial.request_count == request_count


TRUNCATED_TREE = json.dumps(
    {
        "root": {
            "name": "/",
            "kind": "NODE_KIND_DIR",
            "children": [{"name": "docs", "kind": "NODE_KIND_DIR"}],
        },
        "truncated": True,
    }
).encode()
"""A reply to `tree` from which folders are missing."""


@pytest.mark.parametrize(
    "level", [pytest.param(0, id="all levels"), pytest.param(2, id="two levels")]
)
def test_truncated_tree_is_refused_with_another_way(level: int) -> None:
    """The reply does not say which folders are incomplete, so the tree is of no use.

    The level 0 asks for all levels. The error tells the model what it can do instead.
    """
    with (
        trial_on_stub(http_reply(TRUNCATED_TREE)) as trial,
        pytest.raises(CallError, match="list its folders one by one") as caught,
    ):
        trial.environment.call("tree", {"level": level})

    assert caught.value.code == "resource_exhausted"
    assert trial.request_count == 1


def test_truncated_tree_of_one_level_is_used() -> None:
    """With one level, no folder's content was asked for, so that nothing is missing."""
    with trial_on_stub(http_reply(TRUNCATED_TREE)) as trial:
        result = trial.environment.call("tree", {"level": 1})

    assert result["children"]
    assert trial.request_count == 1


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param("Retry-After: 3600\r\n", id="requested pause"),
        pytest.param("", id="own pauses"),
    ],
)
def test_call_is_not_retried_after_the_end_of_its_trial(headers: str) -> None:
    """The trial ends in 0.3 s. Otherwise the call would be retried for an hour."""
    unavailable = refusal(503, "unavailable", "later", headers=headers)
    with trial_on_stub(unavailable, retry_s=3_600.0) as trial:
        trial.environment.ends_at = time.monotonic() + 0.3
        with pytest.raises(CallError):
            trial.environment.call("read", {"path": "/a.txt"})


def test_answer_is_retried_after_the_end_of_its_trial() -> None:
    """Without its answer, all work of the trial would be lost."""
    unavailable = refusal(503, "unavailable", "", headers="Retry-After: 0.3\r\n")
    replies = RepliesInTurn(unavailable, http_reply(b"{}"))
    with trial_on_stub(replies, retry_s=20.0) as trial:
        trial.environment.ends_at = time.monotonic()
        trial.environment.answer("yes", "OUTCOME_OK", [])

    assert trial.request_count == 2
