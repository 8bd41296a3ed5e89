"""Finds the classes of all events: `CallEvent`, `StepDone` and so on.

The reader of a journal needs the class of each line. The reference and the JSON schema of the
journal list them all:

    event_classes()         -> [ModelAsked, ModelReplied, CallEvent, ...]
    type_of(CallEvent)      -> "call", as in the line {"type": "call", ...}

Only classes whose modules are imported are found. Import `controlplane.journal.run_events` to
have all.
"""

from __future__ import annotations

from pydantic_core import PydanticUndefined

from controlplane.agent.events.event import Event


def event_classes(base: type[Event] = Event) -> list[type[Event]]:
    """Return the class of every event that the imported modules declare, such as `TrialStarted`.

    Classes without a type of their own, such as `StepEvent`, are only bases of others.
    """
    classes: list[type[Event]] = []
    for kind in base.__subclasses__():
        if kind.model_fields["type"].default is not PydanticUndefined:
            classes.append(kind)
        classes += event_classes(kind)
    return classes


def type_of(kind: type[Event]) -> str:
    """Return the name that an event has in the journal."""
    return str(kind.model_fields["type"].default)
