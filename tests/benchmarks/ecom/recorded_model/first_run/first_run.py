"""What `./start` printed when it was called for the first time, and where its journal is.

first_run.screen                         # ["  0.00 open-branches  1.00 discount-grant", ...]
first_run.lines_from("next  ./start ")   # the lines from the first on that begins like this
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FirstRun:
    """What `./start` printed and left behind."""

    screen: list[str]
    """The printed lines."""
    runs_folder: Path
    """Where the journal of the run is."""

    def lines_from(self, beginning: str) -> list[str]:
        """Return the lines from the first one on that begins like this."""
        for index, line in enumerate(self.screen):
            if line.startswith(beginning):
                return self.screen[index:]
        msg = f"no line begins with {beginning!r}"
        raise AssertionError(msg)
