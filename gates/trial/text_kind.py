"""What kind of text a trial saw: whose words it has, and if it is all of a file.

An answer may state what the environment's own texts say, but not what the trial's script wrote:

| call of the script | kind of the text |
|---|---|
| `read("/docs/fees.md")` | `WHOLE` |
| `read("/docs/fees.md", start_line=40)` | `EXCERPT` |
| `table("/fees.csv", "select count(*) ...")` | `COMPUTED` |
| `write("/note.md", "fee: 8")` | `OWN` |
| `read("/note.md", start_line=40)` | `OWN_EXCERPT` |
"""

from __future__ import annotations

from enum import Enum, auto


class TextKind(Enum):
    """The kind of a seen text. Only the first two are the environment's own, and so are proof."""

    WHOLE = auto()
    """A whole file, or all that a tool has returned."""
    EXCERPT = auto()
    """A part of a file, such as a line that a search has found."""
    COMPUTED = auto()
    """Rows that a query of the script has computed, such as a count. It may compute any value."""
    OWN = auto()
    """A text that the script wrote to a file, or may have given to the tool that printed it."""
    OWN_EXCERPT = auto()
    """A part of such a text."""

    @property
    def as_own(self) -> TextKind:
        """The kind of the same text if it turns out to be the script's own."""
        match self:
            case TextKind.WHOLE:
                return TextKind.OWN
            case TextKind.EXCERPT:
                return TextKind.OWN_EXCERPT
            case _:
                return self
