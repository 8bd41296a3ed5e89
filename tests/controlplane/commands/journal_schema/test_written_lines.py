"""Every line of a journal that the product writes fits the schema in the documentation.

A journal is the record of a run, a file with an event in each line. Programs of others read it by the
schema. A line, with longer hashes:

    {"prev": "0f3a", "at_ms": 1, "type": "run_notice", "text": "hello", "hash": "91bc"}
"""

import json
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, JsonValue

from controlplane.agent.events import Event, event_classes
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION, Score
from tests.support.command import CommandRunner
from tests.support.product_files import ROOT


@pytest.fixture(scope="session")
def schema() -> dict[str, Any]:
    """The published JSON schema of a journal's lines, with a definition for each event type."""
    path = ROOT / "docs" / f"journal-{SCHEMA_VERSION}.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema


# A sample of each kind of event that a journal may have, with all of its fields set.
#
# `sample_of(RunNotice)` -> `RunNotice(text="xxx...")`. Values follow from the types of fields:
#
#     type                    value
#     str                     "xxx...", 300 characters
#     int | None              1
#     Literal["ok", "bad"]    "ok"
#     tuple[str, int]         ("xxx...", 1)
#     dict[str, JsonValue]    ANY_JSON_OBJECT
#     a class of pydantic     its sample

Model = TypeVar("Model", bound=BaseModel)

ANY_JSON_OBJECT = {"a": [1, "@text:", None], "prev": {}}
"""An object that must not be misread. A journal refers to another line by "@text:" and a key, and
has the hash of the line before under "prev"."""

SIMPLE_SAMPLES = {
    str: "x" * 300,  # long enough for a line of its own in the journal
    int: 1,
    float: 0.5,
    bool: True,
    JsonValue: {"type": "thinking"},
}
"""A value for each type that has no parts."""


def sample_of(model: type[Model]) -> Model:
    """Return an object of a class with all of its fields set.

    The field `type` keeps its value, such as "run_notice": it says which event this is.
    """
    fields = {}
    for name, field in model.model_fields.items():
        if name == "now":
            fields[name] = "2026-01-05T09:00:00"  # a text that has to be a time
        elif name != "type":
            fields[name] = _sample_value(field.annotation)
    return model(**fields)


def _sample_value(field_type: Any) -> Any:
    """Return a value for a field, as the table at the top says."""
    generic_type = get_origin(field_type)  # `tuple` for `tuple[str, int]`
    arguments = get_args(field_type)  # `(str, int)` for `tuple[str, int]`

    if generic_type is None and field_type in SIMPLE_SAMPLES:
        return SIMPLE_SAMPLES[field_type]
    if generic_type is None:
        return sample_of(field_type)
    if generic_type is Literal:
        return arguments[0]
    if generic_type is tuple:
        element_types = [argument for argument in arguments if argument is not ...]
        return tuple(_sample_value(element_type) for element_type in element_types)
    if field_type == dict[str, Score]:
        return {"security": 0.5}
    if generic_type is dict:
        return ANY_JSON_OBJECT
    # `Annotated[int, ...]`, `Optional[int]` and `int | None`: the type comes first.
    assert generic_type in (Annotated, Union, UnionType), field_type
    return _sample_value(arguments[0])


# Compares the lines of a journal with the published JSON schema.
#
#     schema_violations(schema, journal)    ->    ["run_notice $.text: 7 is not of type 'string'"]
#
# A journal is the record of a run, a file with an event in each line.


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


# A line with a wrong, missing or further field does not fit the published schema of journals.
#
# The line is the event that a run has told the user something, here "one", with the time and the hashes
# of the line before and of the line itself.

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


def test_every_line_of_a_run_fits_the_published_schema(
    schema: dict[str, Any], tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """Programs of others rely on the schema in the documentation to read journals."""
    # A trial of seven steps: chance, writes, deletions, an error and three submissions.
    long_script = ROOT / "tests/support/long_trial.toml"
    model = f"scripted:{long_script}"
    run = run_command_here("run", "calendar-date.1", "--model", model, "--json")
    journal = tmp_path / run.json["journal"]

    line_count = len(journal.read_text(encoding="utf-8").splitlines())
    assert line_count > 40, "the run is too short to show much"
    assert schema_violations(schema, journal) == []


def with_required_fields_only(sample: Event) -> Event:
    """Return a copy in which every optional field has its default value."""
    fields = {}
    for name, field in type(sample).model_fields.items():
        if field.is_required():
            fields[name] = getattr(sample, name)
    return type(sample)(**fields)


@pytest.mark.parametrize(
    "event_class", event_classes(), ids=lambda event_class: event_class.__name__
)
def test_every_kind_of_event_fits_the_published_schema(
    event_class: type[Event], schema: dict[str, Any], tmp_path: Path
) -> None:
    """Each is written twice: with all of its fields, and with only those that it must have."""
    journal = tmp_path / "one.jsonl"
    sample = sample_of(event_class)
    with JournalWriter(journal, create=True) as writer:
        writer.write(sample)
        writer.write(with_required_fields_only(sample))

    assert schema_violations(schema, journal) == []
