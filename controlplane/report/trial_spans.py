"""The spans of one trial."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from controlplane.agent.events import CallEvent, ModelReplied, TrialStarted
from controlplane.journal.journal_reader import RecordedTrial
from controlplane.report.finished_calls import finished_calls
from controlplane.report.model_requests import (
    InputWriter,
    Message,
    ModelRequest,
    model_requests,
)
from controlplane.report.otlp import (
    CLIENT,
    ERROR,
    INTERNAL,
    OK,
    Span,
    attributes_of,
    messages_text,
    nanoseconds,
)


def trial_spans(trial: RecordedTrial) -> Iterator[Span]:
    """Yield a span for each model request and call of a trial, and one for the trial if it started.

    The ids of spans are hashes, so that each export of a journal gives the same ids.
    """
    spans = TrialSpans(trial)
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


class TrialSpans:
    """Builds the spans of one trial."""

    def __init__(self, trial: RecordedTrial) -> None:
        self.trial = trial
        self.model = trial.journal.opened.model
        self.agent = str(trial.journal.setting("agent") or "cited")
        # The zero byte, which is in no id, keeps apart `run1` + `2` and `run` + `12`.
        # `surrogatepass`: an id may contain half a surrogate pair, which UTF-8 refuses.
        name = f"{trial.journal.run}\0{trial.trial_id}"
        digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()
        self.trace_id = digest[:32]  # 16 bytes, as OTLP requires
        self.trial_span_id = self._span_id("trial")

    def _span_id(self, *names: object) -> str:
        """Return the id of the span that `names` identify in the trial, such as ("chat", 3, 1)."""
        name = f"{self.trace_id}{names}"
        digest = hashlib.sha256(name.encode()).hexdigest()
        return digest[:16]  # 8 bytes, as OTLP requires

    def request_span(
        self, request: ModelRequest, reply: ModelReplied, inputs: InputWriter
    ) -> Span:
        """Return the span of a model request and its reply.

        `inputs` leaves out messages of long trials that earlier spans have.
        """
        written = inputs.input_of(request)
        output = Message("assistant", reply.reply)
        attributes: dict[str, object] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": self.model,
            "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
            "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
            "gen_ai.response.finish_reasons": [reply.finish_reason],
            "gen_ai.input.messages": messages_text(written.messages),
            "gen_ai.output.messages": messages_text([output]),
            "controlplane.step": reply.step,
            "controlplane.role": request.role,
            "controlplane.cost_usd": reply.cost_usd,
        }
        if written.left_out:
            attributes["controlplane.input.messages_left_out"] = written.left_out
        span = self._span(
            name=f"chat {self.model}",
            span_id=self._span_id("chat", reply.step, reply.number),
            end_ms=reply.at_ms,
            elapsed_ms=reply.elapsed_ms,
            attributes=attributes,
        )
        span["kind"] = CLIENT
        return span

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
        return self._span(
            name=f"execute_tool {call.operation}",
            span_id=self._span_id("tool", call.step, call.number, call.at_ms),
            end_ms=call.at_ms,
            elapsed_ms=call.elapsed_ms,
            attributes=attributes,
            error=call.error.message if call.error else None,
        )

    def trial_span(self, began_ms: int, ended_ms: int) -> Span:
        """Return the span of the trial, with its score as an event."""
        summary = self.trial.summary
        error = None
        if summary.is_over and summary.state != "answered":
            error = summary.reason or summary.state
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
            error=error,
        )
        span["parentSpanId"] = ""  # All other spans are below this one.
        span["events"] = []
        if summary.score is not None:
            span["events"] = [self._score_event(summary.score, ended_ms)]
        return span

    def _score_event(self, score: float, ended_ms: int) -> dict[str, object]:
        """Return the event that tells the trial's score."""
        evaluation = {
            "gen_ai.evaluation.name": "grader",
            "gen_ai.evaluation.explanation": "; ".join(self.trial.summary.details),
            "gen_ai.evaluation.score.value": score,
        }
        return {
            "timeUnixNano": nanoseconds(ended_ms),
            "name": "gen_ai.evaluation.result",
            "attributes": attributes_of(evaluation),
        }

    def _span(
        self,
        *,
        name: str,
        span_id: str,
        end_ms: float,
        elapsed_ms: float,
        attributes: Mapping[str, object],
        error: str | None = None,
    ) -> Span:
        """Return a span below the trial's span. Its status is OK unless there is an `error`."""
        status: dict[str, object] = {"code": OK}
        if error is not None:
            status = {"code": ERROR, "message": error}
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
            "kind": INTERNAL,
            "startTimeUnixNano": nanoseconds(end_ms - elapsed_ms),
            "endTimeUnixNano": nanoseconds(end_ms),
            "attributes": attributes_of(shared_attributes | dict(attributes)),
            "status": status,
        }
