"""The service of a trial's runtime: the operations of its environment, in their wire form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from agent.evidence import Environment
from benchmarks.bitgn.proto import SERVICES
from benchmarks.bitgn.remote_runtime import FILE, RPCS, SERVICE, Rpc, ShapeError
from benchmarks.bitgn.server.served_runs import MOST_KEPT_BYTES, ServedRuns, ServedTrial
from sandbox import content_type, normal_path
from sandbox.interface import CallError, Plain, error_codes

KEEPING: Final = frozenset({"Write", "Answer"})
"""The methods whose requests are kept until their trial ends."""
_ENUMS: Final = SERVICES[SERVICE].file.enum_types_by_name
OUTCOMES: Final = frozenset(_ENUMS["Outcome"].values_by_name) - {"OUTCOME_UNSPECIFIED"}
Handle: TypeAlias = Callable[[str, dict[str, Plain]], Mapping[str, Plain]]
"""Handles a call of the trial with this id, given and answered as proto3 JSON."""


class RuntimeService:
    """Handles calls of trials' runtime, from many threads at once, but one at a time for each trial."""

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs
        self._methods = SERVICES[SERVICE].methods_by_name

    def methods(self) -> dict[str, Handle]:
        """Return the service's methods by name."""
        table = {rpc.method: self._method(rpc.method, self._operation(rpc)) for rpc in RPCS.values()}
        return {**table, "Answer": self._method("Answer", _answer)}

    def _method(self, name: str, work: Callable[[ServedTrial, dict[str, Plain]], Mapping[str, Plain]]) -> Handle:
        def handle(trial_id: str, fields: dict[str, Plain]) -> Mapping[str, Plain]:
            trial = self._runs.trial(trial_id)
            self._runs.count_process(trial)
            before = trial.kept_bytes
            try:
                if name in KEEPING:
                    self._keep(trial, sum(len(str(value)) for value in fields.values()))
                return work(trial, fields)
            except CallError:
                trial.kept_bytes = min(before, trial.kept_bytes)  # Nothing is kept of what is refused.
                raise

        return handle

    def _keep(self, trial: ServedTrial, size: int) -> None:
        if trial.run.kept_bytes + size > MOST_KEPT_BYTES:
            msg = f"the open trials of this run wrote and answered more than {MOST_KEPT_BYTES} bytes; end some of them"
            raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
        trial.kept_bytes += size
        self._runs.make_room(trial.run)

    def _operation(self, rpc: Rpc) -> Callable[[ServedTrial, dict[str, Plain]], Mapping[str, Plain]]:
        wire_names = {field.json_name for field in self._methods[rpc.method].output_type.fields}

        def work(trial: ServedTrial, fields: dict[str, Plain]) -> Mapping[str, Plain]:
            environment = _running(trial)
            try:
                arguments = rpc.request_from_wire(fields)
            except ShapeError as error:
                raise CallError(error_codes.INVALID_ARGUMENT, str(error)) from None
            result = _called(environment, rpc, arguments)
            reply = _completed(rpc.method, rpc.reply_to_wire(result), result, arguments)
            # The reply of Delete is empty.
            reply = {name: value for name, value in reply.items() if name in wire_names}
            return _numbered(reply, arguments) if rpc.method == "Read" and fields.get("number") else reply

        return work


def _called(environment: Environment, rpc: Rpc, arguments: Mapping[str, Plain]) -> Mapping[str, Plain]:
    """Return the result of an operation; of a tree that is too large, its first level. Raises `CallError`."""
    declared = environment.tool_schema.operation(rpc.operation)
    if declared is None:
        raise CallError(error_codes.UNIMPLEMENTED, f"this runtime has no {rpc.method}")
    try:
        return environment.call(rpc.operation, arguments)
    except CallError as error:
        if rpc.method != "Tree" or error.code != error_codes.RESOURCE_EXHAUSTED:
            raise
    # To clients, the code of a tree that is too large would mean that they call too often.
    return {**environment.call("tree", {**arguments, "level": 1}), "truncated": True}


def _running(trial: ServedTrial) -> Environment:
    if trial.environment is None:
        has = "has not started" if trial.is_open else "has already ended"
        raise CallError(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} {has}")
    return trial.environment


def _answer(trial: ServedTrial, fields: dict[str, Plain]) -> Mapping[str, Plain]:
    environment = _running(trial)
    if trial.is_answered:
        raise CallError(error_codes.ALREADY_EXISTS, f"trial {trial.trial_id} was already answered")
    outcome = fields.get("outcome")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        raise CallError(
            error_codes.INVALID_ARGUMENT, f"outcome {outcome!r} is not one of {', '.join(sorted(OUTCOMES))}"
        )
    refs = fields.get("refs")
    environment.answer(
        str(fields.get("message", "")), outcome, [str(ref) for ref in refs] if isinstance(refs, list) else []
    )
    trial.is_answered = True
    return {}


def _completed(
    method: str, reply: dict[str, Plain], result: Mapping[str, Plain], arguments: Mapping[str, Plain]
) -> dict[str, Plain]:
    """Add the fields that the wire has beyond the result: the listed path, and the type of every file."""
    if method == "List":
        path = _listed_path(result.get("entries"), str(arguments["path"]))
        return {**reply, "path": path, "entries": _typed(reply.get("entries"))}
    if method == "Tree":
        cut = {"truncated": True} if result.get("truncated") else {}
        return {**reply, **cut, "root": _typed([reply.get("root")])[0]}
    return reply


def _listed_path(entries: Plain, path: str) -> str:
    """Return the path of a listed directory in the spelling of its entries' paths."""
    first = entries[0] if isinstance(entries, list) and entries else None
    return str(first["path"]).rpartition("/")[0] or "/" if isinstance(first, dict) else normal_path(path)


def _typed(nodes: Plain) -> list[Plain]:
    typed: list[Plain] = []
    for node in nodes if isinstance(nodes, list) else []:
        if not isinstance(node, dict):
            continue
        kind = {"contentType": content_type(str(node.get("name", "")))} if node.get("kind") == FILE else {}
        below = {"children": _typed(node["children"])} if "children" in node else {}
        typed.append({**node, **kind, **below})
    return typed


def _numbered(reply: Mapping[str, Plain], arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Number the lines as `cat --number` does, starting with the first line of the range."""
    start = arguments.get("start_line")
    first = max(start if isinstance(start, int) else 0, 1)
    lines = str(reply.get("content", "")).splitlines(keepends=True)
    return {**reply, "content": "".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, first))}
