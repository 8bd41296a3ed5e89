"""The state of a sample (`TaskState`) after a trial: with its tool calls and its answer.

Scorers of Inspect read the messages, the model's output and the store, in which tools keep
data. So all three get what the trial has done. Functions import Inspect when they are
called, because it is an optional package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlplane import TaskEnvironment
from controlplane.benchmarks.inspect.sample_state import MODEL_NAME
from controlplane.tool_benchmark.environment_calls import EnvironmentCall

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.solver import TaskState


def add_answer(state: TaskState, trial: TaskEnvironment) -> None:
    """Add the calls and the answer of a trial that has ended, as Inspect's `generate` would.

    A trial with one tool call adds three messages: one with the call, one with its result,
    and one with the answer, which is also the model's output.
    """
    from inspect_ai.model import ChatMessageAssistant, ModelOutput
    from inspect_ai.tool import ToolCall

    for number, call in enumerate(trial.calls):
        call_id = f"call_{number}"
        tool_call = ToolCall(
            id=call_id, function=call.name, arguments=dict(call.arguments)
        )
        state.messages.append(ChatMessageAssistant(content="", tool_calls=[tool_call]))
        state.messages.append(_result_message(call, call_id))
    state.output = ModelOutput.from_content(MODEL_NAME, trial.answer or "")
    state.messages.append(state.output.message)


def _result_message(call: EnvironmentCall, call_id: str) -> ChatMessageTool:
    """Return the message with the result of a tool call, or with its error."""
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.tool import ToolCallError

    if call.error:
        return ChatMessageTool(
            content="",
            tool_call_id=call_id,
            function=call.name,
            # A kind of Inspect's errors, and the text. Our calls have no kinds of errors.
            error=ToolCallError("unknown", call.error),
        )
    return ChatMessageTool(
        content=str(call.result), tool_call_id=call_id, function=call.name
    )


def copy_store(source: TaskState, target: TaskState) -> None:
    """Copy the data that tools keep for scorers from one state to another."""
    for key, value in source.store.items():
        target.store.set(key, value)
