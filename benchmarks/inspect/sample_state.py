"""The state of a sample (`TaskState`) before and after the model answers.

Inspect's solvers change this state: they add messages and tools, and then ask the model.
Scorers read the messages, the model's output and the store, in which tools keep data.
Functions import Inspect when they are called, because it is an optional package.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from controlplane import TaskEnvironment
from controlplane.benchmarks.inspect.inspect_tasks import refusal
from controlplane.tool_benchmark.environment_calls import EnvironmentCall

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.solver import TaskState

MODEL_NAME: Final = "controlplane/solve"
"""The name of the answering model that solvers and scorers see."""


def first_state(sample: Sample) -> TaskState:
    """Return the state in which a sample's solvers start."""
    from inspect_ai.model import ChatMessageUser, ModelName
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    if isinstance(sample.input, str):
        messages: list[Any] = [ChatMessageUser(content=sample.input)]
    else:
        messages = list(copy.deepcopy(sample.input))
    return TaskState(
        model=ModelName(MODEL_NAME),
        sample_id=sample.id or 1,
        epoch=1,
        input=sample.input,
        messages=messages,
        target=Target(sample.target),
        choices=sample.choices,
        metadata=copy.deepcopy(sample.metadata),
    )


def instruction_of(state: TaskState, task_id: str) -> str:
    """Return the messages that solvers prepared, as the instruction of a trial.

    Raises `BenchmarkError` if a message is not text.
    """
    parts = []
    for message in state.messages:
        if not _is_text(message):
            msg = (
                f"{task_id}: it shows images or sounds, and instructions here are texts"
            )
            raise refusal(msg)
        if message.role in ("user", "system"):
            parts.append(message.text)
        else:
            parts.append(f"[{message.role}]\n{message.text}")
    return "\n\n".join(parts)


def _is_text(message: ChatMessage) -> bool:
    if isinstance(message.content, str):
        return True
    return all(part.type == "text" for part in message.content)


def add_answer(state: TaskState, trial: TaskEnvironment) -> None:
    """Add the calls and the answer of a trial that has ended, as Inspect's `generate` would.

    There is a message for each tool call, each result and the answer.
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
            error=ToolCallError("unknown", call.error),  # The kind and the text.
        )
    return ChatMessageTool(
        content=str(call.result), tool_call_id=call_id, function=call.name
    )


def copy_store(source: TaskState, target: TaskState) -> None:
    """Copy the data that tools keep for scorers from one state to another."""
    for key, value in source.store.items():
        target.store.set(key, value)
