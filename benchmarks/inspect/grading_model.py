"""Lets the scorers and tools of Inspect ask the run's model for the role `grade`.

Inspect has a model of its own for that. It is replaced by one that passes each request
on to ours, so that the run's settings, limits and journal hold for it.
"""

from __future__ import annotations

from typing import Any

from controlplane import BenchmarkContext
from controlplane.agent.model import Message


def activate_grading_model(context: BenchmarkContext) -> None:
    """Make the run's model for the role `grade` the active model of Inspect.

    Inspect also uses it for its own role `grader`. It keeps its active model in context
    variables (`contextvars`), so this is for the current context only.
    """
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.model._generate_config import GenerateConfig
    from inspect_ai.model._model import init_active_model, init_model_roles

    grader = context.model("grade")

    def reply_to(inspect_messages: Any, *_: Any) -> ModelOutput:
        """Return the reply of the run's model in the form of Inspect."""
        messages = []
        for message in inspect_messages:
            messages.append(Message(role=message.role, content=message.text))
        reply = grader.complete(messages)
        output = ModelOutput.from_content(grader.name, reply.text)
        # The run's journal records the tokens that were used, so Inspect counts none.
        output.usage = ModelUsage()
        return output

    inspect_model = get_model(
        "mockllm/controlplane", custom_outputs=reply_to, memoize=False
    )
    init_active_model(inspect_model, GenerateConfig())
    init_model_roles({"grader": inspect_model})
