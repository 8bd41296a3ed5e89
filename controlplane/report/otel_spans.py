"""Writes runs as OpenTelemetry spans, in OTLP JSON lines that the collector's file
receiver reads.

Names and attributes follow OpenTelemetry's semantic conventions for generative AI:
`invoke_agent` is a trial, `chat` a model request, and `execute_tool` a call to the
environment.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TextIO, TypeAlias
from urllib.parse import urlsplit

from controlplane.agent.events import CallEvent, ModelReplied, TrialStarted
from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
from controlplane.report.export_tables import text_file
from controlplane.report.finished_calls import finished_calls
from controlplane.report.model_requests import (
    InputWriter,
    Message,
    ModelRequest,
    model_requests,
)

Span: TypeAlias = dict[str, object]
"""A span as a JSON object of OTLP."""

INTERNAL: Final = 1
CLIENT: Final = 3
"""The kinds of spans in OTLP."""
OK: Final = 1
ERROR: Final = 2
"""The codes of a span's status in OTLP."""
MOST_LINE_CHARS: Final = 16_000_000
"""When a line is this long, a trial's further spans start a new line. This limits the
memory of programs that read line by line."""


def write_spans(target: Path, paths: Sequence[Path]) -> int:
    """Write the spans (timed model requests, calls and trials) of journals; return
    their number.

    Most trials take one line. Each span is written immediately, so that memory holds
    only one.
    """
    count = 0
    with text_file(target) as file:
        for path in paths:
            with open_journal(path) as journal:
                for trial in journal.trials.values():
                    count += _write_lines(file, journal, trial_spans(trial))
    return count


def _write_lines(file: TextIO, journal: Journal, spans: Iterable[Span]) -> int:
    """Write a trial's spans in one line, or several if it gets too long; return their
    number."""
    count = 0
    line_chars = 0
    for span in spans:
        text = json.dumps(span)
        if line_chars == 0:
            file.write(_start_of_line(journal))
        elif line_chars + len(text) > MOST_LINE_CHARS:
            file.write(END_OF_LINE)
            file.write(_start_of_line(journal))
            line_chars = 0
        else:
            file.write(", ")
        file.write(text)
        line_chars += len(text)
        count += 1
    if count:
        file.write(END_OF_LINE)
    return count


def _start_of_line(journal: Journal) -> str:
    """Return the beginning of a line, up to its first span. It names the run."""
    version = journal.opened.versions.controlplane
    names = {
        "service.name": "controlplane",
        "service.version": version,
        "controlplane.run": journal.run,
    }
    resource = json.dumps({"attributes": _attributes(names)})
    scope = json.dumps({"name": "controlplane", "version": version})
    return (
        f'{{"resourceSpans": [{{"resource": {resource}, '
        f'"scopeSpans": [{{"scope": {scope}, "spans": ['
    )


END_OF_LINE: Final = "]}]}]}\n"
"""Closes the brackets that `_start_of_line` opens."""


def trial_spans(trial: RecordedTrial) -> Iterator[Span]:
    """Yield a span for each model request and call of a trial, and one for the trial if
    it started.

    The ids of spans are hashes, so that each export of a journal gives the same ids.
    """
    spans = _TrialSpans(trial)
    inputs = InputWriter()
    for request in model_requests(trial):
        for reply in request.replies:
            yield spans.request_span(request, reply, inputs)
    for call in finished_calls(trial):
        yield spans.call_span(call)

    began_ms = None
    ended_ms = 0
    for event in trial.events():
        ended_ms = max(ended_ms, event.at_ms)
        if began_ms is None and isinstance(event, TrialStarted):
            began_ms = event.at_ms
    if began_ms is not None:
        yield spans.trial_span(began_ms, ended_ms)


