"""The JSON schema of a journal's line, as it stands in the file.

It is pydantic's schema of the events, with five differences: each line has its place in the chain
of hashes; a step's line has the numbers of its calls, not the calls themselves, which have lines of
their own; what stands in the line of a reply is left out; what is stored once may be a reference; and the docstrings are the descriptions.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

import controlplane.agent.events
import controlplane.agent.model
from controlplane.agent.events import (
    IN_OWN_LINES,
    IN_REPLY_LINE,
    NOT_IN_LINES,
    STORED_ONCE,
    event_classes,
)
from controlplane.commands.arguments.setting_options import field_texts
from controlplane.journal import run_events
from controlplane.journal.run_events import SCHEMA_VERSION
from docs.reference_pages.markdown import class_text, one_line

SCHEMA_FILE = f"journal-{SCHEMA_VERSION}.schema.json"

# The hash has 32 hexadecimal digits.
CHAIN_FIELDS = {
    "prev": {
        "type": "string",
        "pattern": "^[0-9a-f]{32}$",
        "description": "The hash of the line before.",
    },
    "hash": {
        "type": "string",
        "pattern": "^[0-9a-f]{32}$",
        "description": "The hash of this line.",
    },
    "mark": {
        "type": "string",
        "pattern": "^[0-9a-f]{32}$",
        "description": "The keyed mark of the user who wrote it.",
    },
}
"""What each line has besides its event's fields."""

FIRST_REQUIRED_FIELDS = ("prev", "hash", "at_ms", "type")

Schema = dict[str, Any]


def journal_schema() -> str:
    """Return the text of the schema's file."""
    events = event_classes()
    models = [(event, "validation") for event in events]
    _, generated = models_json_schema(models, ref_template="#/$defs/{model}")
    definitions = generated["$defs"]
    for name, definition in definitions.items():
        model = model_class(name)
        if model is None:
            continue
        describe(model, definition)
        if model in events:
            add_chain_fields(definition)

    event_names = {event.__name__ for event in events}
    definitions = without_unused(definitions, event_names)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_FILE,
        "title": f"One line of a journal of the grounded control plane, schema version {SCHEMA_VERSION}",
        "description": "A string `@text:KEY` stands for the text, or the fields of a result, of the earlier line of type `text` with that key.",
        "oneOf": [{"$ref": f"#/$defs/{event.__name__}"} for event in events],
        "$defs": dict(sorted(definitions.items())),
    }
    return json.dumps(schema, indent=1) + "\n"


def model_class(name: str) -> type[BaseModel] | None:
    """Return the class that a definition describes; None for a named type that is no class."""
    for module in (run_events, controlplane.agent.events, controlplane.agent.model):
        if name in vars(module):
            found = vars(module)[name]
            return found if isinstance(found, type) else None
    msg = f"no module of events has the class {name}"
    raise KeyError(msg)


def describe(model: type[BaseModel], definition: Schema) -> None:
    """Give a class's schema its descriptions, and its fields the form in which they are written."""
    definition["description"] = class_text(model)
    texts = field_texts(model)
    fields = definition.get("properties", {})
    for name, field in model.model_fields.items():
        if IN_REPLY_LINE in field.metadata or NOT_IN_LINES in field.metadata:
            del fields[name]
            continue
        if IN_OWN_LINES in field.metadata:
            fields[name] = {"type": "array", "items": {"type": "integer"}}
        if STORED_ONCE in field.metadata:
            fields[name]["anyOf"].append({"type": "string", "pattern": "^@text:"})
        fields[name].pop("title", None)
        if texts.get(name):
            fields[name]["description"] = one_line(texts[name])


def add_chain_fields(definition: Schema) -> None:
    definition["properties"] = CHAIN_FIELDS | definition.get("properties", {})
    required = list(FIRST_REQUIRED_FIELDS)
    for name in definition.get("required", ()):
        if name not in required:
            required.append(name)
    definition["required"] = required


def without_unused(
    definitions: Mapping[str, Schema], event_names: set[str]
) -> dict[str, Schema]:
    """Leave out definitions that no event refers to, such as those of fields left out above.

    Without them, others may become unused, so this is repeated until all are in use.
    """
    used = dict(definitions)
    while True:
        references = re.findall(r'"#/\$defs/(\w+)"', json.dumps(used))
        unused = used.keys() - event_names - set(references)
        if not unused:
            return used
        for name in unused:
            del used[name]
