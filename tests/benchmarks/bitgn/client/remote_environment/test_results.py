"""Results of the calls of a remote trial: they are those that local calls would have.

The platform (BitGN) is a server that offers tasks for agents. A call of a script, such as
`harness.read(path="/books/emma.json")`, becomes a request to it. Here it is our own server, and
the files are those of `Shelf`, an environment with a few books.
"""

from typing import Any

from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteEnvironment
from tests.benchmarks.bitgn.shelf import Shelf

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
