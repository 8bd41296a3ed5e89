"""Writes runs as OpenTelemetry spans, in OTLP JSON lines that the collector's file receiver reads.

Names and attributes follow OpenTelemetry's semantic conventions for generative AI:
`invoke_agent` is a trial, `chat` a model request, and `execute_tool` a call to the
environment.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from controlplane.agent.events import CallEvent, TrialStarted
from controlplane.agent.record.trial_step import TrialStep
from controlplane.facts.step_facts import step_facts
from controlplane.facts.trial_facts import TrialFacts, TrialRow, row_of, trial_facts
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.report.export.inspect_log import finished_calls
from controlplane.report.export.tables import text_file
from controlplane.report.model_requests import (
    RequestMessage,
    WrittenReply,
    written_replies,
)

# The forms of OpenTelemetry's JSON (OTLP).

_Span: TypeAlias = dict[str, object]
"""A span as a JSON object of OTLP."""

_INTERNAL: Final = 1
_CLIENT: Final = 3
"""The kinds of spans in OTLP."""
_OK: Final = 1
_ERROR: Final = 2
"""The codes of a span's status in OTLP."""


def _nanoseconds(milliseconds: float) -> str:
    """Return a time in nanoseconds, rounded to microseconds: a float has no finer digits here.

    It is a text, since JSON in OTLP writes 64-bit integers as strings.
    """
    return str(round(milliseconds * 1000) * 1000)


def _attributes_of(values: Mapping[str, object]) -> list[dict[str, object]]:
    """Return attributes in the form of OTLP, without those that are None."""
    return [
        {"key": name, "value": _attribute_value(value)}
        for name, value in values.items()
        if value is not None
    ]


def _attribute_value(value: object) -> dict[str, object]:
    """Return a value with its type in OTLP: `3` -> `{"intValue": "3"}`."""
    match value:
        case list():
            return {
                "arrayValue": {"values": [_attribute_value(item) for item in value]}
            }
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case _:
            return {"stringValue": str(value)}


def _messages_text(messages: Iterable[RequestMessage]) -> str:
    """Return messages as JSON text, in the form that the semantic conventions define."""
    return json.dumps(
        [
            {
                "role": message.role,
                "parts": [{"type": "text", "content": message.text}],
            }
            for message in messages
        ]
    )


# What all OpenTelemetry spans of one trial have in common, and their ids.
#
# The ids are hashes, so that each export of a journal gives the same ids.


class _SpanContext:
    """What the spans of a trial have in common. The same trial always has the same ids."""

    def __init__(self, trial: RecordedTrial) -> None:
        journal = trial.journal
        # 16 bytes, as OTLP requires. The zero byte, which is in no id, keeps apart
        # `run1` + `2` and `run` + `12`.
        self.trace_id = _hex_digest(f"{journal.run}\0{trial.trial_id}")[:32]
        self.model = journal.opened.model
        host = urlsplit(str(journal.setting("base_url") or "")).hostname
        self._attributes: dict[str, object] = {
            "gen_ai.provider.name": host or "openai",
            "gen_ai.conversation.id": trial.trial_id,
        }

    def span_id(self, *names: object) -> str:
        """Return the id of the span that `names` identify in the trial, such as ("chat", 3, 1)."""
        return _hex_digest(f"{self.trace_id}{names}")[:16]  # 8 bytes, as OTLP requires

    def span(
        self,
        ids: tuple[object, ...],
        name: str,
        attributes: dict[str, object],
        *,
        ended_ms: float,
        elapsed_ms: float,
        error: str | None = None,
    ) -> _Span:
        """Return a span below the trial's span; `error` tells why what it describes has failed."""
        status: dict[str, object] = {"code": _OK}
        if error is not None:
            status = {"code": _ERROR, "message": error}
        return {
            "traceId": self.trace_id,
            "spanId": self.span_id(*ids),
            "parentSpanId": self.span_id("trial"),
            "name": name,
            "kind": _INTERNAL,
            "startTimeUnixNano": _nanoseconds(ended_ms - elapsed_ms),
            "endTimeUnixNano": _nanoseconds(ended_ms),
            "attributes": _attributes_of(self._attributes | attributes),
            "status": status,
        }


def _hex_digest(name: str) -> str:
    # `surrogatepass`: an id may contain half a surrogate pair, which UTF-8 refuses.
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()


# The OpenTelemetry spans of what happens in the steps of a trial: model requests and calls.


def _request_span(context: _SpanContext, written: WrittenReply) -> _Span:
    """Return the span of a model request and its reply."""
    reply = written.reply
    output = RequestMessage("assistant", reply.reply)
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": context.model,
        "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
        "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
        "gen_ai.response.finish_reasons": [reply.finish_reason],
        "gen_ai.input.messages": _messages_text(written.input),
        "gen_ai.output.messages": _messages_text([output]),
        "controlplane.step": reply.step,
        "controlplane.role": written.role,
        "controlplane.cost_usd": reply.cost_usd,
    }
    if written.left_out:
        attributes["controlplane.input.messages_left_out"] = written.left_out
    span = context.span(
        ("chat", reply.step, reply.number),
        f"chat {context.model}",
        attributes,
        ended_ms=reply.at_ms,
        elapsed_ms=reply.elapsed_ms,
    )
    return span | {"kind": _CLIENT}


