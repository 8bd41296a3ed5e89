"""Writes the system prompt: how the model replies, and which calls its scripts can make.

The text is a template with holes such as `{{harness}}`. The name is that of the object by
which scripts make calls (`harness.read(path)`); the hole takes the reference of these calls.
"""

from __future__ import annotations

from controlplane.agent.loop.initial_prompt.example_reply import (
    FENCED_FORM,
    JSON_FORM,
    example_reply,
)
from controlplane.agent.loop.initial_prompt.reference.call_reference import (
    executable_lines,
    operation_lines,
)
from controlplane.agent.loop.prompt_files import default_prompts
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.sandbox.interface import ToolSchema


def system_prompt(
    tool_schema: ToolSchema, prompts: Prompts | None = None, *, in_fences: bool = False
) -> str:
    """Return the system prompt for an environment. All its trials have the same.

    `prompts` default to the product's own. `in_fences` asks for scripts in ```python
    fences instead of JSON.
    """
    prompts = prompts or default_prompts()
    calls = operation_lines(tool_schema.operations, is_cited=tool_schema.is_cited)
    executables = executable_lines(tool_schema)
    prompt_name = "system" if tool_schema.is_cited else "uncited"
    text = prompts.filled(
        prompt_name,
        form=FENCED_FORM if in_fences else JSON_FORM,
        example=example_reply(tool_schema, in_fences=in_fences),
        harness="\n".join(calls),
        executables="\n".join(executables) or "(none declared)",
    )
    return prompts.with_hints(text)