class _TrialSpans:
    """Builds the spans of one trial."""

    def __init__(self, trial: RecordedTrial) -> None:
        self.trial = trial
        self.model = trial.journal.opened.model
        self.agent = str(trial.journal.setting("agent") or "cited")
        # The zero byte, which is in no id, keeps apart `run1` + `2` and `run` + `12`.
        # An id may contain half a surrogate pair, which UTF-8 cannot encode without
        # `surrogatepass`.
        name = f"{trial.journal.run}\0{trial.trial_id}"
        digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
        self.trace_id = digest[:32]  # 16 bytes, as OTLP requires
        self.trial_span_id = self._span_id("trial")

    def _span_id(self, *names: object) -> str:
        """Return the id of the span that `names` identify in the trial, such as
        ("chat", 3, 1)."""
        name = f"{self.trace_id}{names}"
        return hashlib.sha256(name.encode()).hexdigest()[
            :16
        ]  # 8 bytes, as OTLP requires

    def request_span(
        self, request: ModelRequest, reply: ModelReplied, inputs: InputWriter
    ) -> Span:
        """Return the span of a model request and its reply."""
        written = inputs.input_of(request)
        attributes: dict[str, object] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": self.model,
            "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
            "gen_ai.response.finish_reasons": [reply.finish_reason],
            "gen_ai.input.messages": _messages_text(written.messages),
            "gen_ai.output.messages": _messages_text(
                [Message("assistant", reply.reply)]
            ),
            "controlplane.step": reply.step,
            "controlplane.role": request.role,
            "controlplane.cost_usd": reply.cost_usd,
        }
        if written.left_out:
            attributes["controlplane.input.messages_left_out"] = written.left_out
        return self._span(
            name=f"chat {self.model}",
            span_id=self._span_id("chat", reply.step, reply.number),
            end_ms=reply.at_ms,
            elapsed_ms=reply.elapsed_ms,
            attributes=attributes,
            kind=CLIENT,
        )

    def call_span(self, call: CallEvent) -> Span:
        """Return the span of a call to the environment."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.operation,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.arguments": json.dumps(call.arguments),
            "controlplane.step": call.step,
            "error.type": call.error.code if call.error else None,
        }
        span = self._span(
            name=f"execute_tool {call.operation}",
            span_id=self._span_id("tool", call.step, call.number, call.at_ms),
            end_ms=call.at_ms,
            elapsed_ms=call.elapsed_ms,
            attributes=attributes,
        )
        if call.error:
            span["status"] = {"code": ERROR, "message": call.error.message}
        return span

    def trial_span(self, began_ms: int, ended_ms: int) -> Span:
        """Return the span of the trial, with its score as an event."""
        summary = self.trial.summary
        status: dict[str, object] = {"code": OK}
        if summary.is_over and summary.state != "answered":
            status = {"code": ERROR, "message": summary.reason or summary.state}
        events = []
        if summary.score is not None:
            events.append(self._score_event(summary.score, ended_ms))
        span = self._span(
            name=f"invoke_agent {self.agent}",
            span_id=self.trial_span_id,
            end_ms=ended_ms,
            elapsed_ms=ended_ms - began_ms,
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": self.agent,
                "gen_ai.request.model": self.model,
                "controlplane.task_id": self.trial.task_id,
            },
        )
        span["parentSpanId"] = ""  # All other spans are below this one.
        span["status"] = status
        span["events"] = events
        return span

    def _score_event(self, score: float, ended_ms: int) -> dict[str, object]:
        """Return the event that tells the trial's score."""
        evaluation = {
            "gen_ai.evaluation.name": "grader",
            "gen_ai.evaluation.explanation": "; ".join(self.trial.summary.details),
            "gen_ai.evaluation.score.value": score,
        }
        return {
            "timeUnixNano": _nanoseconds(ended_ms),
            "name": "gen_ai.evaluation.result",
            "attributes": _attributes(evaluation),
        }

    def _span(
        self,
        *,
        name: str,
        span_id: str,
        end_ms: float,
        elapsed_ms: float,
        attributes: Mapping[str, object],
        kind: int = INTERNAL,
    ) -> Span:
        """Return a span below that of the trial, with the status OK. The caller may
        change both."""
        host = urlsplit(str(self.trial.journal.setting("base_url") or "")).hostname
        shared_attributes = {
            "gen_ai.provider.name": host or "openai",
            "gen_ai.conversation.id": self.trial.trial_id,
        }
        return {
            "traceId": self.trace_id,
            "spanId": span_id,
            "parentSpanId": self.trial_span_id,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": _nanoseconds(end_ms - elapsed_ms),
            "endTimeUnixNano": _nanoseconds(end_ms),
            "attributes": _attributes(shared_attributes | dict(attributes)),
            "status": {"code": OK},
        }


# --- OTLP's JSON ---


def _nanoseconds(milliseconds: float) -> str:
    """Return a time in nanoseconds, as text: JSON in OTLP writes 64-bit integers as
    strings."""
    return str(round(milliseconds * 1000) * 1000)


def _attributes(values: Mapping[str, object]) -> list[dict[str, object]]:
    """Return attributes in the form of OTLP, without those that are None."""
    attributes: list[dict[str, object]] = []
    for name, value in values.items():
        if value is not None:
            attributes.append({"key": name, "value": _attribute_value(value)})
    return attributes


def _attribute_value(value: object) -> dict[str, object]:
    """Return a value with its type in OTLP: `3` -> `{"intValue": "3"}`."""
    match value:
        case list():
            return {
                "arrayValue": {"values": [_attribute_value(item) for item in value]}
            }
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case _:
            return {"stringValue": str(value)}


def _messages_text(messages: Iterable[Message]) -> str:
    """Return messages as JSON text, in the form that the semantic conventions
    define."""
    values = []
    for message in messages:
        part = {"type": "text", "content": message.text}
        values.append({"role": message.role, "parts": [part]})
    return json.dumps(values)
