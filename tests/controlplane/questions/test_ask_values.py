"""Each value of an answer by `ask` is looked up in the files, and marked if it is in none.

To "Until when may loan-02 be kept?" a model may answer "Until 2026-03-01, for EUR 12,345.67." The
date is in docs/loans.md. The amount is in no file, and no script has computed it, so the user reads
"EUR 12,345.67 [unverified]". With `--strict`, such an answer is a failure.
"""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ANSWER,
    ask,
    scripted_model,
)
from tests.support.command import run_in_process

SUCCESS = 0


class TestFoundValues:
    """The answer is "Until 2026-03-01.", and the date is in line 4 of docs/loans.md.

    The file is in `loan_folder`. `ANSWER` is the script that gives this answer.
    """

    def test_a_value_comes_with_the_place_where_it_was_found(
        self, loan_folder: Path
    ) -> None:
        """`start` and `end` are the place of the value in the answer, from 0."""
        asked = ask(loan_folder, "--json", script=ANSWER)

        assert asked.json["claims"] == [
            {
                "start": 6,
                "end": 16,
                "kind": "date",
                "text": "2026-03-01",
                "support": "found",
                "source": "docs/loans.md",
                "line": 4,
                "note": "",
            }
        ]

    def test_a_strict_question_succeeds_if_files_contain_all_values(
        self, loan_folder: Path
    ) -> None:
        """The answer has one value, the date."""
        asked = ask(loan_folder, "--strict", script=ANSWER)

        assert asked.code == SUCCESS
        assert "unverified" not in asked.out


ANSWER_WITH_INVENTED_VALUES = """
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01, says Nowak Trading AG, for EUR 12,345.67."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Answers with the date, which is in a file, and with a name and an amount, which are not."""


class TestInventedValues:
    """An answer also has "Nowak Trading AG" and "EUR 12,345.67", which are in no file.

    An amount is a value that is looked up; a name is not. The files are those of
    `loan_folder`, of which docs/loans.md has the date.
    """

    def test_a_value_that_no_file_contains_is_marked_unverified(
        self, loan_folder: Path
    ) -> None:
        """The answer counts all the same."""
        asked = ask(loan_folder, script=ANSWER_WITH_INVENTED_VALUES)

        assert asked.code == SUCCESS, asked.err
        assert "says Nowak Trading AG, for EUR 12,345.67 [unverified]." in asked.out
        assert "unverified: 12,345.67" in asked.out
        assert "changed: nothing" in asked.out
        assert "questioned" not in asked.out  # The model was not asked about it.

    def test_show_and_report_work_for_an_answer_with_an_unverified_value(
        self, loan_folder: Path
    ) -> None:
        ask(loan_folder, script=ANSWER_WITH_INVENTED_VALUES)

        shown = run_in_process("show", "last", cwd=loan_folder)
        reported = run_in_process("report", "last", "-o", "r.html", cwd=loan_folder)

        assert "12,345.67 [unverified]" in shown.out
        assert reported.code == SUCCESS, reported.err

    def test_a_strict_question_fails_if_no_file_contains_a_value(
        self, loan_folder: Path
    ) -> None:
        """The model is not asked to mend its answer, so there is only one step."""
        asked = ask(
            loan_folder, "--strict", "--json", script=ANSWER_WITH_INVENTED_VALUES
        )

        assert asked.code == A_QUESTION_FAILED
        assert asked.json["steps"] == 1
        missing = []
        for claim in asked.json["claims"]:
            if claim["support"] == "missing":
                missing.append(claim["text"])
        assert missing == ["12,345.67"]


FEES = "".join(f"L-{number},{number * 7.35:.2f}\n" for number in range(1, 90))
"""The lines of a file with the fees of 89 loans: `L-1,7.35`, `L-2,14.70`, `L-3,22.05`, ..."""

SUM_UP_SQUARES = """
rows = [line.split(",") for line in harness.read("/fees.csv").content.splitlines()[1:]]
total = sum(float(row[1]) ** 2 for row in rows)
"""
"""Sums up the squares of all fees. The sum is 12909486.71."""

ANSWER_WITH_SUM = """
scratchpad.cite("/fees.csv", "the fees of all loans")
scratchpad["answer"] = f"The squares sum up to {total:.2f}."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["facts"] = {"sum": {"value": f"{total:.2f}", "confidence": "derived", "source": "/fees.csv"}}
harness.answer(scratchpad, lambda sp: "squares" in sp["answer"])
"""
"""Puts the sum into the answer. In `facts`, the model says from where it has a value."""

ANSWER_WITH_TYPED_SUM = ANSWER_WITH_SUM.replace("{total:.2f}", "12909486.71")
"""Has the number as text: the model has seen it printed in the step before."""


class TestComputedValues:
    """A script sums up the squares of the fees in fees.csv, and the sum is in the answer.

    The answer is "The squares sum up to 12909486.71." The number is in no file. The file is
    written into `loan_folder`.
    """

    @pytest.mark.parametrize(
        "scripts",
        [
            pytest.param(
                [SUM_UP_SQUARES + ANSWER_WITH_SUM], id="inserted by the script"
            ),
            pytest.param(
                [SUM_UP_SQUARES + "print(total)", ANSWER_WITH_TYPED_SUM],
                id="typed after it was printed",
            ),
        ],
    )
    def test_what_scripts_compute_is_marked_as_computed(
        self, scripts: list[str], loan_folder: Path
    ) -> None:
        """A script has computed it from a file: in the step of the answer, or in the one before."""
        (loan_folder / "docs/fees.csv").write_text("loan,fee\n" + FEES)
        model = scripted_model(loan_folder, *scripts)

        question = ("ask", "What is the sum of squares?", "docs", "--json")
        asked = run_in_process(*question, *model, cwd=loan_folder)

        (claim,) = asked.json["claims"]
        assert claim["support"] == "computed"
