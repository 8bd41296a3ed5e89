"""Six kinds of riddles, of which most are solved only with the right hints.

For example:

    alder = RiddleKind("alder", needed="Read the record twice.")
    alder.is_solved_with("Solve the riddle. Read the record twice.")  # True
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class RiddleKind:
    """A kind of riddles, with one task: `alder.1`."""

    name: str
    needed: str = ""
    """A sentence that the hints must have, if it is not empty."""
    forbidden: str = ""
    """A sentence that the hints must not have, if it is not empty."""

    def is_solved_with(self, hints: str) -> bool:
        """Return True if a player with these hints solves the riddles of this kind."""
        if self.forbidden and self.forbidden in hints:
            return False
        return self.needed in hints

    def mended(self, hints: str) -> str:
        """Return hints with which riddles of this kind are solved.

        `alder.mended("Solve it.")` -> "Solve it.\\nRead the record twice.\\n"
        """
        if self.forbidden:
            return hints.replace(self.forbidden, "") + "\n"
        if self.needed:
            return f"{hints}\n{self.needed}\n"
        # Any hints will do for this kind, so a remark is added that changes nothing.
        return f"{hints}\nThink of {self.name} again.\n"


KINDS = (
    RiddleKind("alder", needed="Read the record twice."),
    RiddleKind("birch", needed="Name the code alone."),
    RiddleKind("cedar", needed="Keep the letter case."),
    RiddleKind("dogwood", forbidden="Answer before you look."),
    RiddleKind("elm", forbidden="Shorten every code."),
    RiddleKind("fir"),
)

KINDS_BY_NAME = {kind.name: kind for kind in KINDS}
