"""The environment of one remote trial, reached over the wire."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Final

from controlplane.benchmarks.bitgn.client.platform_client import (
    Call,
    CallPolicy,
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.wire_errors import Message, WireError
from controlplane.benchmarks.bitgn.remote_runtime import RPCS, SERVICE, TOOL_SCHEMA, Rpc, ShapeError
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
_MISSING: Final = ("not found", "no such", "not exist")


@dataclass(slots=True)
class BegunCall:
    """A call of an operation."""

    call: Call[Message]
    declared: Operation | None
    arguments: Mapping[str, Plain]
    is_change: bool

    def finish(self) -> Message:
        """Return the result. Raises `CallError`; its code is `unknown` if a change may or may not have happened."""
        try:
            result = self.call.finish()
        except WireError as error:
            code = _code(error)
            if not self.is_change or not error.in_doubt or code == error_codes.NOT_FOUND:
                raise CallError(code, error.message) from None
            msg = (
                f"{self.call.method} may or may not have happened ({error.message}). Read what it changes before you do"
                " it again: whether it happened is not known."
            )
            raise CallError(error_codes.UNKNOWN, msg) from None
        for field in self.declared.fields if self.declared else ():
            if field.name == "path" and not result.get("path"):
                result["path"] = self.arguments.get("path")
            entries = result.get(field.name) if {"name", "path"} <= {*field.items} else None
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and not entry.get("path"):
                    entry["path"] = normal_path(f"{self.arguments.get('path')}/{entry['name']}")
        return fresh_result(self.declared.name if self.declared else self.call.method, result)


class RemoteEnvironment:
    """The files and tools of one trial. Several threads may make calls that only read."""

    def __init__(self, client: PlatformClient, harness_url: str, *, policy: CallPolicy) -> None:
        """Reach the trial at `harness_url`; `policy` applies to calls that may be repeated freely."""
        self.tool_schema = TOOL_SCHEMA
        self._client = client
        self._service = Service(harness_url, SERVICE)
        self._policy = policy
        self._now: datetime | None = None
        self._clock: Callable[[], Message] | None = None
        """Waits for the call for the clock that was begun last."""
        self.ends_at = math.inf

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> Message:
        """Make one declared call. Raises `CallError`, as `BegunCall.finish` does."""
        return self._to_call(operation, arguments).finish()

    def begin(self, operation: str, arguments: Mapping[str, Plain]) -> Callable[[], Message]:
        """Begin one declared call beside others, and return a function that waits for its result.

        Raises `CallError` for a call that the runtime does not declare so.
        """
        begun = self._to_call(operation, arguments)
        try:
            begun.call.begin()
        except WireError as error:
            raise CallError(error.code, error.message) from None
        if operation == "exec" and dict(arguments) == {"path": CLOCK}:
            self._clock = cache(begun.finish)
            return self._clock
        return begun.finish

    def _to_call(self, operation: str, arguments: Mapping[str, Plain]) -> BegunCall:
        rpc, declared = RPCS.get(operation), self.tool_schema.operation(operation)
        if rpc is None:
            raise CallError(error_codes.UNIMPLEMENTED, f"this runtime has no {operation}")
        # With the declared defaults, which are not always the wire's.
        given = bound_arguments(declared, (), dict(arguments)) if declared else dict(arguments)
        look, is_change = (
            self._look(rpc, arguments),
            self.tool_schema.may_change(operation, arguments),
        )
        doubts = 0 if is_change and look is None else self._policy.doubts
        if self._policy.ends_at != self.ends_at:
            self._policy = replace(self._policy, ends_at=self.ends_at)
        policy = (
            self._policy if self._policy.doubts == doubts else replace(self._policy, doubts=doubts)
        )

        def read(reply: Message) -> Message:
            try:
                if (
                    rpc.reply_in
                    and reply.get("truncated")
                    and _is_cut(reply.get(rpc.reply_in), given.get("level"))
                ):
                    raise CallError(error_codes.RESOURCE_EXHAUSTED, TOO_LARGE)
                return rpc.reply_from_wire(reply)
            except (ShapeError, RecursionError) as error:
                # The operation may have happened nevertheless.
                msg = f"the reply of {rpc.method} is not as described: {error}"
                raise WireError(error_codes.INTERNAL, msg) from None

        call = Call(
            self._client, self._service, rpc.method, rpc.request_to_wire(given), policy, read, look
        )
        return BegunCall(call, declared, given, is_change)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`; `already_exists` says that one was given before."""
        request: Message = {"message": message, "outcome": outcome, "refs": list(refs)}
        try:
            self._make("Answer", request, replace(self._policy, already_is_done=True))
        except WireError as error:
            already = error.code == error_codes.FAILED_PRECONDITION and "already" in error.message
            raise CallError(
                error_codes.ALREADY_EXISTS if already else error.code, error.message
            ) from None

    def now(self) -> datetime | None:
        """Return the environment's clock, which does not move during a trial; None if it fails."""
        if self._now is not None:
            return self._now
        try:
            reply = self._clock() if self._clock else self.call("exec", {"path": CLOCK})
            moment = datetime.fromisoformat(str(reply["stdout"]).strip())
        except (CallError, ValueError):
            return None
        self._now = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return self._now

    def close(self) -> None:
        """Send no further call, not even a retried one: the trial ends."""
        self._service.is_closed = True

    def _make(self, method: str, request: Message, policy: CallPolicy) -> Message:
        return Call(
            self._client, self._service, method, request, policy, lambda reply: reply
        ).finish()

    def _look(
        self, rpc: Rpc, arguments: Mapping[str, Plain]
    ) -> Callable[[], Message | None] | None:
        """Return a function that looks whether this change happened, and returns its reply if so, None if not."""
        look = rpc.look
        if look is None:
            return None

        def looked() -> Message | None:
            try:
                reply = self._make(look.method, {"path": arguments.get("path", "")}, self._policy)
            except WireError as error:
                if _code(error) != error_codes.NOT_FOUND:
                    raise
                return None if look.holds else {}
            return (
                {} if look.holds and _is_text(reply, str(arguments.get(look.holds, ""))) else None
            )

        return looked


def _code(error: WireError) -> str:
    """Return the error's code; some worlds of the platform report a missing path as `unknown`."""
    if error.code == error_codes.UNKNOWN and any(
        words in error.message.lower() for words in _MISSING
    ):
        return error_codes.NOT_FOUND
    return error.code


def _is_cut(root: Plain, level: Plain) -> bool:
    """Say whether a tree that is called truncated shows fewer levels than were asked for (0: all)."""
    depth, nodes = -1, [root]
    while nodes:
        depth += 1
        nodes = [
            child
            for node in nodes
            if isinstance(node, dict) and isinstance(below := node.get("children"), list)
            for child in below
        ]
    return not level or (isinstance(level, int) and depth < level)


def _is_text(reply: Message, text: str) -> bool:
    """Say whether a reply shows `text`; if the content was cut, compare its hash."""
    sha256 = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return reply.get("sha256") == sha256 or reply.get("content", "") == text
