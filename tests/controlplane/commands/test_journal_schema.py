"""The JSON schema in the documentation describes every line of a journal.

A journal is the record of a run, a file with an event in each line, such as
`{"prev": "0f3a", "at_ms": 1, "type": "run_notice", "text": "hello", "hash": "91bc"}`, with longer
hashes. Programs of others read journals by the schema.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from controlplane.agent.events import Event, event_classes
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import SCHEMA_VERSION
from tests.controlplane.commands.sample_events import (
    sample_of,
    with_required_fields_only,
)
from tests.support.command import ROOT, CommandRunner


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


class TestWrittenLines:
    """Every line that the product writes fits the published schema.

    `schema_violations(schema, journal)` returns what is wrong with the lines of a journal.
    """

    def test_every_line_of_a_run_fits_the_published_schema(
        self, schema: dict[str, Any], tmp_path: Path, run_command_here: CommandRunner
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

    @pytest.mark.parametrize(
        "event_class", event_classes(), ids=lambda event_class: event_class.__name__
    )
    def test_every_kind_of_event_fits_the_published_schema(
        self, event_class: type[Event], schema: dict[str, Any], tmp_path: Path
    ) -> None:
        """Each is written twice: with all of its fields, and with only those that it must have."""
        journal = tmp_path / "one.jsonl"
        sample = sample_of(event_class)
        with JournalWriter(journal, create=True) as writer:
            writer.write(sample)
            writer.write(with_required_fields_only(sample))

        assert schema_violations(schema, journal) == []


VALID_LINE = {
    "prev": "0" * 32,
    "at_ms": 1,
    "type": "run_notice",
    "text": "one",
    "hash": "1" * 32,
}
"""A line of a journal: the event that a run has told the user something, here "one"."""


class TestWrongLines:
    """A line with a wrong, missing or further field does not fit the schema.

    The line is the event that a run has told the user something: `{"type": "run_notice", "text":
    "one", ...}`, with the time and the hashes of the line before and of the line itself.
    """

    def test_a_line_of_a_journal_fits_the_published_schema(
        self, schema: dict[str, Any]
    ) -> None:
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
        self, change: dict[str, object], schema: dict[str, Any]
    ) -> None:
        assert not Draft202012Validator(schema).is_valid(VALID_LINE | change)
