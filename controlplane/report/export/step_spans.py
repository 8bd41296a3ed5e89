"""The OpenTelemetry spans of what happens in the steps of a trial: model requests and calls."""

from __future__ import annotations

import json

from controlplane.agent.events import CallEvent, ModelReplied
from controlplane.report.export.otlp import CLIENT, Span, messages_text
from controlplane.report.export.span_context import Period, SpanContext, failed
from controlplane.report.input_writer import InputWriter
from controlplane.report.model_requests import Message, ModelRequest


def request_span(
    context: SpanContext,
    request: ModelRequest,
    reply: ModelReplied,
    inputs: InputWriter,
) -> Span:
    """Return the span of a model request and its reply.

    `inputs` leaves out messages of long trials that earlier spans have.
    """
    written = inputs.input_of(request)
    output = Message("assistant", reply.reply)
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": context.model,
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
    span = context.span(
        context.span_id("chat", reply.step, reply.number),
        f"chat {context.model}",
        Period.ending_at(reply.at_ms, reply.elapsed_ms),
        attributes,
    )
    return span | {"kind": CLIENT}


def call_span(context: SpanContext, call: CallEvent) -> Span:
    """Return the span of a call to the environment."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.operation,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": json.dumps(call.arguments),
        "controlplane.step": call.step,
        "error.type": call.error.code if call.error else None,
    }
    span = context.span(
        context.span_id("tool", call.step, call.number, call.at_ms),
        f"execute_tool {call.operation}",
        Period.ending_at(call.at_ms, call.elapsed_ms),
        attributes,
    )
    return failed(span, call.error.message) if call.error else span