def _call_span(context: _SpanContext, call: CallEvent) -> _Span:
    """Return the span of a call to the environment."""
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.operation,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": json.dumps(call.arguments),
        "controlplane.step": call.step,
        "error.type": call.error.code if call.error else None,
    }
    return context.span(
        ("tool", call.step, call.number, call.at_ms),
        f"execute_tool {call.operation}",
        attributes,
        ended_ms=call.at_ms,
        elapsed_ms=call.elapsed_ms,
        error=call.error.message if call.error else None,
    )


# The OpenTelemetry spans of one trial: one for the trial, and below it its requests and calls.


def _trial_spans(trial: RecordedTrial) -> Iterator[_Span]:
    """Yield a span for each model request and call of a trial, and one for the trial if it started."""
    context = _SpanContext(trial)
    for written in written_replies(trial):
        yield _request_span(context, written)
    for call in finished_calls(trial):
        yield _call_span(context, call)

    # The trial lasts from its first start to its last event.
    began_ms = None
    ended_ms = 0
    for event in trial.events():
        ended_ms = max(ended_ms, event.at_ms)
        if began_ms is None and isinstance(event, TrialStarted):
            began_ms = event.at_ms
    if began_ms is not None:
        yield _span_of_trial(context, trial, ended_ms, ended_ms - began_ms)


def _span_of_trial(
    context: _SpanContext, trial: RecordedTrial, ended_ms: int, elapsed_ms: int
) -> _Span:
    """Return the span of the trial, with its score as an event."""
    facts = trial_facts(trial.summary)
    agent = str(trial.journal.setting("agent") or "cited")
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        "gen_ai.request.model": context.model,
        "controlplane.task_id": trial.task_id,
    }
    for name, value in row_of(facts, TrialRow).items():
        if isinstance(value, str | int | float):  # neither a list nor an object
            attributes[f"controlplane.trial.{name}"] = value
    has_failed = facts.is_over and not facts.has_answer
    span = context.span(
        ("trial",),
        f"invoke_agent {agent}",
        attributes,
        ended_ms=ended_ms,
        elapsed_ms=elapsed_ms,
        error=facts.reason or facts.state if has_failed else None,
    )
    # `context.span` makes spans below the one of the trial. This is that span itself.
    span["parentSpanId"] = ""
    events = []
    if facts.score is not None or facts.unscored:
        events.append(_score_event(facts, ended_ms))
    events += [_step_event(step) for step in trial.record.whole_steps]
    span["events"] = events
    return span


def _step_event(step: TrialStep) -> dict[str, object]:
    """Return the event at the end of a step, which tells its figures."""
    figures: dict[str, object] = {"controlplane.step": step.number}
    for name, value in step_facts(step).figures.items():
        figures[f"controlplane.step.{name}"] = value
    return {
        "timeUnixNano": _nanoseconds(step.summary.at_ms),
        "name": "controlplane.step",
        "attributes": _attributes_of(figures),
    }


def _score_event(facts: TrialFacts, ended_ms: float) -> dict[str, object]:
    """Return the event that tells a trial's score, or why it has none."""
    explanation = "; ".join(facts.details) or facts.unscored
    evaluation: dict[str, object] = {
        "gen_ai.evaluation.name": "grader",
        "gen_ai.evaluation.explanation": explanation,
    }
    if facts.score is None:
        evaluation["gen_ai.evaluation.score.label"] = "no score"
    else:
        evaluation["gen_ai.evaluation.score.value"] = facts.score
    return {
        "timeUnixNano": _nanoseconds(ended_ms),
        "name": "gen_ai.evaluation.result",
        "attributes": _attributes_of(evaluation),
    }


def write_spans(target: Path, paths: Sequence[Path]) -> int:
    """Write the spans (timed model requests, calls and trials) of journals; return their number.

    Each has a line of its own, which names the run, so that whoever writes or reads the file
    needs only one in memory.
    """
    count = 0
    with text_file(target) as file:
        for path in paths:
            with open_journal(path) as journal:
                version = journal.opened.versions.controlplane
                names = {
                    "service.name": "controlplane",
                    "service.version": version,
                    "controlplane.run": journal.run,
                }
                resource = {"attributes": _attributes_of(names)}
                scope = {"name": "controlplane", "version": version}
                for trial in journal.trials.values():
                    for span in _trial_spans(trial):
                        scoped = [{"scope": scope, "spans": [span]}]
                        resources = [{"resource": resource, "scopeSpans": scoped}]
                        file.write(f"{json.dumps({'resourceSpans': resources})}\n")
                        count += 1
    return count
