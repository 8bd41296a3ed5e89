"""One run of a tool of the environment, a program such as `/bin/jq`.

An answer may cite the output of a tool. The output is *proof* only if the script did not
choose it:

| run | is proof |
|---|---|
| `/bin/date` | yes: it says which day it is |
| `/bin/echo 7`, or any other with arguments or stdin | no: it may print what the script passed |
| a tool that the trial wrote | no, for the same reason |
| one that failed | no |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.gates.trial.seen_text import SeenText

HELP: Final = ("--help",)
"""The arguments with which a tool prints its help."""


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
    def exit_code(self) -> int:
        """0 if the tool succeeded, or returned no exit code; 1 if the code is not a number."""
        field_name = self.call.declared.exit_field or "exit_code"
        code = self.call.result.get(field_name, 0)
        return code if isinstance(code, int) else 1

    @property
    def has_failed(self) -> bool:
        """True if the tool ended with an exit code that is not 0."""
        return self.exit_code != 0

    def seen_text(self, *, is_own_tool: bool) -> SeenText:
        """Return the output as evidence. `is_own_tool`: the trial may have written the tool."""
        may_be_chosen = bool(self.call.arguments.inputs) or is_own_tool
        return SeenText(
            self.output,
            is_proof=not self.has_failed and not may_be_chosen,
            # The words of the arguments. If the output has them, it may only repeat them.
            script_words=echoable_words(self.call.arguments),
            lines=(),  # The output is not known to have lines of a file.
        )
