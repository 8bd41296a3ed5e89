"""`replay --verify` checks a journal by running its scripts again.

The journal has the model's scripts and the results of their calls. So a replay needs neither a
model nor the benchmark: it computes again what the scripts printed, their errors, and what the
gates (checks of a submitted answer) said, and reports what differs from the record:

    step 2, output: recorded "{'answer': '8'}", and now "{'answer': '7'}"

The tests change a journal as a forger would, by `forged_copy(journal, folder, change_output)`.
"""

from pathlib import Path

import pytest

from controlplane.errors import ReplayDiverged
from tests.controlplane.commands.forged_copies import (
    Change,
    change_answer,
    change_error_text_of_step,
    change_error_text_of_verdict,
    change_output,
    forged_copy,
    set_fields,
)
from tests.support.command import ROOT, CommandResult, run_in_process

SUCCESS = 0
"""The exit code of a command that did what it was asked for."""


def test_the_sample_journal_replays_exactly(tmp_path: Path) -> None:
    """The journal is in the repository: a change of what scripts or gates do shows here."""
    # A journal in the repository: one trial of three steps, calendar-date.1.
    sample_journal = ROOT / "runs/sample.jsonl"
    result = run_in_process("replay", sample_journal, "--verify", cwd=tmp_path)

    assert result.code == SUCCESS, result.err
    assert "3 steps: everything is as recorded" in result.out


def verify(journal: Path, *options: str) -> CommandResult:
    """Run `replay JOURNAL --verify`."""
    return run_in_process("replay", journal, "--verify", *options, cwd=journal.parent)


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
        *("--benchmark", "tests.support.many_trials:1", "--max-steps", "1"),
        *("--model", "scripted:script.toml"),
        cwd=tmp_path,
    )
    assert run.code == SUCCESS, run.err

    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    result = verify(journal)

    assert result.code == SUCCESS, result.out + result.err
    assert "1 step: everything is as recorded" in result.out


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


