"""One thing that a step has done, such as a citation, to compare it with the record of the step.

A trial whose process was killed runs the script of its recorded step again. It cites the same file:

    recorded   Citation(path="/a.md", reason="the fee", spelling="/a.md")
    now        Citation(path="/a.md", reason="the fee", error="it was not read")

The path and the reason are the *action*. If another action is recorded, the trial cannot go on.
The rest is the outcome. If another outcome is recorded, the recorded one counts, and the difference
is noted.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from controlplane.agent.events.record import Record


class StepEntry(Record):
    """Base class of the things that a step does, each of them several times, in order."""

    name_in_differences: ClassVar[str]
    """How messages name an entry: `citations[{number}]`, or only `verdicts`."""
    nothing: ClassVar[str] = "nothing"
    """What messages say in place of a recorded entry, if the record of the step ends before it."""

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
        """What has to be equal, or a difference is noted: by default, the whole entry."""
        return self

    @property
    def shown(self) -> object:
        """What messages show of the entry, if another action is recorded."""
        return self.compared
