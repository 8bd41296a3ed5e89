"""A call of one operation, such as `read`, sent as a request to the platform.

A script calls `read("/a.md")`. It is sent as `{"path": "/a.md"}` to the method Read, and the
reply is converted to the operation's result, or to an error that the script can handle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.bitgn.client.calls.platform_call import Call
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.benchmarks.bitgn.client.trial.truncated_tree import (
    lacks_requested_levels,
)
from controlplane.benchmarks.bitgn.rpc import Rpc
from controlplane.benchmarks.bitgn.wire_values import ShapeError
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    error_codes,
    fresh_result,
)

TREE_TOO_LARGE: Final = (
    "the tree is too large for one reply; list its folders one by one"
)
MISSING_PATH_PHRASES: Final = ("not found", "no such", "not exist")
"""Some trials' runtimes report a missing path with the code `unknown` and one of these phrases."""


@dataclass(slots=True)
class OperationCall:
    """A call of one operation."""

    call: Call[Message]
    """The request with its retries. It returns the operation's result."""
    method: str
    """The operation's method of the protocol, such as `Read`."""
    operation: Operation
    arguments: Mapping[str, Plain]
    is_change: bool
    """True if the call may change files."""

    def begin(self) -> None:
        """Send the request in another thread. Raises `CallError` if the client is closed."""
        try:
            self.call.begin()
        except WireError as error:
            raise CallError(error.code, error.message) from None

    def finish(self) -> Message:
        """Return the result. Sends the request if `begin` has not, and waits for the reply.

        Raises `CallError`, with the code `unknown` if it is unclear whether a change has
        happened.
        """
        try:
            result = self.call.finish()
        except WireError as error:
            raise self._call_error(error) from None
        _add_missing_paths(result, self.operation, str(self.arguments.get("path")))
        # Raises `CallError` if the result is too large or too deeply nested.
        return fresh_result(self.operation.name, result)

    def _call_error(self, error: WireError) -> CallError:
        """Return the error for the script."""
        if reports_missing_path(error):
            return CallError(error_codes.NOT_FOUND, error.message)
        if self.is_change and error.in_doubt:
            msg = (
                f"{self.method} may or may not have happened ({error.message}). "
                "Read what it changes before you do it again: whether it happened is not known."
            )
            return CallError(error_codes.UNKNOWN, msg)
        return CallError(error.code, error.message)


def reports_missing_path(error: WireError) -> bool:
    """Return True if a call failed because its path does not exist.

    Such an error has the code `not_found`, or `unknown` with a message such as `no such file`.
    """
    if error.code == error_codes.NOT_FOUND:
        return True
    if error.code != error_codes.UNKNOWN:
        return False
    message = error.message.lower()
    return any(phrase in message for phrase in MISSING_PATH_PHRASES)


def reply_parser(
    rpc: Rpc, arguments: Mapping[str, Plain]
) -> Callable[[Message], Message]:
    """Return the function that converts the reply to a call into the operation's result.

    For `find`: `{"paths": ["/a.md"]}` -> `{"paths": ["/a.md"], "truncated": False}`. The
    function raises `CallError` if a tree is too large for one reply, and `WireError` if
    the reply is malformed.
    """

    def parse_reply(reply: Message) -> Message:
        try:
            if rpc.operation == "tree" and reply.get("truncated"):
                root = reply.get(rpc.result_field)
                if lacks_requested_levels(root, arguments.get("level")):
                    raise CallError(error_codes.RESOURCE_EXHAUSTED, TREE_TOO_LARGE)
            return rpc.reply_from_wire(reply)
        except (ShapeError, RecursionError) as error:
            # The operation may have happened although its reply is malformed.
            msg = f"the reply of {rpc.method} is not as described: {error}"
            raise WireError(error_codes.INTERNAL, msg) from None

    return parse_reply


def _add_missing_paths(result: Message, operation: Operation, path: str) -> None:
    """Add the paths that scripts expect in a result, and that the platform omits.

    The result of `read("/docs/a.md")` gets this path. In the result of `list("/docs")`,
    the entry `{"name": "a.md"}` gets the path `/docs/a.md`.
    """
    result_names = [field.name for field in operation.fields]
    if "path" in result_names and not result.get("path"):
        result["path"] = path
    if operation.name == "list":
        entries = result["entries"]
        assert isinstance(entries, list)  # For the type checker
        for entry in entries:
            if isinstance(entry, dict) and not entry.get("path"):
                entry["path"] = normal_path(f"{path}/{entry['name']}")
