"""Journals replay exactly: the sample in the repository, and ones that another Python recorded."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from agent.events import AnswerSent, SubmissionJudged, VerdictRecord
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunOpened
from controlplane.replay.verification import COMPARED
from tests.support.command import ROOT, inside
from tests.support.scored_journal import read_events

SAMPLE = ROOT / "runs/sample.jsonl"


def test_the_sample_journal_replays_byte_for_byte(tmp_path: Path) -> None:
    result = inside("replay", SAMPLE, "--verify", cwd=tmp_path)
    assert result.code == 0, result.err
    assert "3 steps: everything is as recorded" in result.out


Change = Callable[[JournalEvent], JournalEvent]


def played(folder: Path, script: str) -> Path:
    """Return the journal of a run of one trial with these replies."""
    (folder / "script.toml").write_text(script, encoding="utf-8")
    words = ("run", "--benchmark", "tests.support.many_trials:1", "--model", "scripted:script.toml")
    assert inside(*words, cwd=folder).code == 0
    return next((folder / "runs").glob("*.jsonl"))


def altered_journal(recorded: Path, folder: Path, change: Change, **versions: str | None) -> Path:
    """Return a journal of these events, changed, with the given versions in place of its own."""
    altered = folder / "altered.jsonl"
    given = {part: version for part, version in versions.items() if version}
    with JournalWriter(altered, create=True) as journal:
        for event in read_events(recorded):
            if isinstance(event, RunOpened):
                event = event.model_copy(update={"versions": event.versions.model_copy(update=given)})
            journal.write(change(event))
    return altered


def edited(**fields: object) -> Change:
    """Return what gives the events of the type `type` these fields, or what a function makes of their old ones."""
    kind = fields.pop("type")

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != kind:
            return event
        given = {name: value(getattr(event, name)) if callable(value) else value for name, value in fields.items()}
        return event.model_copy(update=given)

    return change


FAILING = """
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


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a trial whose first answer had a `verify` that raised."""
    return played(tmp_path_factory.mktemp("failing"), FAILING)


def other_verdict(event: JournalEvent) -> JournalEvent:
    if not isinstance(event, SubmissionJudged):
        return event
    text = event.model_dump_json().replace("`verify` did not answer", "`verify` did not reply")
    return SubmissionJudged.model_validate_json(text)


def other_answer(event: JournalEvent) -> JournalEvent:
    if isinstance(event, AnswerSent):
        return event.model_copy(update={"message": "8"})
    if not isinstance(event, SubmissionJudged):
        return event
    return event.model_copy(update={"judged": event.judged.model_copy(update={"answer": "8"})})


other_error = edited(type="step", error=lambda text: text.replace("KeyError", "LookupError"))
other_output = edited(type="step", output=lambda text: text.replace("7", "8"))


@pytest.mark.parametrize(
    ("change", "python", "code", "said"),
    [
        (other_error, None, 5, "step 1, error: recorded"),
        (other_error, "3.99.1", 0, "not compared: error texts (recorded under Python 3.99.1)"),
        (other_verdict, None, 5, "step 1, verdicts: recorded"),
        (other_verdict, "3.99.1", 0, "not compared: error texts (recorded under Python 3.99.1)"),
        (other_answer, "3.99.1", 5, "step 1, verdicts: recorded"),
        (other_output, None, 5, "step 2, output: recorded"),
        (other_output, "3.99.1", 5, "it was recorded under Python 3.99.1, and what this one"),
    ],
)
def test_under_another_minor_python_error_texts_may_differ_and_a_difference_names_it(
    change: Callable[[JournalEvent], JournalEvent],
    python: str | None,
    code: int,
    said: str,
    failing: Path,
    tmp_path: Path,
) -> None:
    altered = altered_journal(failing, tmp_path, change, python=python)
    done = inside("replay", altered, "--verify", cwd=tmp_path)
    assert done.code == code, done.out + done.err
    assert said in done.out + done.err
    assert ("recorded under Python" in done.out + done.err) == (python is not None)


@pytest.mark.parametrize("part", ["gates", "evidence", "sandbox"])
@pytest.mark.parametrize(("change", "differing"), [(other_answer, 2), (other_output, 1)])
def test_under_another_version_the_steps_that_differ_are_reported(
    change: Change, differing: int, part: str, failing: Path, tmp_path: Path
) -> None:
    altered = altered_journal(failing, tmp_path, change, **{part: "another"})
    done = inside("replay", altered, "--verify", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert inside("replay", altered, "--verify", "--strict", cwd=tmp_path).code == 5
    told = done.json
    if (part, differing) == ("gates", 2):
        assert f"under another version of {part}" in inside("replay", altered, "--verify", cwd=tmp_path).out
    assert (told["agrees"], told["other_versions"], len(told["differences"])) == (False, [part], differing)
    assert all(", step " in difference and ": recorded " in difference for difference in told["differences"])


def of_an_earlier_version(event: JournalEvent) -> JournalEvent:
    """Return an event as runs with the rule set `ask`, which is gone, recorded it."""
    if isinstance(event, RunOpened):
        return event.model_copy(update={"rule_sets": ("ask",)})
    if not isinstance(event, SubmissionJudged):
        return event
    gone = [
        VerdictRecord(gate=gate, name=name, result="pass", reason="", enforcement="ask")
        for gate, name in ((6, "found-value"), (0, "ask/claims"))
    ]
    judged = event.judged.model_copy(update={"verdicts": (*event.judged.verdicts, *gone)})
    return event.model_copy(update={"judged": judged})


def test_a_journal_of_rules_that_are_gone_opens_and_its_replay_names_them(failing: Path, tmp_path: Path) -> None:
    old = altered_journal(failing, tmp_path, of_an_earlier_version, gates="another")
    assert '"rule_sets":["ask"]' in old.read_text()
    replayed = inside("replay", old, "--verify", cwd=tmp_path)
    assert replayed.code == 0, replayed.err
    assert "rules of earlier versions, which are gone: 6/found-value, ask/claims" in replayed.out
    assert inside("show", old, cwd=tmp_path).code == 0
    assert inside("judge", old, cwd=tmp_path).code == 0


CONTRADICTIONS = [
    (edited(type="answer_sent", message="8"), "step 2, message: recorded '8', and its other lines imply '7'"),
    (edited(type="answer_sent", outcome="OUTCOME_DENIED_SECURITY"), "step 2, outcome: recorded"),
    (edited(type="answer_sent", refs=("/other",)), "step 2, refs: recorded"),
    (edited(type="answer_sent", fallback=True), "end: recorded 'answered', and its other lines imply 'fallback'"),
    (edited(type="answer_sent", failed=("4",)), "step 2, failed: recorded"),
    (edited(type="trial_ended", how="fallback"), "end: recorded 'fallback', and its other lines imply 'answered'"),
    (edited(type="trial_ended", how="unanswered"), "end: recorded 'unanswered'"),
]


@pytest.mark.parametrize(
    ("change", "said", "version"),
    [(*case, ("", "another")[at % 2]) for at, case in enumerate(CONTRADICTIONS)],
)
def test_lines_that_contradict_each_other_are_found_under_any_version(
    change: Change, said: str, version: str, failing: Path, tmp_path: Path
) -> None:
    done = inside("replay", altered_journal(failing, tmp_path, change, gates=version), "--verify", cwd=tmp_path)
    assert (done.code, said in done.err) == (5, True), done.err


def test_a_verification_accounts_for_every_field_of_every_event(tmp_path: Path) -> None:
    verified = inside("replay", SAMPLE, "--verify", "--json", cwd=tmp_path).json
    assert verified["compared"] == {kind: words.split() for kind, words in COMPARED.items()}
    assert "first_message" in verified["only_marked"]["conversation_opened"]
    places = {"type", "at_ms", "trial_id", "step", "number"}
    for event in get_args(JournalEvent):
        kind = event.model_fields["type"].default
        compared, marked = (verified[part].get(kind, []) for part in ("compared", "only_marked"))
        assert sorted([*compared, *marked]) == sorted(event.model_fields.keys() - places), kind


FORGED: dict[str, Change] = {
    "call_done.arguments": edited(type="call_done", arguments={"forged": 1}),
    "step.calls": edited(type="step", calls=()),
}
"""Forgeries of compared fields that no other test makes."""


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_field_that_is_compared_is_a_difference(name: str, failing: Path, tmp_path: Path) -> None:
    done = inside("replay", altered_journal(failing, tmp_path, FORGED[name]), "--verify", cwd=tmp_path)
    assert done.code == 5, done.out
