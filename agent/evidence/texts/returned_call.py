"""A call that has returned, with what an answer may cite of its result.

After `read("/a.md", start_line=3)`, with the result `{"path": "/a.md", "content": "fee: 7"}`:

    call.requested_path     -> "/a.md", which an answer may cite
    call.shown_text()       -> "fee: 7", the text for which it may cite the path
    call.arguments.inputs   -> {"start_line": 3}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.returned_text import text_of_result
from controlplane.agent.evidence.texts.shown_text import ShownText
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """One call with its arguments and result."""

    arguments: CallArguments
    """The arguments, and which of them the script chose."""
    result: Mapping[str, Plain]
    """The fields of the result: `{"path": "/a.md", "content": "fee: 7"}`."""
    shown_chars: int | None = None
    """How many characters of the text the initial prompt shows; None for a call of a script."""

    @property
    def declared(self) -> Operation:
        """The declaration of the operation that was called."""
        return self.arguments.declared

    @property
    def requested_path(self) -> str:
        """The path argument in canonical form. Empty if the call has no path."""
        path = self.arguments.values.get(self.declared.subject)
        return canonical(path) if isinstance(path, str) and path else ""

    @property
    def target_path(self) -> str:
        """The path to which a call moves a file: `/b.md` of `move("/a.md", to="/b.md")`.

        Empty for any other call.
        """
        if self.declared.target not in self.arguments.values:
            return ""
        return canonical(str(self.arguments.values[self.declared.target]))

    @property
    def is_of_initial_prompt(self) -> bool:
        """True if the initial prompt shows the result. False for a call of a script."""
        return self.shown_chars is not None

    def shown_text(self, field_name: str = "") -> ShownText:
        """Return the text of the result, which is in the field `field_name` if one is declared."""
        text = text_of_result(self.result, field_name)
        return ShownText.of(text, self.shown_chars)
