"""A name in an error that may mean a parameter of the refused request.

Errors name a field by its whole path: `messages[1].content`. Requests only have its first part
as a parameter: `messages`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RefusedName:
    """A name in an error, such as `text.format`, that may mean a parameter."""

    parts: frozenset[str]
    """The whole name and the pieces of its path: `text.format`, `text` and `format`."""

    @classmethod
    def of(cls, name: str) -> RefusedName:
        """Divide a name at the separators of paths: `messages[1]` has `messages` and `1`."""
        dotted = name
        for separator in "/[]":
            dotted = dotted.replace(separator, ".")
        pieces = [piece for piece in dotted.split(".") if piece]
        return cls(frozenset({name, *pieces}))

    def means(self, parameter: str) -> bool:
        """Return True if the name means this parameter: `text.format` means `text`.

        Errors call the parameter `reasoning_effort` also `reasoning`.
        """
        short_form = parameter.removesuffix("_effort")
        return parameter in self.parts or short_form in self.parts
