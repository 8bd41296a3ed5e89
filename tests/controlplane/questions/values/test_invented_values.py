"""A value of an answer by `ask` that is in no file is marked as unverified.

To "Until when may loan-02 be kept?", a model answers "Until 2026-03-01, for EUR 12,345.67." If the
amount is in no file, and no script has computed it, the user reads "EUR 12,345.67 [unverified]". With
`--strict`, such an answer is a failure. A name is not a value, so none is marked.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ask,
    write_files,
)
from tests.controlplane.questions.values.answering_scripts import script_that_answers
from tests.support.command import run_in_process


def test_a_value_that_no_file_contains_is_marked_unverified(tmp_path: Path) -> None:
    """The answer counts all the same, and the model is not asked about the value."""
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers(
        "Until 2026-03-01, says Nowak Trading AG, for EUR 12,345.67."
    )

    asked = ask(tmp_path, script=script)

    assert asked.code == 0, asked.err
    assert "says Nowak Trading AG, for EUR 12,345.67 [unverified]." in asked.out
    assert "unverified: 12,345.67" in asked.out
    assert "changed: nothing" in asked.out
    assert "questioned" not in asked.out


def test_show_and_report_work_for_an_answer_with_an_unverified_value(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers("Until 2026-03-01, for EUR 12,345.67.")
    ask(tmp_path, script=script)

    shown = run_in_process("show", "last", cwd=tmp_path)
    reported = run_in_process("report", "last", "-o", "r.html", cwd=tmp_path)

    assert "12,345.67 [unverified]" in shown.out
    assert reported.code == 0, reported.err


def test_a_strict_question_fails_if_no_file_contains_a_value(tmp_path: Path) -> None:
    """The model is not asked to mend its answer, so there is only one step."""
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers("Until 2026-03-01, for EUR 12,345.67.")

    asked = ask(tmp_path, "--strict", "--json", script=script)

    assert asked.code == A_QUESTION_FAILED
    assert asked.json["steps"] == 1
    supports = {claim["text"]: claim["support"] for claim in asked.json["claims"]}
    assert supports == {"2026-03-01": "found", "12,345.67": "missing"}
