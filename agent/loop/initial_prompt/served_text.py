"""Writes the text about scripts for a program that takes the place of the model.

Such a program, for example a coding agent of the user, gets no system prompt. It is served a tool
that runs a script, and this text describes the tool.
"""

from __future__ import annotations

from controlplane.agent.loop.initial_prompt.reference.call_reference import (
    executable_lines,
    operation_lines,
)
from controlplane.agent.loop.prompt_files import FOLDER
from controlplane.agent.loop.prompt_text_file import read_text
from controlplane.sandbox.interface import ToolSchema


def served_text(tool_schema: ToolSchema) -> str:
    """Return the text, with the calls and programs of an environment.

    It speaks of citations (`is_cited`) even if the answers in this environment cite nothing.
    """
    lines = list(operation_lines(tool_schema.operations, is_cited=True))
    lines += executable_lines(tool_schema)
    # A user's prompts do not replace this text, so it is read directly.
    return read_text(FOLDER / "served.md").replace("{{harness}}", "\n".join(lines))
