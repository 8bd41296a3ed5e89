"""A run of a tool, and the command on a shop's page that describes such runs.

The page says "Managers run `/bin/discount <basket_id> <percent>`." This command describes the
run `/bin/discount basket_12 10`: `<percent>` is 10. So the run can be compared with what the page
says about percentages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A run of a tool: `/bin/discount basket_12 10`."""

    tool: str
    arguments: Sequence[str]

    @property
    def text(self) -> str:
        """The run as a command line."""
        return " ".join((self.tool, *self.arguments))


@dataclass(frozen=True, slots=True)
class Command:
    """A command on a page, with the arguments of a run that it describes."""

    page: str
    """The path of the page."""
    text: str
    """The text of the page."""
    entry: str
    """The paragraph or list entry of the page that contains the command."""
    entries_before: tuple[str, ...]
    """The entries above it that belong to it: `Only managers give a discount, ...`.

    They go back to the last heading, or to another command of the tool, because the text
    above that is about something else.
    """
    arguments: Mapping[str, str]
    """The run's arguments by placeholder: `{"basket_id": "basket_12", "percent": "10"}`."""

    def argument_for(self, word: str) -> str:
        """Return the argument whose placeholder contains a word; empty if there is none."""
        for placeholder, argument in self.arguments.items():
            if word in placeholder:
                return argument
        return ""
