"""The service of a trial's runtime: its environment's operations as proto3 JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.remote_runtime import RPCS, SERVICE, Rpc
from controlplane.benchmarks.bitgn.server.recent_workers import RecentWorkers
from controlplane.benchmarks.bitgn.server.runtime_replies import (
    Fields,
    list_reply,
    tree_reply,
    with_line_numbers,
)
from controlplane.benchmarks.bitgn.server.served_run import ServedTrial
from controlplane.benchmarks.bitgn.server.served_runs import ServedRuns
from controlplane.benchmarks.bitgn.wire_types import ShapeError
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

STORING_METHODS: Final = frozenset({"Write", "Answer"})
"""The methods whose requests stay in memory until their trial ends, as a file or an answer."""
_ENUMS: Final = SERVICES[SERVICE].file.enum_types_by_name
OUTCOMES: Final = frozenset(_ENUMS["Outcome"].values_by_name) - {"OUTCOME_UNSPECIFIED"}
_METHODS: Final = SERVICES[SERVICE].methods_by_name
_RPC_OF_METHOD: Final = {rpc.method: rpc for rpc in RPCS.values()}


class RuntimeService:
    """Handles calls to trials' runtimes.

    It is called from many threads, one at a time for a trial.
    """

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs
        self._workers = RecentWorkers()

    def handle(self, method: str, trial_id: str, fields: dict[str, Plain]) -> Fields:
        """Return the reply to a request to a trial's runtime. Raises `CallError`."""
        trial = self._runs.trial(trial_id)
        # This may end the processes of other trials. They start again at the next call.
        self._workers.use(trial)
        if method not in STORING_METHODS:
            return self._reply_of(method, trial, fields)

        with self._counted_as_stored(trial, fields):
            return self._reply_of(method, trial, fields)

    @contextmanager
    def _counted_as_stored(self, trial: ServedTrial, fields: Fields) -> Iterator[None]:
        """Count the characters of a request as stored by its trial, unless it is refused.

        Raises `CallError` if there is no memory for them.
        """
        stored_before = trial.stored_chars
        try:
            self._reserve_memory(trial, fields)
            yield
        except CallError:
            # The refused request is not stored, so set the count back. If another thread
            # has ended the trial meanwhile, the count is 0, and `min` keeps that.
            trial.stored_chars = min(stored_before, trial.stored_chars)
            raise

    def _reserve_memory(self, trial: ServedTrial, fields: Fields) -> None:
        """Add the characters of a request to those that its trial stores.

        Raises `CallError` if its run would then store too many. Ends other runs if all
        runs together store too many.
        """
        size = sum(len(str(value)) for value in fields.values())
        if trial.run.stored_chars + size > bounds.MOST_HELD_BYTES:
            msg = (
                "the open trials of this run wrote and answered more than "
                f"{bounds.MOST_HELD_BYTES} bytes; end some of them"
            )
            raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
        trial.stored_chars += size
        self._runs.make_room(trial.run)

    def _reply_of(
        self, method: str, trial: ServedTrial, fields: dict[str, Plain]
    ) -> Fields:
        """Carry out a method for a trial and return its reply. Raises `CallError`."""
        if method == "Answer":
            return _answer(trial, fields)
        rpc = _RPC_OF_METHOD[method]
        environment = _running_environment(trial)
        try:
            arguments = rpc.request_from_wire(fields)
        except ShapeError as error:
            raise CallError(error_codes.INVALID_ARGUMENT, str(error)) from None
        result = _result_of(environment, rpc, arguments)
        return _reply_to_wire(rpc, arguments, result, fields)


def _running_environment(trial: ServedTrial) -> Environment:
    """Return the environment of a trial. Raises `CallError` if the trial is not running."""
    if trial.environment is not None:
        return trial.environment
    state = "has not started" if trial.is_open else "has already ended"
    raise CallError(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} {state}")


def _result_of(environment: Environment, rpc: Rpc, arguments: Fields) -> Fields:
    """Return the result of an operation; of a tree that is too large, only the first level.

    Raises `CallError`.
    """
    if environment.tool_schema.operation(rpc.operation) is None:
        raise CallError(error_codes.UNIMPLEMENTED, f"this runtime has no {rpc.method}")
    try:
        return environment.call(rpc.operation, arguments)
    except CallError as error:
        if rpc.method != "Tree" or error.code != error_codes.RESOURCE_EXHAUSTED:
            raise
    # Clients would take the code RESOURCE_EXHAUSTED for a rate limit, and try again.
    first_level = environment.call("tree", {**arguments, "level": 1})
    return {**first_level, "truncated": True}


def _reply_to_wire(
    rpc: Rpc, arguments: Fields, result: Fields, request: Fields
) -> Fields:
    """Return the reply with the result of an operation, as the protocol declares it."""
    reply: Fields = rpc.reply_to_wire(result)
    if rpc.method == "List":
        reply = list_reply(reply, result, str(arguments["path"]))
    elif rpc.method == "Tree":
        reply = tree_reply(reply, result)

    # Leave out fields that the protocol does not declare: all of them for Delete.
    declared: dict[str, Plain] = {}
    for field in _METHODS[rpc.method].output_type.fields:
        if field.json_name in reply:
            declared[field.json_name] = reply[field.json_name]

    if rpc.method == "Read" and request.get("number"):
        return with_line_numbers(declared, arguments)
    return declared


def _answer(trial: ServedTrial, fields: Fields) -> Fields:
    """Submit the answer of a trial. Raises `CallError` if there is one already."""
    environment = _running_environment(trial)
    if trial.is_answered:
        msg = f"trial {trial.trial_id} was already answered"
        raise CallError(error_codes.ALREADY_EXISTS, msg)
    outcome = fields.get("outcome")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        msg = f"outcome {outcome!r} is not one of {', '.join(sorted(OUTCOMES))}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    refs = fields.get("refs")
    if not isinstance(refs, list):
        refs = []
    message = str(fields.get("message", ""))
    environment.answer(message, outcome, [str(ref) for ref in refs])
    trial.is_answered = True
    return {}
