"""What a step has several of, such as citations, and what of it must be the same in a repetition.

A trial whose process was killed repeats its recorded step. Its script cites the same file again:

    recorded   Citation(path="/a.md", reason="the fee", spelling="/a.md")
    now        Citation(path="/a.md", reason="the fee", error="it was not read")

The *action* is the same: the path and the reason. If it were not, the script would do something
else than recorded. What came of it differs, and is *compared*.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from controlplane.agent.events.record import Record


class StepEntry(Record):
    """Base class of what a step has several of, in order."""

    name_in_differences: ClassVar[str]
    """How messages name an entry: `citations[{number}]`, or only `verdicts`."""
    nothing: ClassVar[str] = "nothing"
    """What messages say if the record of a step does not have the entry."""

    @classmethod
    def name_at(cls, number: int) -> str:
        """Return how messages name the entry at a position: `citations[2]`."""
        return cls.name_in_differences.format(number=number)

    @property
    @abstractmethod
    def action(self) -> object:
        """What was done. A trial that repeats its record has to do the same."""

    @property
    def compared(self) -> object:
        """What is compared with the record if the action is the same."""
        return self

    @property
    def shown(self) -> object:
        """What messages show of the entry."""
        return self.compared
