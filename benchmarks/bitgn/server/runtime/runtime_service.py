"""The service of a trial's runtime: its environment's operations as proto3 JSON.

For example, the request `{"path": "/a.md"}` to the method Read gets the reply
`{"path": "/a.md", "content": "...", "contentType": "text/markdown"}`.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.rpc import SERVICE
from controlplane.benchmarks.bitgn.rpcs import RPCS
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.benchmarks.bitgn.server.runs.recent_workers import RecentWorkers
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from controlplane.benchmarks.bitgn.server.runs.served_run import ServedTrial
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.benchmarks.bitgn.server.runtime.runtime_replies import (
    FinishedCall,
    reply_to,
)
from controlplane.benchmarks.bitgn.wire_values import ShapeError
from controlplane.sandbox.interface import CallError, error_codes

STORING_METHODS: Final = frozenset({"Write", "Answer"})
"""The methods whose requests stay in memory until their trial ends, as a file or an answer."""
_ENUMS: Final = SERVICES[SERVICE].file.enum_types_by_name
OUTCOMES: Final = frozenset(_ENUMS["Outcome"].values_by_name) - {"OUTCOME_UNSPECIFIED"}
_RPC_OF_METHOD: Final = {rpc.method: rpc for rpc in RPCS.values()}


class RuntimeService:
    """Handles calls to trials' runtimes.

    It is called from many threads, one at a time for a trial.
    """

    def __init__(self, runs: ServedRuns, limits: RunLimits) -> None:
        self._runs = runs
        self._limits = limits
        self._workers = RecentWorkers()

    def run_id_of(self, trial_id: str) -> str:
        """Return the id of a trial's run. Raises `CallError` if the trial is unknown."""
        return self._runs.trial(trial_id).run.run_id

    def handle(self, method: str, trial_id: str, request: Fields) -> Fields:
        """Return the reply to a request to a trial's runtime. Raises `CallError`."""
        trial = self._runs.trial(trial_id)
        # This may end the processes of other trials. They start again at the next call.
        self._workers.use(trial)
        if method not in STORING_METHODS:
            return _reply_to(method, trial, request)

        chars = sum(len(str(value)) for value in request.values())
        # What is stored counts towards the limits of the trial's run, unless it is refused.
        with self._limits.storing(trial, chars):
            return _reply_to(method, trial, request)


def _reply_to(method: str, trial: ServedTrial, request: Fields) -> Fields:
    """Carry out a method for a trial and return its reply. Raises `CallError`.

    Each method but Answer is an operation of the trial's environment: Read is `read`.
    """
    if method == "Answer":
        return _answer(trial, request)
    rpc = _RPC_OF_METHOD[method]
    environment = _running_environment(trial)
    try:
        arguments = rpc.request_from_wire(request)
    except ShapeError as error:
        raise CallError(error_codes.INVALID_ARGUMENT, str(error)) from None
    if environment.tool_schema.operation(rpc.operation) is None:
        raise CallError(error_codes.UNIMPLEMENTED, f"this runtime has no {method}")
    if method == "Tree":
        result = _tree(environment, arguments)
    else:
        result = environment.call(rpc.operation, arguments)
    return reply_to(FinishedCall(rpc, request, arguments, result))


def _running_environment(trial: ServedTrial) -> Environment:
    """Return the environment of a trial. Raises `CallError` if the trial is not running."""
    if trial.environment is not None:
        return trial.environment
    state = "has not started" if trial.is_open else "has already ended"
    raise CallError(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} {state}")


def _tree(environment: Environment, arguments: Fields) -> Fields:
    """Return the tree below a folder; if it is too large, only its first level.

    Raises `CallError`.
    """
    try:
        return environment.call("tree", arguments)
    except CallError as error:
        is_too_large = error.code == error_codes.RESOURCE_EXHAUSTED
        if not is_too_large:
            raise
    # This code would be wrong for clients: they take it for a rate limit, and try again.
    first_level = environment.call("tree", {**arguments, "level": 1})
    return {**first_level, "truncated": True}


def _answer(trial: ServedTrial, request: Fields) -> Fields:
    """Submit the answer of a trial. Raises `CallError` if there is one already."""
    environment = _running_environment(trial)
    if trial.is_answered:
        msg = f"trial {trial.trial_id} was already answered"
        raise CallError(error_codes.ALREADY_EXISTS, msg)
    outcome = request.get("outcome")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        msg = f"outcome {outcome!r} is not one of {', '.join(sorted(OUTCOMES))}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    refs = request.get("refs")
    if not isinstance(refs, list):
        refs = []
    message = str(request.get("message", ""))
    environment.answer(message, outcome, [str(ref) for ref in refs])
    trial.is_answered = True
    return {}
