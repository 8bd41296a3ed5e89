"""The JSON schema in the documentation describes every line of a journal.

A journal is the record of a run, a file with an event in each line, such as
`{"prev": "0f3a", "at_ms": 1, "type": "run_notice", "text": "hello", "hash": "91bc"}`, with longer
hashes. Programs of others read journals by the schema.
"""

import json
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, JsonValue

from controlplane.agent.events import Event, event_classes
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION, Score
from tests.support.command import ROOT, CommandRunner

LONG_SCRIPT = ROOT / "tests/support/long_trial.toml"
"""A trial of seven steps: chance, writes, deletions, an error and three submissions."""


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The published JSON schema of a journal's lines, with a definition for each event type."""
    path = ROOT / "docs" / f"journal-{SCHEMA_VERSION}.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema


def validators_by_event_type(
    schema: dict[str, Any],
) -> dict[str, Draft202012Validator]:
    """Return a validator for the lines of each type of event, by its name: "run_notice", ...

    That is quicker than the schema as a whole, which tries all definitions for each line:

        {"oneOf": [{"$ref": "#/$defs/RunNotice"}, ...],
         "$defs": {"RunNotice": {"properties": {"type": {"const": "run_notice"}, ...}}, ...}}
    """
    definitions = schema["$defs"]
    validators = {}
    for alternative in schema["oneOf"]:
        class_name = alternative["$ref"].removeprefix("#/$defs/")
        definition = definitions[class_name]
        event_type = definition["properties"]["type"]["const"]
        # A definition may refer to others.
        definition_with_others = {**definition, "$defs": definitions}
        validators[event_type] = Draft202012Validator(definition_with_others)
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


def test_every_line_of_a_run_fits_the_published_schema(
    schema: dict[str, Any], tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """Programs of others rely on the schema in the documentation to read journals."""
    model = f"scripted:{LONG_SCRIPT}"
    run = run_command_here("run", "calendar-date.1", "--model", model, "--json")
    journal = tmp_path / run.json["journal"]

    line_count = len(journal.read_text(encoding="utf-8").splitlines())
    assert line_count > 40, "the run is too short to show much"
    assert schema_violations(schema, journal) == []


# --- An event of every class, with all of its fields ---

ANY_JSON_OBJECT = {"a": [1, "@text:", None], "prev": {}}
"""An object with a text like a journal's reference to another line, and with a key like that of a
line's hash. Neither must be taken for the real thing."""
PLAIN_SAMPLES = {
    str: "x" * 300,  # long enough for a line of its own in the journal
    int: 1,
    float: 0.5,
    bool: True,
    JsonValue: {"type": "thinking"},
}
"""A value for each type that has no parts."""


def sample_value(annotation: Any) -> Any:
    """Return a value for a field: `tuple[str, int]` gives `("xxx...", 1)`.

    Each tuple and each dictionary has an element, and `int | None` gives `1`.
    """
    kind = get_origin(annotation) or annotation  # `tuple` for `tuple[str, int]`
    arguments = get_args(annotation)  # `(str, int)` for `tuple[str, int]`

    if kind in PLAIN_SAMPLES:
        return PLAIN_SAMPLES[kind]
    if kind is Literal:
        return arguments[0]
    if kind is tuple:
        element_types = [argument for argument in arguments if argument is not ...]
        return tuple(sample_value(element_type) for element_type in element_types)
    if annotation == dict[str, Score]:
        return {"security": 0.5}
    if kind is dict:
        return ANY_JSON_OBJECT
    if kind in (Annotated, Union, UnionType):
        # `Annotated[int, ...]`, `Optional[int]` and `int | None`: the type comes first.
        return sample_value(arguments[0])
    return sample_model(kind)


def sample_model(model: type[BaseModel]) -> BaseModel:
    """Return an object of a model class, with all of its fields set.

    The field `type` keeps its value, such as "run_notice": it says which event this is.
    """
    fields = {}
    for name, field in model.model_fields.items():
        if name == "now":
            fields[name] = "2026-01-05T09:00:00"  # a text that has to be a time
        elif name != "type":
            fields[name] = sample_value(field.annotation)
    return model(**fields)


def only_required_fields(event: BaseModel) -> BaseModel:
    """Return a copy of an event in which every optional field has its default value."""
    event_class = type(event)
    fields = {}
    for name, field in event_class.model_fields.items():
        if field.is_required():
            fields[name] = getattr(event, name)
    return event_class(**fields)


@pytest.mark.parametrize(
    "event_class", event_classes(), ids=lambda event_class: event_class.__name__
)
def test_every_kind_of_event_fits_the_published_schema(
    event_class: type[Event], schema: dict[str, Any], tmp_path: Path
) -> None:
    """Each is written twice: with all of its fields, and with only those that it must have."""
    journal = tmp_path / "one.jsonl"
    event = sample_model(event_class)
    with JournalWriter(journal, create=True) as writer:
        writer.write(event)
        writer.write(only_required_fields(event))

    assert schema_violations(schema, journal) == []


VALID_LINE = {
    "prev": "0" * 32,
    "at_ms": 1,
    "type": "run_notice",
    "text": "one",
    "hash": "1" * 32,
}
"""A line of a journal: the event that a run has told the user something, here "one"."""


def test_a_line_of_a_journal_fits_the_published_schema(schema: dict[str, Any]) -> None:
    assert Draft202012Validator(schema).is_valid(VALID_LINE)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"type": "unheard_of"}, id="unknown type"),
        pytest.param({"hash": "short"}, id="hash too short"),
        pytest.param({"text": 7}, id="number for a text"),
        pytest.param({"more": True}, id="unknown field"),
        pytest.param({"prev": None}, id="no previous hash"),
    ],
)
def test_a_wrong_line_does_not_fit_the_published_schema(
    change: dict[str, object], schema: dict[str, Any]
) -> None:
    assert not Draft202012Validator(schema).is_valid(VALID_LINE | change)
