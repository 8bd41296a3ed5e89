"""A name in an error that may mean a parameter of the refused request.

Errors name the whole path of a field (`text.format`, `messages[1]`), a request only has its
first part (`text`, `messages`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RefusedName:
    """A name in an error, with its parts."""

    parts: frozenset[str]
    """The name and the pieces of its path: `text.format`, `text` and `format`."""

    @classmethod
    def of(cls, name: str) -> RefusedName:
        """Divide a name such as `text.format` or `messages[1]`."""
        dotted = name
        for separator in "/[]":
            dotted = dotted.replace(separator, ".")
        pieces = [piece for piece in dotted.split(".") if piece]
        return cls(frozenset({name, *pieces}))

    def means(self, parameter: str) -> bool:
        """Return True if the name means this parameter of the request.

        Errors about `reasoning_effort` also call it `reasoning`.
        """
        shorter = parameter.removesuffix("_effort")
        return parameter in self.parts or shorter in self.parts
