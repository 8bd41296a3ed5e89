"""Which fields of a journal `replay --verify` compares, and which it cannot.

A replay runs the recorded scripts again, so it can compare the output of a step. It cannot ask the
model again: a forged reply would show only in the *mark* of its line, a signature by the user's
key. Every field of every event is one or the other.
"""

from typing import NamedTuple

import pytest

from controlplane.agent.events import event_classes, type_of, varying_fields
from controlplane.journal.run_events import JournalEvent
from controlplane.replay.verification import compared_fields
from tests.support.command import ROOT, run_in_process


class PrintedFields(NamedTuple):
    """The names of fields that `replay --verify --json` prints, by the type of their event."""

    compared: dict[str, list[str]]
    """What the replay has computed again: `{"step": ["output", "error", ...], ...}`."""
    only_marked: dict[str, list[str]]
    """What only marks protect: `{"conversation_opened": ["first_message", ...], ...}`."""


@pytest.fixture(scope="module")
def printed_fields(tmp_path_factory: pytest.TempPathFactory) -> PrintedFields:
    """The fields that a verification of the sample journal prints."""
    folder = tmp_path_factory.mktemp("verified")
    command = ("replay", ROOT / "runs/sample.jsonl", "--verify", "--json")
    result = run_in_process(*command, cwd=folder).json
    return PrintedFields(result["compared"], result["only_marked"])


def test_a_verification_prints_the_fields_that_a_replay_compares(
    printed_fields: PrintedFields,
) -> None:
    """The user can see what a verification proves."""
    expected = {}
    for event_type, names in compared_fields().items():
        expected[event_type] = list(names)

    assert printed_fields.compared == expected


def test_the_first_message_to_the_model_is_only_marked(
    printed_fields: PrintedFields,
) -> None:
    """It is made before the first script runs, and a replay runs only the scripts."""
    assert "first_message" in printed_fields.only_marked["conversation_opened"]


@pytest.mark.parametrize("event_class", event_classes(), ids=type_of)
def test_every_other_field_of_an_event_is_compared_or_only_marked(
    event_class: type[JournalEvent], printed_fields: PrintedFields
) -> None:
    """The fields that say which event it is are neither."""
    event_type = type_of(event_class)
    compared = printed_fields.compared.get(event_type, [])
    only_marked = printed_fields.only_marked.get(event_type, [])

    fields_that_say_which_event_it_is = {"type", "at_ms", "trial_id", "step", "number"}
    fields = event_class.model_fields.keys() - fields_that_say_which_event_it_is
    assert sorted([*compared, *only_marked]) == sorted(fields)


def test_no_field_that_varies_from_run_to_run_is_compared() -> None:
    """Times and ids differ in every run; `varying_fields` returns the names of such fields."""
    compared = set()
    for names in compared_fields().values():
        compared.update(names)

    assert not compared & varying_fields()
