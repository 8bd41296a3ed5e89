"""One run of a tool of the environment, a program such as `/bin/jq`.

exec("/bin/jq", args=[".fee", "/a.json"]) -> {"stdout": "7", "stderr": "", "exit_code": 0}
    -> ToolRun("/bin/jq", call, output="7"), with the `words` ".fee" and "/a.json"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.returned_call import ReturnedCall

HELP: Final = ("--help",)
"""The words with which a tool prints its help."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool."""

    path: str
    """The tool's path, as listings spell it."""
    call: ReturnedCall
    """The call that ran the tool, with its result."""
    output: str
    """The part of the tool's output that the model was shown."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command line without the tool."""
        return self.call.arguments.command_line

    @property
    def has_stdin(self) -> bool:
        """True if the script passes a text to the tool, besides the command line."""
        return any(name != "args" for name in self.call.arguments.inputs)

    @property
    def exit_code(self) -> int:
        """0 if the tool succeeded, or returned no exit code; 1 if the code is not a number."""
        field_name = self.call.declared.exit_field or "exit_code"
        code = self.call.result.get(field_name, 0)
        return code if isinstance(code, int) else 1

    @property
    def has_failed(self) -> bool:
        """True if the tool ended with an exit code that is not 0."""
        return self.exit_code != 0
