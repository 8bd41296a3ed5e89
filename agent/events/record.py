"""Immutable data of the journal, and the marks of its fields.

The journal is a file with one line of JSON for each event of a run.
"""

from __future__ import annotations

from typing import Final, TypeAlias

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
VARIES_BY_RUN: Final = "varies by run"
"""The value differs between equal runs, such as a time. Comparisons ignore it."""


class Record(BaseModel):
    """Base class of the journal's data: immutable, with only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def build_models(base: type[Record] = Record) -> None:
    """Build the validators of all events now, before threads start.

    Otherwise the first use of a class builds it,
    which fails if two threads do so at once.
    """
    for kind in base.__subclasses__():
        kind.model_rebuild()
        build_models(kind)


def varying_fields(base: type[Record] = Record) -> set[str]:
    """Return the names of the fields that vary from run
    to run: those that are marked `VARIES_BY_RUN`."""
    names: set[str] = set()
    for kind in base.__subclasses__():
        for name, field in kind.model_fields.items():
            if VARIES_BY_RUN in field.metadata:
                names.add(name)
        names |= varying_fields(kind)
    return names
