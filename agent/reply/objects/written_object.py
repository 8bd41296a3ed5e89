"""An object that a model has written in its reply, with its position.

| text | `end` | `fields` | `is_broken_action` |
|---|---|---|---|
| `{"code": "look()"}` | 18 | `{"code": "look()"}` | False |
| `{"code": look now}`, which cannot be read | 18 | `{}` | True |
| `{"state": "I look`, which is cut off | None | `{}` | True |
| `{"note": see below}`, which cannot be read | 19 | `{}` | False |
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text."""

    start: int
    end: int | None
    """The position after the closing brace; None without a closing brace."""
    fields: dict[str, object]
    """The fields by name; empty if the object cannot be read as JSON or Python."""
    is_broken_action: bool = False
    """True if the object cannot be read, but the model probably meant it as its action: it has a
    field for code, or is cut off and begins with a field of an action."""

    def covers(self, position: int) -> bool:
        """Return True if a position of the text is inside the object, if its end is known."""
        return self.end is not None and self.start < position < self.end
