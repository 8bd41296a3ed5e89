"""A path of a trial as the user would write it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

TOOL_RESULTS: Final = "/mcp/"
"""The prefix of a path that belongs to the result of an MCP server's tool, not to a file."""


def shown_path(path: str, root: Path) -> str:
    """Return a path of the trial as the user would write it from the working folder.

    With the root `/home/me/notes` and the working folder `/home/me`, `/a/b.md` becomes
    `notes/a/b.md`. The path of a tool's result is not a file's path and is unchanged.
    """
    file = Path(f"{root}{path}")
    is_tool_result = path.startswith(TOOL_RESULTS) and not file.exists()
    if is_tool_result or not path.startswith("/"):
        return path
    working_folder = Path.cwd()
    if file.is_relative_to(working_folder):
        return os.path.relpath(file, working_folder)
    return str(file)
