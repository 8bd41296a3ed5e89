"""A text whose methods lie, as a hostile script submits it to fool the checks of answers.

LyingText("x") == "OUTCOME_OK"   # True, and so is any other comparison
"""

from __future__ import annotations


class LyingText(str):
    """A text that pretends to be a valid outcome, or any known path."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("OUTCOME_OK")

    def strip(self, *chars: object) -> str:
        return "OUTCOME_OK"

    def __str__(self) -> str:
        raise RuntimeError("whoever puts the text into a message fails")