@pytest.fixture(scope="module")
def journal_of_two_submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial, in which the model replies with `TWO_SUBMISSIONS`."""
    folder = tmp_path_factory.mktemp("two-submissions")
    (folder / "script.toml").write_text(TWO_SUBMISSIONS, encoding="utf-8")
    benchmark = ("--benchmark", "tests.support.many_trials:1")
    run = run_in_process(
        "run", *benchmark, "--model", "scripted:script.toml", cwd=folder
    )
    assert run.code == SUCCESS
    (journal,) = (folder / "runs").glob("*.jsonl")
    return journal


class TestSamePython:
    """The journal says that this Python has recorded it: every difference is an error.

    One text is changed in the journal of two submissions, which has this record:

        step 1   error "KeyError: 'nothing'", and what a gate says of it: "... did not answer"
        step 2   output "{'answer': '7', ...}"

    Running the two scripts again gives the original texts.
    """

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
        self,
        change: Change,
        message_part: str,
        journal_of_two_submissions: Path,
        tmp_path: Path,
    ) -> None:
        """The message names the step and the field. It does not say that another Python is the
        cause."""
        forged = forged_copy(journal_of_two_submissions, tmp_path, change)

        result = verify(forged)

        assert result.code == ReplayDiverged.exit_code, result.out + result.err
        assert message_part in result.out + result.err
        assert "recorded under Python" not in result.out + result.err


OTHER_PYTHON = {"python": "3.99.1"}


class TestAnotherPython:
    """The journal says that Python 3.99.1 has recorded it: texts of errors may differ.

    Each minor version of Python words some errors in another way. What a script prints, or
    what it answers, must still be the same.
    """

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(change_error_text_of_step, id="error text of a step"),
            pytest.param(change_error_text_of_verdict, id="error text of a verdict"),
        ],
    )
    def test_under_another_python_error_texts_may_differ(
        self, change: Change, journal_of_two_submissions: Path, tmp_path: Path
    ) -> None:
        """Each minor version of Python changes the texts of some errors."""
        forged = forged_copy(
            journal_of_two_submissions, tmp_path, change, versions=OTHER_PYTHON
        )

        result = verify(forged)

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
        self,
        change: Change,
        message_part: str,
        journal_of_two_submissions: Path,
        tmp_path: Path,
    ) -> None:
        """The message also names the other Python, which may be the cause."""
        forged = forged_copy(
            journal_of_two_submissions, tmp_path, change, versions=OTHER_PYTHON
        )

        result = verify(forged)

        assert result.code == ReplayDiverged.exit_code, result.out + result.err
        assert message_part in result.out + result.err
        assert "recorded under Python" in result.out + result.err


class TestAnotherVersionOfAPart:
    """The journal says that another version of a part of the product has recorded it.

    Today's version may decide otherwise, so a difference proves no forgery, and is reported.
    The parts are the gates, what collects the evidence for answers, and the sandbox.
    """

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
        self,
        change: Change,
        differences: list[str],
        part: str,
        journal_of_two_submissions: Path,
        tmp_path: Path,
    ) -> None:
        """The command fails only with `--strict`.

        `differences` are the beginnings of what is reported: "trial seat-001-t0, step 2, output:
        recorded ...".
        """
        other_version = {part: "another"}
        forged = forged_copy(
            journal_of_two_submissions, tmp_path, change, versions=other_version
        )

        result = verify(forged, "--json")

        assert result.code == SUCCESS, result.err
        assert not result.json["agrees"]
        assert result.json["other_versions"] == [part]
        reported = result.json["differences"]
        assert [text.partition(": recorded ")[0] for text in reported] == differences
        assert verify(forged, "--strict").code == ReplayDiverged.exit_code

    def test_the_other_version_of_a_part_is_named(
        self, journal_of_two_submissions: Path, tmp_path: Path
    ) -> None:
        """The journal says that it was recorded with another version of the gates."""
        forged = forged_copy(
            journal_of_two_submissions,
            tmp_path,
            change_answer,
            versions={"gates": "another"},
        )

        result = verify(forged)

        assert "under another version of gates" in result.out


class TestContradictions:
    """Lines of a journal that contradict each other are an error under any version.

    A forger has changed one of these two lines, which no longer fits the other lines:

        answer_sent   step 2, message "7", outcome "OUTCOME_OK", refs (), fallback False, failed
    ()
        trial_ended   how "answered"

    `failed` names gates that objected. A fallback is the product's own answer, which it sends
    if none of the model's was accepted.
    """

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
                set_fields("answer_sent", message="8"),
                "step 2, message: recorded '8', and its other lines imply '7'",
                id="another answer than the one submitted",
            ),
            pytest.param(
                set_fields("answer_sent", outcome="OUTCOME_DENIED_SECURITY"),
                "step 2, outcome: recorded",
                id="another outcome",
            ),
            pytest.param(
                set_fields("answer_sent", refs=("/other",)),
                "step 2, refs: recorded",
                id="another cited file",
            ),
            pytest.param(
                set_fields("answer_sent", fallback=True),
                "end: recorded 'answered', and its other lines imply 'fallback'",
                id="the answer is called a fallback, the end is not",
            ),
            pytest.param(
                set_fields("answer_sent", failed=("4",)),
                "step 2, failed: recorded",
                id="an objection of gate 4, which had none",
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
    def test_lines_that_contradict_each_other_are_errors_under_any_version(
        self,
        change: Change,
        message_part: str,
        versions: dict[str, str] | None,
        journal_of_two_submissions: Path,
        tmp_path: Path,
    ) -> None:
        """What was sent follows from the recorded verdicts, whatever gates say now."""
        forged = forged_copy(
            journal_of_two_submissions, tmp_path, change, versions=versions
        )

        result = verify(forged)

        assert result.code == ReplayDiverged.exit_code, result.err
        assert message_part in result.err


class TestForgedCalls:
    """A forger has changed what a script called, and with which arguments.

    A replay runs the scripts again, and takes the results of calls from the journal. So it knows
    which calls a script makes, and compares them with the recorded ones.
    """

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(
                set_fields("call", arguments={"forged": 1}), id="call.arguments"
            ),
            pytest.param(set_fields("step", calls=()), id="step.calls"),
        ],
    )
    def test_a_forged_field_that_is_compared_is_a_difference(
        self, change: Change, journal_of_two_submissions: Path, tmp_path: Path
    ) -> None:
        """A call and a step have further compared fields, which the other tests forge."""
        forged = forged_copy(journal_of_two_submissions, tmp_path, change)

        result = verify(forged)

        assert result.code == ReplayDiverged.exit_code, result.out
