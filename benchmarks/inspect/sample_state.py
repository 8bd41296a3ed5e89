"""The state of a sample (`TaskState`) before the model answers, and the instruction in it.

Inspect's solvers change this state: they add messages and tools, and then ask the model.
The messages that they have prepared become the instruction of a trial. Functions import
Inspect when they are called, because it is an optional package.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from controlplane.benchmarks.inspect.inspect_tasks import refusal

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessage
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
    """Return True if a message has only text, so no images or sounds."""
    if isinstance(message.content, str):
        return True
    return all(part.type == "text" for part in message.content)
