"""What a shop's tools tell about the moment: who is signed in, and what time it is.

Shops choose the names of their tools. `tools_by_use` says which one is used for what:
`{"identity": "/bin/id", "clock": "/bin/date"}`.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.benchmarks.shop.texts.text import require, value_or_raise
from controlplane.benchmarks.shop.workspace.identity import Identity, read_identity
from controlplane.benchmarks.shop.workspace.tool_uses import CLOCK, IDENTITY
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader


class ToolOutputs:
    """Runs a shop's identity tool and its clock.

    Each method raises `CannotRead` if it is not certain which tool that is.
    """

    def __init__(self, reader: WorkspaceReader, tools: Mapping[str, str]) -> None:
        self._reader = reader
        self._tools = tools
        """The path of the tool for each use."""

    def asker(self) -> Identity:
        """Return the person who is signed in. Raises `CannotRead` if no roles are printed."""
        identity = read_identity(self._output_of(IDENTITY))
        require(
            identity.roles,
            "the identity tool does not say in which roles somebody is signed in",
        )
        return identity

    def time(self) -> str:
        """Return the time that the clock prints."""
        return self._output_of(CLOCK).strip()

    def _output_of(self, use: str) -> str:
        """Return what the tool for a use prints."""
        refusal = f"it is not certain which tool tells the {use}"
        tool = value_or_raise(self._tools.get(use), refusal)
        return self._reader.run(tool)
