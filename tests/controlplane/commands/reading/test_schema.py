"""The JSON schema of a journal: real lines are valid under it, and what is no line of ours is not."""

import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from agent.events import Event
from controlplane.journal.journal_writer import JournalWriter, schema_bytes
from controlplane.journal.run_events import JournalEvent
from tests.support.command import ROOT, Result, Type

LONG = ROOT / "tests/support/long_trial.toml"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(schema_bytes())
    return made


def test_the_command_prints_a_schema(schema: dict[str, Any], type_in: Type) -> None:
    assert type_in("schema").json == schema
    Draft202012Validator.check_schema(schema)


def faults(schema: dict[str, Any], journal: Path) -> list[str]:
    """What is wrong with the lines of a journal, each looked at under the schema of its type, which is quicker."""
    names = [each["$ref"].rpartition("/")[2] for each in schema["oneOf"]]
    whole = Draft202012Validator(schema)
    kinds = {schema["$defs"][each]["properties"]["type"]["const"]: schema["$defs"][each] for each in names}
    under = {kind: whole.evolve(schema={**each, "$defs": schema["$defs"]}) for kind, each in kinds.items()}
    return [
        f"{line['type']} {fault.json_path}: {fault.message}"
        for line in map(json.loads, journal.read_text(encoding="utf-8").splitlines())
        for fault in under[line["type"]].iter_errors(line)
    ]


def test_every_line_of_a_run_is_valid(schema: dict[str, Any], tmp_path: Path, type_in: Type) -> None:
    words = ("calendar-date.1", "--model", f"scripted:{LONG}", "--json")
    journal = tmp_path / type_in("run", *words).json["journal"]
    assert len(journal.read_text(encoding="utf-8").splitlines()) > 40
    assert faults(schema, journal) == []


def filled(annotation: Any) -> Any:
    """Return a value of a type, with every field and one element where there can be any."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        given = {name: each for name, each in annotation.model_fields.items() if name != "type"}
        return annotation(**{name: filled(each.annotation) for name, each in given.items()})
    if origin is tuple:
        return tuple(filled(each) for each in inner if each is not ...)
    if origin is Literal:
        return inner[0]
    if origin is dict:
        return {"a": [1, "@text:", None], "prev": {}}
    if inner:  # a union, whose other members are null
        return filled(inner[0])
    return {str: "x" * 300, int: 1, float: 0.5, bool: True}.get(annotation, {"type": "thinking"})


@pytest.mark.parametrize("kind", get_args(JournalEvent), ids=lambda each: each.__name__)
def test_every_kind_of_event_is_valid(kind: type[Event], schema: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    event = filled(kind)
    with JournalWriter(path, create=True) as writer:
        writer.write(event)
        writer.write(
            kind(**{name: getattr(event, name) for name, each in kind.model_fields.items() if each.is_required()})
        )
    assert faults(schema, path) == []


def test_the_link_in_the_first_event_leads_to_the_schema(schema: dict[str, Any], recorded: tuple[Path, Result]) -> None:
    (journal,) = (recorded[0] / "runs").glob("*.jsonl")
    first = json.loads(journal.read_bytes().partition(b"\n")[0])
    assert json.loads((journal.parent / first["schema_link"]).read_text(encoding="utf-8")) == schema
    assert faults(schema, journal) == []


@pytest.mark.parametrize(
    "change",
    [
        {"type": "unheard_of"},
        {"hash": "short"},
        {"text": 7},
        {"more": True},
        {"prev": None},
    ],
)
def test_another_line_is_not_valid(change: dict[str, object], schema: dict[str, Any]) -> None:
    line = {"prev": "0" * 32, "at_ms": 1, "type": "run_notice", "text": "one", "hash": "1" * 32}
    whole = Draft202012Validator(schema)
    assert whole.is_valid(line)
    assert not whole.is_valid(line | change)
