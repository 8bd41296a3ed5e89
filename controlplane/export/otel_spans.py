"""Trials as OpenTelemetry spans in OTLP's JSON lines, as the collector's file receiver reads them, a line each.

Names and attributes follow OpenTelemetry's semantic conventions for generative AI: `invoke_agent` for a trial, `chat`
for a request to the model, `execute_tool` for a call of the environment.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from agent.events import CallDone, CallSent, ModelAsked, ModelReplied
from controlplane.journal.journal_content import Journal, RecordedTrial
from controlplane.journal.run_events import Scored, TrialEnded, TrialStarted

Span: TypeAlias = dict[str, object]
CLIENT: Final = 3
INTERNAL: Final = 1
OK: Final = 1
ERROR: Final = 2


def write_spans(path: Path, journals: Iterator[Journal]) -> int:
    """Write the spans of `journals` and return how many there are."""
    count = 0
    with path.open("w", encoding="ascii") as file:
        for journal in journals:
            for trial in journal.trials.values():
                spans = list(trial_spans(trial))
                if spans:
                    file.write(json.dumps(_line(journal, spans)) + "\n")
                count += len(spans)
    return count


def _line(journal: Journal, spans: list[Span]) -> dict[str, object]:
    version = journal.opened.versions.controlplane
    resource: dict[str, object] = {
        "service.name": "controlplane",
        "service.version": version,
        "controlplane.run": journal.run,
    }
    scope = {"name": "controlplane", "version": version}
    return {
        "resourceSpans": [
            {"resource": {"attributes": _attributes(resource)}, "scopeSpans": [{"scope": scope, "spans": spans}]}
        ]
    }


def trial_spans(trial: RecordedTrial) -> Iterator[Span]:
    """Yield the span of a trial and below it those of its requests and calls; none for one that never started."""
    made = _SpansOfTrial(trial)
    root: Span | None = None
    sent: dict[tuple[int, int], CallSent] = {}
    asked: dict[int, ModelAsked] = {}
    ended_ms = 0
    for event in trial.events():
        ended_ms = max(ended_ms, event.at_ms)
        match event:
            case TrialStarted() if root is None:
                root = made.root(event)
            case ModelAsked():
                asked[event.step] = event
            case ModelReplied():
                yield made.chat(event, asked.get(event.step))
            case CallSent():
                sent[event.step, event.number] = event
            case CallDone() if (event.step, event.number) in sent:
                yield made.tool(sent.pop((event.step, event.number)), event)
            case TrialEnded() | Scored():
                made.note(event)
            case _:
                pass
    if root is not None:
        yield made.ended(root, ended_ms)


class _SpansOfTrial:
    """Makes the spans of one trial. Ids are digests, so that the same journal gives the same spans."""

    def __init__(self, trial: RecordedTrial) -> None:
        self._trial = trial
        journal = trial.journal
        self._trace = hashlib.sha256(f"{journal.run}\0{trial.trial_id}".encode()).hexdigest()[:32]
        host = urlsplit(str(journal.setting("base_url") or "")).hostname
        self._shared = {"gen_ai.provider.name": host or "openai", "gen_ai.conversation.id": trial.trial_id}
        self._root_id = self._id("trial")
        self._events: list[dict[str, object]] = []
        self._failure = ""

    def _id(self, *names: object) -> str:
        return hashlib.sha256(f"{self._trace}{names}".encode()).hexdigest()[:16]

    def _span(self, name: str, span_id: str, attributes: dict[str, object], *, kind: int) -> Span:
        return {
            "traceId": self._trace,
            "spanId": span_id,
            "parentSpanId": self._root_id,
            "name": name,
            "kind": kind,
            "attributes": _attributes(self._shared | attributes),
        }

    def root(self, event: TrialStarted) -> Span:
        agent = str(self._trial.journal.setting("agent") or "cited")
        attributes: dict[str, object] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": agent,
            "gen_ai.request.model": self._trial.journal.opened.model,
            "controlplane.task_id": event.task_id,
        }
        span = self._span(f"invoke_agent {agent}", self._root_id, attributes, kind=INTERNAL)
        return span | {"parentSpanId": "", "startTimeUnixNano": _nanoseconds(event.at_ms)}

    def chat(self, event: ModelReplied, asked: ModelAsked | None) -> Span:
        model = self._trial.journal.opened.model
        attributes: dict[str, object] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": event.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": event.usage.completion_tokens,
            "gen_ai.response.finish_reasons": [event.finish_reason],
            "controlplane.step": event.step,
            "controlplane.role": asked.role if asked else "solve",
        }
        if event.cost_usd is not None:
            attributes["controlplane.cost_usd"] = event.cost_usd
        span = self._span(f"chat {model}", self._id("chat", event.step, event.number), attributes, kind=CLIENT)
        return span | _times(event.at_ms - event.elapsed_ms, event.at_ms)

    def tool(self, sent: CallSent, done: CallDone) -> Span:
        attributes: dict[str, object] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": sent.operation,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.arguments": json.dumps(sent.arguments),
            "controlplane.step": sent.step,
        }
        if done.error is not None:
            attributes["error.type"] = done.error.code
        name = f"execute_tool {sent.operation}"
        span = self._span(name, self._id("tool", sent.step, sent.number, done.at_ms), attributes, kind=INTERNAL)
        status = {"code": ERROR, "message": done.error.message} if done.error is not None else {"code": OK}
        return span | _times(done.at_ms - done.elapsed_ms, done.at_ms) | {"status": status}

    def note(self, event: TrialEnded | Scored) -> None:
        """Take an event into account that says how the trial ended."""
        if isinstance(event, TrialEnded):
            self._failure = "" if event.how == "answered" else event.reason or event.how
            return
        told: dict[str, object] = {
            "gen_ai.evaluation.name": "grader",
            "gen_ai.evaluation.explanation": "; ".join(event.details),
        }
        if event.score is not None:
            told["gen_ai.evaluation.score.value"] = float(event.score)
        name = "gen_ai.evaluation.result"
        self._events.append({"timeUnixNano": _nanoseconds(event.at_ms), "name": name, "attributes": _attributes(told)})

    def ended(self, root: Span, ended_ms: int) -> Span:
        status = {"code": ERROR, "message": self._failure} if self._failure else {"code": OK}
        return root | {"endTimeUnixNano": _nanoseconds(ended_ms), "events": self._events, "status": status}


def _times(start_ms: float, end_ms: float) -> dict[str, object]:
    return {"startTimeUnixNano": _nanoseconds(start_ms), "endTimeUnixNano": _nanoseconds(end_ms)}


def _nanoseconds(milliseconds: float) -> str:
    """Return a time as OTLP's JSON writes it: 64-bit integers are texts."""
    return str(round(milliseconds * 1000) * 1000)


def _attributes(values: dict[str, object]) -> list[dict[str, object]]:
    return [{"key": name, "value": _value(each)} for name, each in values.items()]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
