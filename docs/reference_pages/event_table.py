"""The events of a journal, each with its meaning and the names of its fields."""

from pydantic import BaseModel

from controlplane.agent.events import IN_REPLY_LINE, NOT_IN_LINES, event_classes
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

    Left out are those that its line does not have, such as one that stands in the line of the
    model's reply.
    """
    names = []
    for name, field in event.model_fields.items():
        is_written = not {IN_REPLY_LINE, NOT_IN_LINES} & set(field.metadata)
        if is_written and name not in FIELDS_OF_EVERY_EVENT:
            names.append(code(name))
    return " ".join(names)
