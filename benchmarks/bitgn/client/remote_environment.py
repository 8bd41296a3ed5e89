"""The environment of one remote trial.

Each operation of a script becomes a request to the trial's runtime,
and the reply becomes the operation's result. If the reply to a write or delete
is lost, the environment first reads the path, and repeats the call only
if the change has not happened.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

from controlplane.benchmarks.bitgn.client.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.platform_call import Call
from controlplane.benchmarks.bitgn.client.platform_client import (
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.wire_errors import Message, WireError
from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA
from controlplane.benchmarks.bitgn.rpc import RPCS, SERVICE, EffectCheck, Rpc
from controlplane.benchmarks.bitgn.wire_types import ShapeError
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    bound_arguments,
    error_codes,
    fresh_result,
)

CLOCK: Final = "/bin/date"
TOO_LARGE: Final = "the tree is too large for one reply; list its folders one by one"
MISSING_PATH_PHRASES: Final = ("not found", "no such", "not exist")
"""Some trials' runtimes report a missing path with the code `unknown` and one of these phrases."""


@dataclass(slots=True)
class OperationCall:
    """A call of one operation, such as `read`, which is sent as a request to the platform."""

    call: Call[Message]
    """The request. It may have been sent already."""
    operation: Operation | None
    """The operation's declaration; None if the tool schema does not have it."""
    arguments: Mapping[str, Plain]
    is_change: bool
    """True if the call may change files."""

    def finish(self) -> Message:
        """Wait for the result and return it.

        Raises `CallError`, with the code `unknown`
        if it is unclear whether a change has happened.
        """
        try:
            result = self.call.finish()
        except WireError as error:
            raise self._call_error(error) from None
        # `fresh_result` returns a copy, and checks its size and nesting.
        if self.operation is None:
            return fresh_result(self.call.method, result)
        _add_missing_paths(result, self.operation, str(self.arguments.get("path")))
        return fresh_result(self.operation.name, result)

    def _call_error(self, error: WireError) -> CallError:
        """Return the error for the script."""
        code = _code_of(error)
        may_have_happened = error.in_doubt and code != error_codes.NOT_FOUND
        if self.is_change and may_have_happened:
            msg = (
                f"{self.call.method} may or may not have happened ({error.message}). "
                "Read what it changes before you do it again: whether it happened is not known."
            )
            return CallError(error_codes.UNKNOWN, msg)
        return CallError(code, error.message)


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


class _SharedResult:
    """The result of a call that several callers need. The first of them waits for it."""

    def __init__(self, finish: Callable[[], Message]) -> None:
        self._finish = finish
        self._result: Message | None = None

    def get(self) -> Message:
        """Return the result. Raises `CallError`."""
        if self._result is None:
            self._result = self._finish()
        return self._result


