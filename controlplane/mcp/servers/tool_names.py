"""The names of a tool of an MCP server: the server's own, and the one in scripts."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.tools.script_names import plain_name


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The names of one tool, for example of `read-file` of the server `files`."""

    server: str
    own: str
    """The server's name of the tool: `read-file`."""
    in_scripts: str
    """The name of the operation that scripts call: `files.read_file`."""

    @property
    def to_allow(self) -> tuple[str, ...]:
        """The names by which the user may allow the tool: `files.read_file`, `files.read-file`."""
        return (self.in_scripts, f"{self.server}.{self.own}")

    @property
    def to_deny(self) -> tuple[str, ...]:
        """The names by which the user may deny the tool.

        If a server has the tools `read-file` and `read_file`, scripts call the first one
        `files.read_file_2`. Denying `files.read_file` denies both, since the user may
        mean either.
        """
        own_name = f"{self.server}.{self.own}"
        without_number = f"{self.server}.{plain_name(self.own)}"  # `files.read_file`
        return (own_name, self.in_scripts, without_number)

    @property
    def calls_folder(self) -> str:
        """The beginning of the paths by which results are cited: `/mcp/files/calls/read_file`."""
        _, _, name = self.in_scripts.partition(".")
        return f"/mcp/{self.server}/calls/{name}"
