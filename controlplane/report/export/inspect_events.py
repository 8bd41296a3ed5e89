"""The events of a trial as Inspect knows them: requests to models, calls of tools, scores."""

from __future__ import annotations

import json

from controlplane.agent.events import CallEvent, ModelReplied
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.report.export.finished_calls import finished_calls
from controlplane.report.export.inspect_fields import (
    Fields,
    chat_messages,
    iso_time,
    token_usage,
)
from controlplane.report.input_writer import InputWriter
from controlplane.report.model_requests import (
    ModelRequest,
    model_requests,
)


def inspect_events(trial: RecordedTrial, scores: dict[str, Fields]) -> list[Fields]:
    """Return the events of a trial in the order of time: model calls, tool calls, scores."""
    model = trial.journal.opened.model or "none"
    began_ms = trial.summary.started_ms
    inputs = InputWriter()
    events = []
    for request in model_requests(trial):
        for reply in request.replies:
            events.append(_model_event(request, reply, model, began_ms, inputs))
    for call in finished_calls(trial):
        events.append(_tool_event(call, began_ms))
    events.sort(key=lambda event: str(event["timestamp"]))

    ended_ms = began_ms + trial.summary.elapsed_ms
    for name, score in scores.items():
        event: Fields = {"event": "score", "score": score, "scorer": name}
        events.append(event | _times(ended_ms, ended_ms, began_ms))
    return events


def _model_event(
    request: ModelRequest,
    reply: ModelReplied,
    model: str,
    began_ms: int,
    inputs: InputWriter,
) -> Fields:
    """Return a request to a model with its reply; `began_ms` is the start of the trial."""
    written = inputs.input_of(request)
    message = {"role": "assistant", "content": reply.reply}
    event: Fields = {
        "event": "model",
        "model": model,
        "role": request.role,
        "input": chat_messages(written.messages),
        "tools": [],
        "tool_choice": "none",
        "config": {},
        "output": {
            "model": model,
            "choices": [{"message": message}],
            "usage": token_usage(reply.usage.prompt_tokens, reply.tokens),
        },
        "metadata": {"step": reply.step, "messages_left_out": written.left_out},
    }
    return event | _times(reply.at_ms - reply.elapsed_ms, reply.at_ms, began_ms)


def _tool_event(call: CallEvent, began_ms: int) -> Fields:
    """Return a call of the environment; `began_ms` is the start of the trial."""
    event: Fields = {
        "event": "tool",
        "id": f"step {call.step}, call {call.number}",
        "function": call.operation,
        "arguments": dict(call.arguments),
        "result": json.dumps(call.result, ensure_ascii=False),
        "metadata": {"step": call.step},
    }
    if call.error is not None:
        event["error"] = {
            "type": "unknown",
            "message": f"{call.error.code}: {call.error.message}",
        }
    return event | _times(call.at_ms - call.elapsed_ms, call.at_ms, began_ms)


def _times(start_ms: float, end_ms: float, began_ms: float) -> Fields:
    """Return when an event started, and its start and duration within the trial."""
    times: Fields = {
        "timestamp": iso_time(start_ms),
        "working_start": max(start_ms - began_ms, 0) / 1000,
    }
    if end_ms > start_ms:
        times["completed"] = iso_time(end_ms)
        times["working_time"] = (end_ms - start_ms) / 1000
    return times
