"""`replay --verify` finds what was changed in a journal, and nothing in one that is unchanged.

Changed calls, answers, ends and texts are errors, and so are lines that contradict each other. If
another version of the product or of Python has recorded the journal, the version is named. Then
differences are reported, or texts of errors may differ.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.agent.events import AnswerSent, StepDone, SubmissionJudged
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunOpened
from tests.support.command import run_in_process
from tests.support.journals import read_events
from tests.support.product_files import ROOT

TWO_SUBMISSIONS = """
[[reply]]
state = "submit with a check that raises a KeyError"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.count().number, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: [sp["nothing"] for _ in "a"])
'''
[[reply]]
state = "print the scratchpad, and submit with a check that passes"
code = '''
print(sp := dict(scratchpad))
harness.answer(scratchpad, lambda sp: sp["answer"] == "7")
'''
"""
"""The model's scripts in a trial of two steps, each of which submits the answer "7":

step 1   the error "KeyError: 'nothing'" of the script's own check; a gate rejects the answer
step 2   the output "{'answer': '7', ...}"; the answer is accepted, and sent

`harness.answer` takes the answer, and a function (`verify`) with which the model checks it. That of
step 1 fails in a comprehension, since versions of Python differ in how they word such an error.
"""


@pytest.fixture(scope="session")
def journal_of_two_submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial, in which the model replies with `TWO_SUBMISSIONS`."""
    folder = tmp_path_factory.mktemp("two-submissions")
    (folder / "script.toml").write_text(TWO_SUBMISSIONS, encoding="utf-8")
    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:1",
        "--model=scripted:script.toml",
        cwd=folder,
    )
    assert run.code == 0, run.err
    (journal,) = (folder / "runs").glob("*.jsonl")
    return journal


# Changes of single texts in the journal of two submissions, for `forged_copy`.
#
# Each takes an event, and returns the event to write instead: `change_output` changes what step 2
# printed to "{'answer': '8', ...}", and leaves all other events alone. In the journal, a model
# submits twice, each time with a function `verify` that checks its answer:
#
# step 1   `verify` fails with "KeyError: 'nothing'"; a gate says that it did not answer
# step 2   prints "{'answer': '7', ...}"; `verify` returns True, and the answer "7" is sent


def change_error_text_of_step(event: JournalEvent) -> JournalEvent:
    """Change "KeyError" to "LookupError" in the error of step 1."""
    if not isinstance(event, StepDone):
        return event
    error = event.error.replace("KeyError", "LookupError")
    return event.model_copy(update={"error": error})


def change_error_text_of_verdict(event: JournalEvent) -> JournalEvent:
    """Change what a gate said of the model's check in step 1: "`verify` did not answer".

    The verdict is deep in the event, so the text is changed in the event's JSON.
    """
    if not isinstance(event, SubmissionJudged):
        return event
    text = event.model_dump_json()
    text = text.replace("`verify` did not answer", "`verify` did not reply")
    return SubmissionJudged.model_validate_json(text)


def change_output(event: JournalEvent) -> JournalEvent:
    """Change "7" to "8" in the output of step 2. Step 1 has no output."""
    if not isinstance(event, StepDone):
        return event
    output = event.output.replace("7", "8")
    return event.model_copy(update={"output": output})


def change_answer(event: JournalEvent) -> JournalEvent:
    """Change the answer "7" to "8", where it was submitted and where it was sent."""
    if isinstance(event, AnswerSent):
        return event.model_copy(update={"message": "8"})
    if isinstance(event, SubmissionJudged):
        submission = event.judged.model_copy(update={"answer": "8"})
        return event.model_copy(update={"judged": submission})
    return event


# Copies of a journal with changed events, as a forger would write them.
#
#     forged_copy(journal, folder, set_fields("answer_sent", message="8"))
#
# returns `folder / "forged.jsonl"`, in which the line of the sent answer says "8" instead of "7". The
# hash that each line has of the line before fits, so that only the contents give the forgery away.

Change = Callable[[JournalEvent], JournalEvent]
"""Takes an event of a journal, and returns the event to write instead."""


def forged_copy(
    source: Path,
    folder: Path,
    change: Change,
    *,
    versions: dict[str, str] | None = None,
) -> Path:
    """Write a copy of a journal in which each event is changed.

    The first event says which versions have recorded the run: `versions={"python": "3.99.1"}`
    changes one of them.
    """
    copy = folder / "forged.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                new_versions = event.versions.model_copy(update=versions or {})
                event = event.model_copy(update={"versions": new_versions})
            journal.write(change(event))
    return copy


def set_fields(event_type: str, **fields: object) -> Change:
    """Return a change that gives all events of a type these fields.

    `set_fields("answer_sent", message="8")` forges the answer that was sent.
    """

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != event_type:
            return event
        return event.model_copy(update=fields)

    return change


# `replay --verify` fails if lines of a journal contradict each other about the sent answer.
#
# The journal's line `answer_sent` has, among others, these fields, of which a forger changes one:
#
#     message "7", outcome "OUTCOME_OK", refs (), failed ()
#
# `refs` are the files that the answer cites, and `failed` names the gates (checks of the answer) that
# objected. The lines before say that the model submitted "7", and that all gates accepted it.


@pytest.mark.parametrize(
    "versions",
    [
        pytest.param(None, id="same versions"),
        pytest.param({"gates": "another"}, id="another version of gates"),
    ],
)
@pytest.mark.parametrize(
    ("field", "value", "message_part"),
    [
        pytest.param(
            "message",
            "8",
            "step 2, message: recorded '8', and its other lines imply '7'",
            id="another answer than the one submitted",
        ),
        pytest.param(
            "outcome",
            "OUTCOME_DENIED_SECURITY",
            "step 2, outcome: recorded",
            id="another outcome",
        ),
        pytest.param(
            "refs", ("/other",), "step 2, refs: recorded", id="another cited file"
        ),
        pytest.param(
            "failed",
            ("4",),
            "step 2, failed: recorded",
            id="an objection of gate 4, which had none",
        ),
    ],
)
def test_another_sent_answer_than_the_other_lines_imply_is_an_error(
    field: str,
    value: object,
    message_part: str,
    versions: dict[str, str] | None,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    """What was sent follows from the recorded verdicts, whatever gates say now."""
    change = set_fields("answer_sent", **{field: value})
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions=versions
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.err
    assert message_part in result.err


# `replay --verify` finds no difference in a journal that nobody has changed.
#
# A journal has the scripts that the model wrote in a run, and the results of the calls in them. So a
# replay needs neither a model nor the benchmark: it runs the scripts again, and compares what they
# print and submit with what the journal says:
#
#     controlplane replay sample.jsonl --verify    ->    3 steps: everything is as recorded


def test_the_sample_journal_replays_exactly(tmp_path: Path) -> None:
    """The journal is in the repository: a change of what scripts or gates do shows here."""
    sample_journal = ROOT / "runs/sample.jsonl"
    result = run_in_process("replay", sample_journal, "--verify", cwd=tmp_path)

    assert result.code == 0, result.err
    assert "3 steps: everything is as recorded" in result.out


LEFT_ANSWER = """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.count().number, "OUTCOME_OK"
'''
"""
"""A script that only sets an answer. In the last step of a trial, it is submitted all the same."""


def test_an_answer_that_the_last_script_left_replays_exactly(tmp_path: Path) -> None:
    """The trial has one step. No script submits its answer, so the replay has to."""
    (tmp_path / "script.toml").write_text(LEFT_ANSWER, encoding="utf-8")
    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:1",
        "--max-steps=1",
        "--model=scripted:script.toml",
        cwd=tmp_path,
    )
    assert run.code == 0, run.err

    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == 0, result.out + result.err
    assert "1 step: everything is as recorded" in result.out


# `replay --verify` fails if a forger has changed what a script called, or with which arguments.
#
# A replay runs the scripts of a journal again, and takes the results of their calls from the journal.
# So it knows which calls a script makes, and compares them with the recorded ones: a journal with
# `call.arguments = {"forged": 1}` differs.


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(set_fields("call", arguments={"forged": 1}), id="call.arguments"),
        pytest.param(set_fields("step", calls=()), id="step.calls"),
    ],
)
def test_a_forged_field_that_is_compared_is_a_difference(
    change: Change, journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    """A call and a step have further compared fields, which the other tests forge."""
    forged = forged_copy(journal_of_two_submissions, tmp_path, change)

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out


# `replay --verify` fails if a journal says that a trial ended in another way than its lines show.
#
# A trial ends "answered" if the model's own answer was sent, with a "fallback" if the product sent an
# answer of its own because none of the model's was accepted, and otherwise "unanswered". Here the
# model's answer was sent, and a forger has changed `answer_sent.fallback` or `trial_ended.how`.


@pytest.mark.parametrize(
    "versions",
    [
        pytest.param(None, id="same versions"),
        pytest.param({"gates": "another"}, id="another version of gates"),
    ],
)
@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        pytest.param(
            set_fields("answer_sent", fallback=True),
            "end: recorded 'answered', and its other lines imply 'fallback'",
            id="the answer is called a fallback, the end is not",
        ),
        pytest.param(
            set_fields("trial_ended", how="fallback"),
            "end: recorded 'fallback', and its other lines imply 'answered'",
            id="the end is called a fallback, the answer is not",
        ),
        pytest.param(
            set_fields("trial_ended", how="unanswered"),
            "end: recorded 'unanswered'",
            id="unanswered, despite the answer",
        ),
    ],
)
def test_another_end_than_the_other_lines_imply_is_an_error(
    change: Change,
    message_part: str,
    versions: dict[str, str] | None,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    """How a trial ended follows from its other lines, whatever the gates (checks of an answer)
    would say now."""
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions=versions
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.err
    assert message_part in result.err


# `replay --verify` names the part of the product of which another version recorded the journal.
#
# A user can then tell whether a difference comes from that version, and was not forged:
#
#     under another version of gates
#
# Gates are checks of a submitted answer.


def test_the_other_version_of_a_part_is_named(
    journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    forged = forged_copy(
        journal_of_two_submissions,
        tmp_path,
        change_answer,
        versions={"gates": "another"},
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert "under another version of gates" in result.out


# `replay --verify` of a journal that another version of a part of the product has recorded.
#
# The parts are the gates (checks of answers), what collects the evidence for answers, and the
# sandbox. Today's version may decide otherwise, so a difference proves no forgery. It is reported,
#
#     trial seat-001-t0, step 2, output: recorded "{'answer': '8'}", and now "{'answer': '7'}"
#
# and the command fails only with `--strict`.


@pytest.mark.parametrize("part", ["gates", "evidence", "sandbox"])
@pytest.mark.parametrize(
    ("change", "differences"),
    [
        pytest.param(
            change_answer,
            [
                "trial seat-001-t0, step 1, verdicts",
                "trial seat-001-t0, step 2, verdicts",
            ],
            id="the answer that both steps submit",
        ),
        pytest.param(
            change_output,
            ["trial seat-001-t0, step 2, output"],
            id="the output of step 2",
        ),
    ],
)
def test_under_another_version_of_a_part_a_difference_is_reported_and_no_error(
    change: Change,
    differences: list[str],
    part: str,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions={part: "another"}
    )

    result = run_in_process("replay", forged, "--verify", "--json", cwd=tmp_path)

    assert result.code == 0, result.err
    assert not result.json["agrees"]
    assert result.json["other_versions"] == [part]
    reported = result.json["differences"]
    assert [text.partition(": recorded ")[0] for text in reported] == differences

    strict = run_in_process("replay", forged, "--verify", "--strict", cwd=tmp_path)
    assert strict.code == ReplayDiverged.exit_code


# `replay --verify` fails if a journal differs in one text from what its scripts do when run again.
#
# This is the strict case: the journal says that this version of Python has recorded it, so that even
# the words of an error must be the same. The record, of which one text is changed here:
#
#     step 1   error "KeyError: 'nothing'", and what a gate says of it: "... did not answer"
#     step 2   output "{'answer': '7', ...}"
#
# A gate is a check of a submitted answer, and a verdict is what it says.


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
    change: Change,
    message_part: str,
    journal_of_two_submissions: Path,
    tmp_path: Path,
) -> None:
    """The message names the step and the field. It does not say that another Python is the
    cause."""
    forged = forged_copy(journal_of_two_submissions, tmp_path, change)

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" not in result.out + result.err


# `replay --verify` of a journal that another version of Python has recorded.
#
# Each minor version of Python words some errors in another way. So their texts may differ from
# what the scripts of the journal do now. What a script prints or answers must still be the same.


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change_error_text_of_step, id="error text of a step"),
        pytest.param(change_error_text_of_verdict, id="error text of a verdict"),
    ],
)
def test_under_another_python_error_texts_may_differ(
    change: Change, journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions={"python": "3.99.1"}
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == 0, result.out + result.err
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
    change: Change, message_part: str, journal_of_two_submissions: Path, tmp_path: Path
) -> None:
    """The message also names the other Python, which may be the cause."""
    forged = forged_copy(
        journal_of_two_submissions, tmp_path, change, versions={"python": "3.99.1"}
    )

    result = run_in_process("replay", forged, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" in result.out + result.err
