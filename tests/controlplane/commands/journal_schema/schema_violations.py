"""Compares the lines of a journal with the published JSON schema.

    schema_violations(schema, journal)    ->    ["run_notice $.text: 7 is not of type 'string'"]

A journal is the record of a run, a file with an event in each line.
"""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator


def validators_by_event_type(
    schema: dict[str, Any],
) -> dict[str, Draft202012Validator]:
    """Return a validator for the lines of each type of event, by its name: "run_notice", ...

    That is quicker than the schema as a whole, which tries all alternatives for each line:

        {"oneOf": [{"$ref": "#/$defs/RunNotice"}, ...],
         "$defs": {"RunNotice": {"properties": {"type": {"const": "run_notice"}, ...}}, ...}}
    """
    definitions = schema["$defs"]
    validators = {}
    for alternative in schema["oneOf"]:
        class_name = alternative["$ref"].removeprefix("#/$defs/")
        event_type = definitions[class_name]["properties"]["type"]["const"]
        schema_of_type = {**alternative, "$defs": definitions}
        validators[event_type] = Draft202012Validator(schema_of_type)
    return validators


def schema_violations(schema: dict[str, Any], journal: Path) -> list[str]:
    """Return what is wrong with the lines of a journal, such as
    "run_notice $.text: 7 is not of type 'string'".
    """
    validators = validators_by_event_type(schema)
    violations = []
    for line in journal.read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        event_type = fields["type"]
        for error in validators[event_type].iter_errors(fields):
            violations.append(f"{event_type} {error.json_path}: {error.message}")
    return violations
