"""The runtime of one remote trial, reached over the wire by the operations that its `Runtime` declares."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from benchmarks.bitgn.connect import Endpoint, WireError
from benchmarks.bitgn.retries import Caller, Policy
from benchmarks.bitgn.runtime import Repeat, Rpc, Runtime
from benchmarks.bitgn.shapes import ShapeError
from sandbox.operations import (
    ALREADY_EXISTS,
    FAILED_PRECONDITION,
    INTERNAL,
    INVALID_ARGUMENT,
    NOT_FOUND,
    UNIMPLEMENTED,
    UNKNOWN,
    CallError,
    ExecutableKind,
    Plain,
    Required,
    Surface,
)

_MISSING: Final = re.compile(r"not found|no such|does not exist|not exist", re.IGNORECASE)


class RemoteEnvironment:
    """The files and tools of one trial. Used by one thread at a time."""

    def __init__(self, caller: Caller, runtime: Runtime, harness_url: str, *, policy: Policy) -> None:
        """Reach the trial at `harness_url`; `policy` is that of calls that may be repeated freely."""
        self._caller = caller
        self._runtime = runtime
        self._endpoint = Endpoint(harness_url, runtime.service)
        self._policy = policy
        self._now: datetime | None = None

    @property
    def surface(self) -> Surface:
        """What this runtime declares about itself."""
        return self._runtime.surface

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`; its code is `unknown` where a change may or may not have
        happened."""
        rpc = self._runtime.rpc(operation)
        if rpc is None:
            raise CallError(UNIMPLEMENTED, f"this runtime has no {operation}")
        repeat = self._repeat(rpc, arguments)
        policy = self._policy if repeat is not Repeat.NEVER else replace(self._policy, doubts=0)
        message = rpc.request_to_wire(self._with_defaults(operation, arguments))
        try:
            reply = self._caller.call(
                self._endpoint, rpc.method, message, policy=policy, look=self._look(rpc, arguments)
            )
            return self._result(rpc, arguments, reply)
        except WireError as error:
            raise _call_error(error, rpc, repeat) from None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`; `already_exists` says that one was given before."""
        request: dict[str, Plain] = {"message": message, "outcome": outcome, "refs": list(refs)}
        policy = replace(self._policy, already_is_done=True)
        try:
            self._caller.call(self._endpoint, "Answer", request, policy=policy)
        except WireError as error:
            already = error.code == FAILED_PRECONDITION and "already" in error.message
            raise CallError(ALREADY_EXISTS if already else error.code, error.message) from None

    def now(self) -> datetime | None:
        """Return the environment's clock, which stands still for a whole trial; None where it has none."""
        clock = self._runtime.clock
        if clock is None or self._now is not None:
            return self._now
        try:
            said = self.call(clock.operation, clock.arguments)[clock.field]
            moment = datetime.fromisoformat(str(said).strip())
        except (CallError, ValueError):
            return None
        self._now = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return self._now

    def _with_defaults(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Fill in the declared defaults, which are not always the wire's."""
        declared = self.surface.operation(operation)
        parameters = declared.parameters if declared else ()
        unknown = sorted(set(arguments) - {parameter.name for parameter in parameters})
        if unknown:
            raise CallError(INVALID_ARGUMENT, f"{operation} has no argument {unknown[0]!r}")
        given: dict[str, Plain] = {}
        for parameter in parameters:
            value = arguments.get(parameter.name, parameter.default)
            if isinstance(value, Required):
                raise CallError(INVALID_ARGUMENT, f"{operation} needs the argument {parameter.name!r}")
            given[parameter.name] = value
        return given

    def _repeat(self, rpc: Rpc, arguments: Mapping[str, Plain]) -> Repeat:
        """A tool that only reads may be run again, and so may one that is only asked how it is used."""
        if rpc.repeat is not Repeat.NEVER:
            return rpc.repeat
        reads = self.surface.executable_kind(str(arguments.get("path"))) is ExecutableKind.READS
        return Repeat.FREELY if reads or arguments.get("args") == ["--help"] else Repeat.NEVER

    def _look(self, rpc: Rpc, arguments: Mapping[str, Plain]) -> Callable[[], dict[str, Plain] | None] | None:
        """Return how to find out whether a write or a deletion whose reply was lost did happen."""
        path = str(arguments.get("path", ""))
        if rpc.operation == "write":
            return lambda: {"path": path} if self._holds(path, str(arguments.get("content", ""))) else None
        if rpc.operation == "delete":
            return lambda: None if self._exists(path) else {}
        return None

    def _holds(self, path: str, content: str) -> bool:
        try:
            reply = self._caller.call(self._endpoint, "Read", {"path": path}, policy=self._policy)
        except WireError as error:
            if _code(error) == NOT_FOUND:
                return False
            raise
        sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
        return reply.get("sha256") == sha256 or reply.get("content", "") == content

    def _exists(self, path: str) -> bool:
        try:
            self._caller.call(self._endpoint, "Stat", {"path": path}, policy=self._policy)
        except WireError as error:
            if _code(error) == NOT_FOUND:
                return False
            raise
        return True

    def _result(self, rpc: Rpc, arguments: Mapping[str, Plain], reply: Mapping[str, Plain]) -> dict[str, Plain]:
        try:
            result = rpc.reply_from_wire(reply)
        except ShapeError as error:
            raise CallError(INTERNAL, f"the reply of {rpc.method} is not as described: {error}") from None
        operation = self.surface.operation(rpc.operation)
        if operation is not None and any(field.name == "path" for field in operation.fields) and not result.get("path"):
            result["path"] = arguments.get("path")
        return result


def _code(error: WireError) -> str:
    """Return the error's code; some worlds of the platform report a missing path as `unknown`."""
    if error.code == UNKNOWN and _MISSING.search(error.message):
        return NOT_FOUND
    return error.code


def _call_error(error: WireError, rpc: Rpc, repeat: Repeat) -> CallError:
    if error.may_have_happened and repeat is not Repeat.FREELY:
        what = f"{rpc.method} was sent and its reply was lost ({error.message}); whether it happened is not known"
        return CallError(UNKNOWN, f"{what}. Read what it changes before you do it again.")
    return CallError(_code(error), error.message)
