"""The events of a journal, each with its meaning and the names of its fields."""

from pydantic import BaseModel

from controlplane.agent.events import IN_REPLY_LINE, event_classes
from docs.reference_pages.markdown import cell, class_text, code, table

FIELDS_OF_EVERY_EVENT = ("type", "at_ms", "trial_id")


def events() -> str:
    rows = []
    for event in event_classes():
        name = event.model_fields["type"].default
        rows.append((code(name), cell(class_text(event)), field_names(event)))
    return table(("event", "what", "fields"), rows)


def field_names(event: type[BaseModel]) -> str:
    """Return the names of an event's own fields.

    A field that stands in the line of the model's reply is not written again in this one.
    """
    names = []
    for name, field in event.model_fields.items():
        if name not in FIELDS_OF_EVERY_EVENT and IN_REPLY_LINE not in field.metadata:
            names.append(code(name))
    return " ".join(names)
