"""Every line of a journal that the product writes fits the schema in the documentation.

A journal is the record of a run, a file with an event in each line. Programs of others read it by the
schema. A line, with longer hashes:

    {"prev": "0f3a", "at_ms": 1, "type": "run_notice", "text": "hello", "hash": "91bc"}
"""

from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.events import Event, event_classes
from controlplane.journal.journal_writer import JournalWriter
from tests.controlplane.commands.journal_schema.sample_events import sample_of
from tests.controlplane.commands.journal_schema.schema_violations import (
    schema_violations,
)
from tests.support.command import ROOT, CommandRunner


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
