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
from controlplane.benchmarks.bitgn.client.trial.truncated_tree import check_depth
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

MISSING_PATH_PHRASES: Final = ("not found", "no such", "not exist")
"""Some trials' runtimes report a missing path with the code `unknown` and one of these phrases."""


@dataclass(slots=True)
class OperationCall:
    """A call of one operation."""

    call: Call[Message]
    """The request. It may have been sent already."""
    method: str
    """The operation's method of the protocol, such as `Read`."""
    operation: Operation | None
    """The operation's declaration; None if the tool schema does not have it."""
    arguments: Mapping[str, Plain]
    is_change: bool
    """True if the call may change files."""

    def finish(self) -> Message:
        """Wait for the result and return it.

        Raises `CallError`, with the code `unknown` if it is unclear whether a change has
        happened.
        """
        try:
            result = self.call.finish()
        except WireError as error:
            raise self._call_error(error) from None
        # `fresh_result` returns a copy, and checks its size and nesting.
        if self.operation is None:
            return fresh_result(self.method, result)
        # Scripts expect the path of a file or entry, which the platform omits.
        _add_missing_paths(result, self.operation, str(self.arguments.get("path")))
        return fresh_result(self.operation.name, result)

    def _call_error(self, error: WireError) -> CallError:
        """Return the error for the script."""
        code = code_of(error)
        # An error that reports a missing path is not in doubt, even if its own code is.
        may_have_happened = error.in_doubt and code != error_codes.NOT_FOUND
        if self.is_change and may_have_happened:
            msg = (
                f"{self.method} may or may not have happened ({error.message}). "
                "Read what it changes before you do it again: whether it happened is not known."
            )
            return CallError(error_codes.UNKNOWN, msg)
        return CallError(code, error.message)


def code_of(error: WireError) -> str:
    """Return an error's code, or `not_found` if its message reports a missing path.

    The code `unknown` with `no such file: /a.md` -> `not_found`
    """
    if error.code == error_codes.UNKNOWN:
        message = error.message.lower()
        for phrase in MISSING_PATH_PHRASES:
            if phrase in message:
                return error_codes.NOT_FOUND
    return error.code


def reply_parser(
    rpc: Rpc, arguments: Mapping[str, Plain]
) -> Callable[[Message], Message]:
    """Return the function that converts the reply to a call into the operation's result.

    The function raises `CallError` if a tree is too large (by `check_depth`), and
    `WireError` if the reply is malformed.
    """

    def parse_reply(reply: Message) -> Message:
        try:
            if rpc.operation == "tree" and reply.get("truncated"):
                root = reply.get(rpc.result_field)
                check_depth(root, arguments.get("level"))
            return rpc.reply_from_wire(reply)
        except (ShapeError, RecursionError) as error:
            # The operation may have happened although its reply is malformed.
            msg = f"the reply of {rpc.method} is not as described: {error}"
            raise WireError(error_codes.INTERNAL, msg) from None

    return parse_reply


def _add_missing_paths(result: Message, operation: Operation, path: str) -> None:
    """Add the paths that the platform omits from the result of a call for `path`.

    The result of `read` has no path, so it gets the requested one. The entries of a
    folder have only names: `{"name": "a.md"}` in `/docs` gets the path `/docs/a.md`.
    """
    for field in operation.fields:
        if field.name == "path" and not result.get("path"):
            result["path"] = path
        entries = result.get(field.name)
        entry_fields = field.items  # the names of the fields of each entry
        is_listing = "name" in entry_fields and "path" in entry_fields
        if is_listing and isinstance(entries, list):
            for entry in entries:
                if isinstance(entry, dict) and not entry.get("path"):
                    entry["path"] = normal_path(f"{path}/{entry['name']}")
