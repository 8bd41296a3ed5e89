"""Counts of scripts that were run in sandboxes, and of those that did what is counted.

tally = Tally()
tally.count(True)
tally.count(False)
str(tally)      # "1 of 2"
"""

from dataclasses import dataclass, field


@dataclass
class Tally:
    """How many scripts of a kind were run, and how many of them did what is counted: `3 of 12`."""

    hits: int = 0
    scripts: int = 0

    def count(self, is_hit: bool) -> None:
        """Count one script."""
        self.scripts += 1
        if is_hit:
            self.hits += 1

    def __str__(self) -> str:
        return f"{self.hits} of {self.scripts}"


@dataclass
class LanguageTallies:
    """How far attacks on the language get, which are after objects that scripts must not have."""

    reached_objects: Tally = field(default_factory=Tally)
    """How many reach such an object."""
    did_harm: Tally = field(default_factory=Tally)
    """The same attacks: how many do harm with it, in the next step or in a later sandbox."""
