"""One run of a tool of the environment, such as `/bin/jq`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.gates.submission import quote
from controlplane.gates.trial.accesses import SeenText

HELP: Final = ("--help",)
"""The arguments with which a tool prints its help."""
MOST_COMPLAINT_CHARS: Final = 300
"""How many characters of a failed tool's output a note quotes."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool."""

    path: str
    """The tool's path, as listings spell it."""
    call: ReturnedCall
    """The call that ran the tool, with its result."""
    output: str
    """The part of its output that the model was shown."""

    @property
    def has_failed(self) -> bool:
        """True if the tool ended with an exit code that is not 0."""
        return self.call.exit_code != 0

    @property
    def has_input(self) -> bool:
        """True if the script gave it arguments or stdin."""
        return bool(self.call.arguments.given_names)

    @property
    def has_input_beside_arguments(self) -> bool:
        """True if the script gave it stdin, for example."""
        return any(name != "args" for name in self.call.arguments.given_names)

    def seen_text(self, *, is_own_tool: bool) -> SeenText:
        """Return the output as a text that the call saw.

        It proves nothing if the script may have chosen it, or if the run failed.
        `is_own_tool` is true if the trial may have written the tool itself.
        """
        may_be_chosen = self.has_input or is_own_tool
        return SeenText(
            self.output,
            is_proof=not self.has_failed and not may_be_chosen,
            # The output may only repeat these arguments.
            tainted=self.call.arguments.repeatable_text,
            lines=(),  # The output is not known to have lines of a file.
        )

    def failure_notes(self) -> tuple[str, ...]:
        """Return a note that the tool failed; none if no exit code is declared."""
        if not self.call.declared.exit_field:
            return ()
        note = f"{quote(self.path)} ended with exit code {self.call.exit_code}"
        result = self.call.result
        complaint = str(result.get("stderr") or result.get("stdout") or "").strip()
        if complaint:
            note += f": {quote(complaint, MOST_COMPLAINT_CHARS)}"
        else:
            note += " and said nothing."
        return (note,)
