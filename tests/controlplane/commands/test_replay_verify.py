"""`replay --verify` checks a journal by running its scripts again.

The journal has the model's scripts and the results of their calls. So a replay needs neither a
model nor the benchmark: it computes outputs, errors and verdicts of the gates (checks of a
submitted answer) again, and reports what differs. The tests change a journal as a forger would.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.agent.events import (
    AnswerSent,
    SubmissionJudged,
    event_classes,
    type_of,
    varying_fields,
)
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunOpened
from controlplane.replay.compared_fields import compared_fields
from tests.support.command import ROOT, run_in_process
from tests.support.scored_journal import read_events

SUCCESS = 0
"""The exit code of a command that did what it was asked for."""
SAMPLE_JOURNAL = ROOT / "runs/sample.jsonl"
"""A journal in the repository: one trial of three steps, calendar-date.1."""


def test_the_sample_journal_replays_exactly(tmp_path: Path) -> None:
    """The journal is in the repository: a change of what scripts or gates do shows here."""
    result = run_in_process("replay", SAMPLE_JOURNAL, "--verify", cwd=tmp_path)

    assert result.code == SUCCESS, result.err
    assert "3 steps: everything is as recorded" in result.out


Change = Callable[[JournalEvent], JournalEvent]
"""Takes an event of a journal, and returns the event to write instead."""


def changed_copy(
    source: Path, folder: Path, change: Change, *, versions: dict[str, str]
) -> Path:
    """Write a journal with the changed events of another, as a forger would: its hashes fit.

    `versions={"python": "3.99.1"}` replaces that version in its first event, which has the
    versions of all parts that the run was recorded with.
    """
    copy = folder / "changed.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                new_versions = event.versions.model_copy(update=versions)
                event = event.model_copy(update={"versions": new_versions})
            journal.write(change(event))
    return copy


def set_fields(event_type: str, **fields: object) -> Change:
    """Return a change that gives all events of a type these fields."""

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != event_type:
            return event
        return event.model_copy(update=fields)

    return change


def replace_in_field(event_type: str, field: str, old: str, new: str) -> Change:
    """Return a change that replaces a text in a field of all events of a type."""

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != event_type:
            return event
        text = getattr(event, field)
        return event.model_copy(update={field: text.replace(old, new)})

    return change


SCRIPT_WITH_FAILING_VERIFY = """
[[reply]]
state = "a verify that raises, and a call that does"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.count().number, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: [sp["nothing"] for _ in "a"])
'''
[[reply]]
state = "mended"
code = '''
print(sp := dict(scratchpad))
harness.answer(scratchpad, lambda sp: sp["answer"] == "7")
'''
"""
"""Step 1 submits the answer "7" with a check of its own, `verify`, that raises a KeyError, so the
answer is rejected. Step 2 prints the scratchpad, and submits the answer with a check that passes."""


@pytest.fixture(scope="module")
def journal_with_error(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial that plays `SCRIPT_WITH_FAILING_VERIFY`."""
    folder = tmp_path_factory.mktemp("failing")
    (folder / "script.toml").write_text(SCRIPT_WITH_FAILING_VERIFY, encoding="utf-8")
    benchmark = ("--benchmark", "tests.support.many_trials:1")
    run = run_in_process(
        "run", *benchmark, "--model", "scripted:script.toml", cwd=folder
    )
    assert run.code == SUCCESS
    (journal,) = (folder / "runs").glob("*.jsonl")
    return journal


def change_error_text_of_verdict(event: JournalEvent) -> JournalEvent:
    """Change what a gate said of the `verify` that raised."""
    if not isinstance(event, SubmissionJudged):
        return event
    text = event.model_dump_json().replace(
        "`verify` did not answer", "`verify` did not reply"
    )
    return SubmissionJudged.model_validate_json(text)


def change_answer(event: JournalEvent) -> JournalEvent:
    """Change the answer "7" to "8", where it was submitted and where it was sent."""
    if isinstance(event, AnswerSent):
        return event.model_copy(update={"message": "8"})
    if isinstance(event, SubmissionJudged):
        judged = event.judged.model_copy(update={"answer": "8"})
        return event.model_copy(update={"judged": judged})
    return event


change_error_text_of_step = replace_in_field(
    "step", "error", old="KeyError", new="LookupError"
)
change_output = replace_in_field("step", "output", old="7", new="8")


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        pytest.param(
            change_error_text_of_step,
            "step 1, error: recorded",
            id="error text of a step",
        ),
        pytest.param(
            change_error_text_of_verdict,
            "step 1, verdicts: recorded",
            id="error text of a verdict",
        ),
        pytest.param(change_output, "step 2, output: recorded", id="output"),
    ],
)
def test_under_the_same_python_every_difference_is_an_error(
    change: Change, message_part: str, journal_with_error: Path, tmp_path: Path
) -> None:
    """The recorded text is changed, so that running the scripts again gives another one."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions={})
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" not in result.out + result.err


OTHER_PYTHON = {"python": "3.99.1"}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change_error_text_of_step, id="error text of a step"),
        pytest.param(change_error_text_of_verdict, id="error text of a verdict"),
    ],
)
def test_under_another_python_error_texts_may_differ(
    change: Change, journal_with_error: Path, tmp_path: Path
) -> None:
    """Each minor version of Python changes the texts of some errors."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions=OTHER_PYTHON)
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == SUCCESS, result.out + result.err
    message = "not compared: error texts (recorded under Python 3.99.1)"
    assert message in result.out + result.err


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        pytest.param(change_answer, "step 1, verdicts: recorded", id="answer"),
        pytest.param(
            change_output,
            "it was recorded under Python 3.99.1, and what this one",
            id="output",
        ),
    ],
)
def test_under_another_python_other_differences_are_errors(
    change: Change, message_part: str, journal_with_error: Path, tmp_path: Path
) -> None:
    """The message names the other Python, which may be the cause."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions=OTHER_PYTHON)
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" in result.out + result.err


@pytest.mark.parametrize("part", ["gates", "evidence", "sandbox"])
@pytest.mark.parametrize(
    ("change", "differing_steps"),
    [
        pytest.param(change_answer, 2, id="both steps submit the answer"),
        pytest.param(change_output, 1, id="one step prints it"),
    ],
)
def test_under_another_version_of_a_part_differences_are_reported_and_no_error(
    change: Change,
    differing_steps: int,
    part: str,
    journal_with_error: Path,
    tmp_path: Path,
) -> None:
    """Another version of the gates, for example, may judge differently. `--strict` objects."""
    journal = changed_copy(
        journal_with_error, tmp_path, change, versions={part: "another"}
    )
    verify = ("replay", journal, "--verify")
    result = run_in_process(*verify, "--json", cwd=tmp_path)
    strict_result = run_in_process(*verify, "--strict", cwd=tmp_path)

    assert result.code == SUCCESS, result.err
    assert strict_result.code == ReplayDiverged.exit_code
    assert not result.json["agrees"]
    assert result.json["other_versions"] == [part]
    differences = result.json["differences"]
    assert len(differences) == differing_steps
    for difference in differences:
        assert ", step " in difference
        assert ": recorded " in difference


def test_the_other_version_of_a_part_is_named(
    journal_with_error: Path, tmp_path: Path
) -> None:
    """The journal says that it was recorded with another version of the gates."""
    journal = changed_copy(
        journal_with_error, tmp_path, change_answer, versions={"gates": "another"}
    )
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert "under another version of gates" in result.out


@pytest.mark.parametrize(
    ("change", "message_part", "versions"),
    [
        pytest.param(
            set_fields("answer_sent", message="8"),
            "step 2, message: recorded '8', and its other lines imply '7'",
            {},
            id="another answer than the one submitted",
        ),
        pytest.param(
            set_fields("answer_sent", outcome="OUTCOME_DENIED_SECURITY"),
            "step 2, outcome: recorded",
            {"gates": "another"},
            id="another outcome",
        ),
        pytest.param(
            set_fields("answer_sent", refs=("/other",)),
            "step 2, refs: recorded",
            {},
            id="another cited file",
        ),
        pytest.param(
            set_fields("answer_sent", fallback=True),
            "end: recorded 'answered', and its other lines imply 'fallback'",
            {"gates": "another"},
            id="the answer is called a fallback, the end is not",
        ),
        pytest.param(
            set_fields("answer_sent", failed=("4",)),
            "step 2, failed: recorded",
            {},
            id="a gate that did not fail",
        ),
        pytest.param(
            set_fields("trial_ended", how="fallback"),
            "end: recorded 'fallback', and its other lines imply 'answered'",
            {"gates": "another"},
            id="the end is called a fallback, the answer is not",
        ),
        pytest.param(
            set_fields("trial_ended", how="unanswered"),
            "end: recorded 'unanswered'",
            {},
            id="unanswered, despite the answer",
        ),
    ],
)
def test_lines_that_contradict_each_other_are_errors_under_any_version(
    change: Change,
    message_part: str,
    versions: dict[str, str],
    journal_with_error: Path,
    tmp_path: Path,
) -> None:
    """Which answer was sent follows from the verdicts in the journal, whatever gates say now.

    In each case a forger has changed one line. The original has one trial, whose second step
    submits the answer "7", which is accepted and sent.
    """
    journal = changed_copy(journal_with_error, tmp_path, change, versions=versions)
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.err
    assert message_part in result.err


@pytest.fixture(scope="module")
def verification(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, dict[str, list[str]]]:
    """What `replay --verify --json` prints for the sample journal.

    "compared" has the fields that a replay computes and compares, by type of event, as in
    `{"step": ["output", ...]}`; "only_marked" has those that only the line's signature protects.
    """
    folder = tmp_path_factory.mktemp("verified")
    result = run_in_process("replay", SAMPLE_JOURNAL, "--verify", "--json", cwd=folder)
    verification: dict[str, dict[str, list[str]]] = result.json
    return verification


def test_a_verification_lists_the_fields_that_it_compares(
    verification: dict[str, dict[str, list[str]]],
) -> None:
    """The user can see what a verification proves, and what only a signature protects."""
    expected = {}
    for event_type, names in compared_fields().items():
        expected[event_type] = list(names)
    assert verification["compared"] == expected
    assert "first_message" in verification["only_marked"]["conversation_opened"]


IDENTIFYING_FIELDS = {"type", "at_ms", "trial_id", "step", "number"}
"""Fields that say which event it is; they are neither compared nor listed."""


@pytest.mark.parametrize("event_class", event_classes(), ids=type_of)
def test_a_verification_accounts_for_every_field_of_an_event(
    event_class: type[JournalEvent],
    verification: dict[str, dict[str, list[str]]],
) -> None:
    """A field is compared or only marked, unless it says which event this is."""
    event_type = type_of(event_class)
    compared = verification["compared"].get(event_type, [])
    only_marked = verification["only_marked"].get(event_type, [])

    fields = event_class.model_fields.keys() - IDENTIFYING_FIELDS
    assert sorted([*compared, *only_marked]) == sorted(fields)


def test_no_field_that_varies_from_run_to_run_is_compared() -> None:
    """Times and ids differ in every run, so a replay can't compute them."""
    compared = set()
    for names in compared_fields().values():
        compared.update(names)

    assert not compared & varying_fields()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(set_fields("call", arguments={"forged": 1}), id="call.arguments"),
        pytest.param(set_fields("step", calls=()), id="step.calls"),
    ],
)
def test_a_forged_field_that_is_compared_is_a_difference(
    change: Change, journal_with_error: Path, tmp_path: Path
) -> None:
    """The compared fields that no other test forges."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions={})
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out
