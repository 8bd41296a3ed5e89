"""The runtime of one remote trial, reached over the wire by the operations that its `Runtime` declares."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

from benchmarks.bitgn.client.call_policies import CallPolicy, RetryingClient, as_it_is
from benchmarks.bitgn.client.connect import Endpoint
from benchmarks.bitgn.client.wire_error import WireError
from benchmarks.bitgn.wire.remote_runtimes import Rpc, Runtime
from benchmarks.bitgn.wire.value_shapes import ShapeError
from sandbox.interface import CallError, Plain, Surface, bound_arguments, error_codes

_MISSING: Final = re.compile(r"not found|no such|does not exist|not exist", re.IGNORECASE)


class RemoteEnvironment:
    """The files and tools of one trial. Several threads may make calls that only read."""

    def __init__(self, client: RetryingClient, runtime: Runtime, harness_url: str, *, policy: CallPolicy) -> None:
        """Reach the trial at `harness_url`; `policy` is that of calls that may be repeated freely."""
        self._client = client
        self._runtime = runtime
        self._endpoint = Endpoint(harness_url, runtime.service)
        self._policy = policy
        self._now: datetime | None = None

    @property
    def surface(self) -> Surface:
        """What this runtime declares about itself."""
        return self._runtime.surface

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`; its code is `unknown` if a change may or may not have
        happened."""
        rpc = self._runtime.rpc(operation)
        if rpc is None:
            raise CallError(error_codes.UNIMPLEMENTED, f"this runtime has no {operation}")
        may_be_doubled = not rpc.runs_tools or not self.surface.may_change(operation, arguments)
        policy = self._policy if may_be_doubled else replace(self._policy, doubts=0)
        message = rpc.request_to_wire(self._with_defaults(operation, arguments))
        try:
            result = self._client.call(
                self._endpoint,
                rpc.method,
                message,
                policy=policy,
                read=partial(_read, rpc),
                look=self._look(rpc, arguments),
            )
        except WireError as error:
            is_change = not may_be_doubled or rpc.look is not None
            raise _call_error(error, rpc.method, is_change=is_change) from None
        declared = self.surface.operation(operation)
        if declared is not None and any(field.name == "path" for field in declared.fields) and not result.get("path"):
            result["path"] = arguments.get("path")
        return result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`; `already_exists` says that one was given before."""
        request: dict[str, Plain] = {"message": message, "outcome": outcome, "refs": list(refs)}
        policy = replace(self._policy, already_is_done=True)
        try:
            self._client.call(self._endpoint, "Answer", request, policy=policy, read=as_it_is)
        except WireError as error:
            already = error.code == error_codes.FAILED_PRECONDITION and "already" in error.message
            raise CallError(error_codes.ALREADY_EXISTS if already else error.code, error.message) from None

    def now(self) -> datetime | None:
        """Return the environment's clock, which stands still for a whole trial; None if it has none."""
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
        if declared is None:
            return dict(arguments)
        try:
            return bound_arguments(declared, (), dict(arguments))
        except TypeError as fault:
            raise CallError(error_codes.INVALID_ARGUMENT, str(fault)) from None

    def _look(self, rpc: Rpc, arguments: Mapping[str, Plain]) -> Callable[[], dict[str, Plain] | None] | None:
        """Return how to find out whether this change did happen: its reply if so, None if not."""
        look = rpc.look
        if look is None:
            return None

        def looked() -> dict[str, Plain] | None:
            try:
                found = self._client.call(
                    self._endpoint,
                    look.method,
                    {"path": arguments.get("path", "")},
                    policy=self._policy,
                    read=as_it_is,
                )
            except WireError as error:
                if _code(error) != error_codes.NOT_FOUND:
                    raise
                return None if look.holds else {}
            return {} if look.holds and _is_text(found, str(arguments.get(look.holds, ""))) else None

        return looked


def _read(rpc: Rpc, reply: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the result fields of a reply. Raises `WireError`: what was asked for may have happened all the same."""
    try:
        return rpc.reply_from_wire(reply)
    except (ShapeError, RecursionError) as error:
        msg = f"the reply of {rpc.method} is not as described: {error}"
        raise WireError(error_codes.INTERNAL, msg) from None


def _code(error: WireError) -> str:
    """Return the error's code; some worlds of the platform report a missing path as `unknown`."""
    if error.code == error_codes.UNKNOWN and _MISSING.search(error.message):
        return error_codes.NOT_FOUND
    return error.code


def _call_error(error: WireError, method: str, *, is_change: bool) -> CallError:
    code = _code(error)
    if is_change and error.in_doubt and code != error_codes.NOT_FOUND:
        msg = f"{method} may or may not have happened ({error.message}). Read what it changes before you do it again"
        return CallError(error_codes.UNKNOWN, f"{msg}: whether it happened is not known.")
    return CallError(code, error.message)


def _is_text(reply: Mapping[str, Plain], text: str) -> bool:
    """Return whether a reply shows `text`; if the content was cut, its hash tells."""
    sha256 = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return reply.get("sha256") == sha256 or reply.get("content", "") == text