class RemoteEnvironment:
    """The files and tools of one trial. Created when the trial starts.

    Several threads may make calls that only read at the same time.
    """

    def __init__(
        self, client: PlatformClient, harness_url: str, *, policy: CallPolicy
    ) -> None:
        """Set up the trial's environment. `policy` is for calls that may be repeated."""
        self.tool_schema = TOOL_SCHEMA
        self._service = Service(client, harness_url, SERVICE)
        self._policy = policy
        self._now: datetime | None = None
        self._clock_reading: _SharedResult | None = None
        """The result of the program that prints the time, if `begin` has called it."""
        self.ends_at = math.inf
        """The time, by `time.monotonic`, after which no call is retried. The trial sets it."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> Message:
        """Make one declared call. Raises `CallError`, as `OperationCall.finish` does."""
        return self._new_call(operation, arguments).finish()

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], Message]:
        """Begin a declared call and return a function that waits for its result.

        Other calls can run meanwhile. Raises `CallError` if there is no such operation.
        """
        new_call = self._new_call(operation, arguments)
        try:
            new_call.call.begin()
        except WireError as error:
            raise CallError(error.code, error.message) from None
        reads_clock = operation == "exec" and dict(arguments) == {"path": CLOCK}
        if reads_clock:
            # The initial prompt reads the clock. `now` needs the same result, so they share it.
            self._clock_reading = _SharedResult(new_call.finish)
            return self._clock_reading.get
        return new_call.finish

    def _new_call(
        self, operation: str, script_arguments: Mapping[str, Plain]
    ) -> OperationCall:
        """Return a call that has not been sent yet.

        Raises `CallError` if the operation does not exist.
        """
        rpc = RPCS.get(operation)
        if rpc is None:
            raise CallError(
                error_codes.UNIMPLEMENTED, f"this runtime has no {operation}"
            )
        declared = self.tool_schema.operation(operation)
        arguments = dict(script_arguments)
        if declared is not None:
            # Send the defaults that scripts see, because the protocol's can differ.
            arguments = bound_arguments(declared, (), arguments)
        is_change = self.tool_schema.may_change(operation, script_arguments)

        policy = self._current_policy()
        find_lost_reply = None
        if rpc.effect_check is not None:
            find_lost_reply = partial(
                self._find_lost_reply, rpc.effect_check, script_arguments
            )
        elif is_change:
            # If the reply is lost, nothing shows whether the change has happened. A repeated
            # call could make it twice.
            policy = replace(policy, max_repeats_in_doubt=0)

        call = Call(
            self._service,
            rpc.method,
            rpc.request_to_wire(arguments),
            policy,
            parse_reply=_reply_parser(rpc, arguments),
            before_repeat=find_lost_reply,
        )
        return OperationCall(call, declared, arguments, is_change)

    def _find_lost_reply(
        self, effect_check: EffectCheck, arguments: Mapping[str, Plain]
    ) -> Message | None:
        """Return the reply of a write or delete that has happened; None if it has not.

        `effect_check` tells how to find out. Raises `WireError`.
        """
        if not self._has_happened(effect_check, arguments):
            return None
        empty_reply: Message = {}  # All writes and deletes have this reply.
        return empty_reply

    def _has_happened(
        self, effect_check: EffectCheck, arguments: Mapping[str, Plain]
    ) -> bool:
        """Return True if the path looks as it should after a write or a delete.

        Raises `WireError` if it cannot be read.
        """
        file = self._file_at(arguments.get("path", ""), effect_check.method)
        if effect_check.is_of_write:
            content = str(arguments.get(effect_check.content_parameter, ""))
            return file is not None and _has_content(file, content)
        return file is None

    def _file_at(self, path: Plain, method: str) -> Message | None:
        """Return the reply of a method that reads a path; None if nothing is there.

        Raises `WireError`.
        """
        try:
            return self._make(method, {"path": path}, self._current_policy())
        except WireError as error:
            if _code_of(error) == error_codes.NOT_FOUND:
                return None
            raise

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's answer.

        Raises `CallError`, with the code
        `already_exists` if there is an answer already.
        """
        request: Message = {"message": message, "outcome": outcome, "refs": list(refs)}
        # Unlike `_current_policy`, this policy has no end time, because a trial without
        # an answer scores nothing.
        policy = replace(self._policy, accepts_already_done=True)
        try:
            self._make("Answer", request, policy)
        except WireError as error:
            code = error.code
            if code == error_codes.FAILED_PRECONDITION and "already" in error.message:
                code = error_codes.ALREADY_EXISTS
            raise CallError(code, error.message) from None

    def now(self) -> datetime | None:
        """Return the trial's clock, which stands still; None if it cannot be read."""
        if self._now is not None:
            return self._now
        try:
            if self._clock_reading is not None:
                result = self._clock_reading.get()
            else:
                result = self.call("exec", {"path": CLOCK})
            moment = datetime.fromisoformat(str(result["stdout"]).strip())
        except (CallError, ValueError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        self._now = moment
        return self._now

    def close(self) -> None:
        """Stop sending calls, including retries, because the trial ends."""
        self._service.is_closed = True

    def _current_policy(self) -> CallPolicy:
        """Return the policy for calls that may be repeated until the trial's time is over."""
        return replace(self._policy, ends_at=self.ends_at)

    def _make(self, method: str, request: Message, policy: CallPolicy) -> Message:
        """Make a call and return its reply unchanged. Raises `WireError`."""
        return Call(self._service, method, request, policy, _unchanged).finish()


def _reply_parser(
    rpc: Rpc, arguments: Mapping[str, Plain]
) -> Callable[[Message], Message]:
    """Return the function that converts the reply to a call into the operation's result.

    The function raises `CallError` if a tree is too
    large, and `WireError` if the reply is malformed.
    """

    def parse_reply(reply: Message) -> Message:
        try:
            if rpc.operation == "tree" and reply.get("truncated"):
                root = reply.get(rpc.result_field)
                _check_depth(root, arguments.get("level"))
            return rpc.reply_from_wire(reply)
        except (ShapeError, RecursionError) as error:
            # The operation may have happened although its reply is malformed.
            msg = f"the reply of {rpc.method} is not as described: {error}"
            raise WireError(error_codes.INTERNAL, msg) from None

    return parse_reply


def _unchanged(reply: Message) -> Message:
    return reply


def _code_of(error: WireError) -> str:
    """Return an error's code, or `not_found` if its message reports a missing path."""
    if error.code == error_codes.UNKNOWN:
        message = error.message.lower()
        for phrase in MISSING_PATH_PHRASES:
            if phrase in message:
                return error_codes.NOT_FOUND
    return error.code


def _check_depth(root: Plain, requested_levels: Plain) -> None:
    """Raise `CallError` if a truncated tree lacks some of the requested levels.

    The platform also marks a tree as truncated if it only lacks levels that were not
    requested. Such a tree is complete.
    """
    requests_all = not requested_levels  # 0 or missing
    is_too_shallow = (
        isinstance(requested_levels, int) and _depth(root) < requested_levels
    )
    if requests_all or is_too_shallow:
        raise CallError(error_codes.RESOURCE_EXHAUSTED, TOO_LARGE)


def _depth(root: Plain) -> int:
    """Return the number of levels below the root of a tree. A node is `{"children": [...]}`."""
    depth = 0
    level = _children(root)
    while level:
        depth += 1
        next_level: list[Plain] = []
        for node in level:
            next_level += _children(node)
        level = next_level
    return depth


def _children(node: Plain) -> list[Plain]:
    if not isinstance(node, dict):
        return []
    children = node.get("children")
    return children if isinstance(children, list) else []


def _has_content(reply: Message, content: str) -> bool:
    """Return True if the reply of Read shows that the file has this content.

    A long file is cut in the reply, so its hash is compared, too.
    """
    sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
    return reply.get("sha256") == sha256 or reply.get("content", "") == content
