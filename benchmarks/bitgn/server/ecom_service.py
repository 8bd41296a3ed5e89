"""The e-commerce runtime's service: a trial's operations, mapped to the wire as `remote_runtimes.ECOM` declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from google.protobuf.message import Message

from agent.evidence import Environment
from benchmarks.bitgn.server.served_runs import MOST_KEPT_BYTES, ServedRuns, ServedTrial
from benchmarks.bitgn.server.wire_codec import Method, Methods, Refused, Target, as_json
from benchmarks.bitgn.wire.proto import ecom_pb2 as pb
from benchmarks.bitgn.wire.remote_runtimes import ECOM, Rpc
from benchmarks.bitgn.wire.value_shapes import FILE, ShapeError
from sandbox import content_type, normal_path
from sandbox.interface import CallError, Plain, error_codes

METHODS: Final = pb.DESCRIPTOR.services_by_name["EcomRuntime"].methods_by_name
KEEPING: Final = frozenset({"Write", "Answer"})
"""The methods whose requests are kept until their trial ends."""
OUTCOMES: Final = frozenset(pb.Outcome.keys()) - {"OUTCOME_UNSPECIFIED"}


class EcomService:
    """Handles calls of trials' runtimes, from many threads at once, but one at a time for each trial."""

    def __init__(self, runs: ServedRuns) -> None:
        self._runs = runs

    def methods(self) -> Methods:
        """Return the service's methods by name."""
        table = {rpc.method: self._method(rpc.method, self._operation(rpc)) for rpc in ECOM.rpcs}
        return {**table, "Answer": self._method("Answer", _answer)}

    def _method(self, name: str, work: Callable[[ServedTrial, dict[str, Plain]], Mapping[str, Plain]]) -> Method:
        def handle(message: Message, target: Target) -> Mapping[str, Plain]:
            trial = self._runs.trial(target.trial_id)
            trial.calls += 1
            fields = as_json(message)
            trial.note("LOG_KIND_REQUEST", f"{name} {fields.get('path') or fields.get('root') or ''}".rstrip())
            self._runs.count_process(trial)
            try:
                if name in KEEPING:
                    self._keep(trial, message.ByteSize())
                return work(trial, fields)
            except (CallError, Refused) as error:
                trial.failed_calls += 1
                trial.note("LOG_KIND_ERROR", f"{name}: {error}")
                raise

        return Method(METHODS[name], handle, lambda _, target: target.trial_id)

    def _keep(self, trial: ServedTrial, size: int) -> None:
        if trial.run.kept_bytes + size > MOST_KEPT_BYTES:
            msg = f"the open trials of this run wrote and answered more than {MOST_KEPT_BYTES} bytes; end some of them"
            raise Refused(error_codes.RESOURCE_EXHAUSTED, msg)
        trial.kept_bytes += size
        self._runs.make_room(trial.run)

    def _operation(self, rpc: Rpc) -> Callable[[ServedTrial, dict[str, Plain]], Mapping[str, Plain]]:
        def work(trial: ServedTrial, fields: dict[str, Plain]) -> Mapping[str, Plain]:
            environment = _running(trial)
            if environment.surface.operation(rpc.operation) is None:
                raise Refused(error_codes.UNIMPLEMENTED, f"this runtime has no {rpc.method}")
            try:
                arguments = rpc.request_from_wire(fields)
            except ShapeError as error:
                raise Refused(error_codes.INVALID_ARGUMENT, str(error)) from None
            result = environment.call(rpc.operation, arguments)
            reply = _completed(rpc.method, rpc.reply_to_wire(result), arguments)
            known = {field.json_name for field in METHODS[rpc.method].output_type.fields}  # Delete replies nothing.
            reply = {name: value for name, value in reply.items() if name in known}
            return _numbered(reply, arguments) if rpc.method == "Read" and fields.get("number") else reply

        return work


def _running(trial: ServedTrial) -> Environment:
    if trial.environment is None:
        has = "has not started" if trial.is_open else "has already ended"
        raise Refused(error_codes.FAILED_PRECONDITION, f"trial {trial.trial_id} {has}")
    return trial.environment


def _answer(trial: ServedTrial, fields: dict[str, Plain]) -> Mapping[str, Plain]:
    environment = _running(trial)
    if trial.is_answered:
        raise Refused(error_codes.ALREADY_EXISTS, f"trial {trial.trial_id} was already answered")
    outcome = fields.get("outcome")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        raise Refused(error_codes.INVALID_ARGUMENT, f"outcome {outcome!r} is none of {', '.join(sorted(OUTCOMES))}")
    refs = fields.get("refs")
    environment.answer(
        str(fields.get("message", "")), outcome, [str(ref) for ref in refs] if isinstance(refs, list) else []
    )
    trial.is_answered = True
    return {}


def _completed(method: str, reply: dict[str, Plain], arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Add what the wire has beyond the result: the listed path, and the type of every file."""
    if method == "List":
        entries = _typed(reply.get("entries"))
        return {**reply, "path": _listed_path(entries, str(arguments["path"])), "entries": entries}
    if method == "Tree":
        return {**reply, "root": _typed([reply.get("root")])[0]}
    return reply


def _listed_path(entries: list[Plain], asked: str) -> str:
    """Return the path of a listed directory as listings spell it, which its entries tell."""
    first = entries[0] if entries else None
    return str(first["path"]).rpartition("/")[0] or "/" if isinstance(first, dict) else normal_path(asked)


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
