"""The data of the journal: immutable records, the marks of their fields, and entries of steps.

The journal is a file with one line of JSON for each event of a run.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from typing import ClassVar, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, InstanceOf, JsonValue

Text: TypeAlias = InstanceOf[str]
"""Text from a model, a script or an environment, unchanged. It may contain lone surrogates."""
Data: TypeAlias = InstanceOf[dict[str, JsonValue]]
"""Data from the same sources, with JSON's types only. The sandbox has checked it."""

# Marks of fields, as in `calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES]`. They save
# room in the journal, or tell a comparison what to ignore.
IN_OWN_LINES: Final = "in own lines"
"""The journal has a line for each value, such as a call. The event's line has only their
numbers."""
IN_REPLY_LINE: Final = "in reply line"
"""The line of the model's reply has the value. The event's line leaves it out."""
NOT_IN_LINES: Final = "not in lines"
"""No line of the journal has the value: it follows from others."""
STORED_ONCE: Final = "stored once"
"""If the value is long, the journal has it in a line of its own, as it has long texts, and each
line with the same value refers to that one."""
VARIES_BY_RUN: Final = "varies by run"
"""The value differs between equal runs, such as a time. Comparisons ignore it."""


class JournalRecord(BaseModel):
    """Base class of the journal's data: immutable, with only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def build_models(base: type[JournalRecord] = JournalRecord) -> None:
    """Build the validators of all events now, before threads start.

    Otherwise the first use of a class builds it,
    which fails if two threads do so at once.
    """
    for kind in base.__subclasses__():
        kind.model_rebuild()
        build_models(kind)


@functools.cache
def fields_marked(kind: type[JournalRecord], mark: str) -> tuple[str, ...]:
    """Return the names of the fields of a class that have a mark: `fields_marked(StepDone, VARIES_BY_RUN)`."""
    names: list[str] = []
    for name, field in kind.model_fields.items():
        if mark in field.metadata:
            names.append(name)
    return tuple(names)


# One thing that a step has done, such as a citation, to compare it with the record of the step.
#
# A trial whose process was killed runs the script of its recorded step again. It cites the same file:
#
#     recorded   Citation(path="/a.md", reason="the fee", spelling="/a.md")
#     now        Citation(path="/a.md", reason="the fee", error="it was not read")
#
# The path and the reason are the *action*. If another action is recorded, the trial cannot go on.
# The rest is the outcome. If another outcome is recorded, the recorded one counts, and the difference
# is noted.


class StepEntry(JournalRecord):
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
