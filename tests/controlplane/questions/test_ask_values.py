"""Each value of an answer by `ask` is looked up in the files, and marked if it is in none.

    controlplane ask "Until when may loan-02 be kept?" docs

To this question a model may answer "Until 2026-03-01, for EUR 12,345.67." If the amount is in no
file, and no script has computed it, the user reads "EUR 12,345.67 [unverified]". With `--strict`,
such an answer is a failure.
"""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    scripted_model,
)
from tests.support.command import CommandResult, run_in_process

SUCCESS = 0


def script_that_answers(answer: str) -> str:
    """Return a script of a model that reads loans.md, cites it, and gives this answer."""
    return f"""
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02 names 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


def ask_about_loan(folder: Path, *options: str, answer: str) -> CommandResult:
    """Ask about a file whose line 4 has the date; the model gives this answer."""
    (folder / "docs").mkdir()
    (folder / "docs/loans.md").write_text(
        "# Loans\n\n- loan-02: kept\n  until 2026-03-01.\n"
    )
    model = scripted_model(folder, script_that_answers(answer))
    question = ("ask", "Until when may loan-02 be kept?", "docs", *options)
    return run_in_process(*question, *model, cwd=folder)


class TestFoundValues:
    """The only value of an answer, a date, is in a file."""

    def test_a_value_comes_with_the_place_where_it_was_found(
        self, tmp_path: Path
    ) -> None:
        asked = ask_about_loan(tmp_path, "--json", answer="Until 2026-03-01.")

        assert asked.json["claims"] == [
            {
                "start": len("Until "),
                "end": len("Until 2026-03-01"),
                "kind": "date",
                "text": "2026-03-01",
                "support": "found",
                "source": "docs/loans.md",
                "line": 4,
                "note": "",
            }
        ]

    def test_a_strict_question_succeeds_if_files_contain_all_values(
        self, tmp_path: Path
    ) -> None:
        asked = ask_about_loan(tmp_path, "--strict", answer="Until 2026-03-01.")

        assert asked.code == SUCCESS
        assert "unverified" not in asked.out


class TestInventedValues:
    """An answer also has an amount that is in no file. A name is not a value, so none is marked."""

    def test_a_value_that_no_file_contains_is_marked_unverified(
        self, tmp_path: Path
    ) -> None:
        """The answer counts all the same, and the model is not asked about the value."""
        asked = ask_about_loan(
            tmp_path,
            answer="Until 2026-03-01, says Nowak Trading AG, for EUR 12,345.67.",
        )

        assert asked.code == SUCCESS, asked.err
        assert "says Nowak Trading AG, for EUR 12,345.67 [unverified]." in asked.out
        assert "unverified: 12,345.67" in asked.out
        assert "changed: nothing" in asked.out
        assert "questioned" not in asked.out

    def test_show_and_report_work_for_an_answer_with_an_unverified_value(
        self, tmp_path: Path
    ) -> None:
        ask_about_loan(tmp_path, answer="Until 2026-03-01, for EUR 12,345.67.")

        shown = run_in_process("show", "last", cwd=tmp_path)
        reported = run_in_process("report", "last", "-o", "r.html", cwd=tmp_path)

        assert "12,345.67 [unverified]" in shown.out
        assert reported.code == SUCCESS, reported.err

    def test_a_strict_question_fails_if_no_file_contains_a_value(
        self, tmp_path: Path
    ) -> None:
        """The model is not asked to mend its answer, so there is only one step."""
        asked = ask_about_loan(
            tmp_path,
            "--strict",
            "--json",
            answer="Until 2026-03-01, for EUR 12,345.67.",
        )

        assert asked.code == A_QUESTION_FAILED
        assert asked.json["steps"] == 1
        supports = {claim["text"]: claim["support"] for claim in asked.json["claims"]}
        assert supports == {"2026-03-01": "found", "12,345.67": "missing"}


READ_AND_SUM_UP = """
header, *rows = harness.read("/fees.csv").content.splitlines()
total = sum(float(row.split(",")[1]) ** 2 for row in rows)
"""

SUBMIT = """
scratchpad.cite("/fees.csv", "the fees of all loans")
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["facts"] = {"sum": {"value": "270.11", "confidence": "derived", "source": "/fees.csv"}}
harness.answer(scratchpad, lambda sp: "squares" in sp["answer"])
"""


@pytest.mark.parametrize(
    "scripts",
    [
        pytest.param(
            [
                READ_AND_SUM_UP
                + 'scratchpad["answer"] = f"The squares sum up to {total:.2f}."'
                + SUBMIT
            ],
            id="inserted by the script",
        ),
        pytest.param(
            [
                READ_AND_SUM_UP + "print(total)",
                'scratchpad["answer"] = "The squares sum up to 270.11."' + SUBMIT,
            ],
            id="typed after the step before has printed it",
        ),
    ],
)
def test_what_scripts_compute_is_marked_as_computed(
    scripts: list[str], tmp_path: Path
) -> None:
    """The sum of the squares of all fees is in no file. In `facts`, a model says from where it has
    a value."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/fees.csv").write_text("loan,fee\nL-1,7.35\nL-2,14.70\n")
    model = scripted_model(tmp_path, *scripts)

    question = ("ask", "What is the sum of squares?", "docs", "--json")
    asked = run_in_process(*question, *model, cwd=tmp_path)

    (claim,) = asked.json["claims"]
    assert claim["text"] == "270.11"  # 7.35 ** 2 + 14.70 ** 2
    assert claim["support"] == "computed"
