"""Each value of an answer by `ask` is looked up in the files, and marked if it is in none.

    controlplane ask "Until when may loan-02 be kept?" docs

To this question a model may answer "Until 2026-03-01, for EUR 12,345.67." If the amount is in no
file, and no script has computed it, the user reads "EUR 12,345.67 [unverified]". With `--strict`,
such an answer is a failure.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ask,
    scripted_model,
    write_files,
)
from tests.support.command import run_in_process

SUCCESS = 0


def script_that_answers(answer: str) -> str:
    """Return a script of a model that reads loans.md, cites it, and gives this answer."""
    return f"""
harness.read("/loans.md")
scratchpad.cite("/loans.md", "loan-02 is kept until 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


class TestFoundValues:
    """The only value of an answer, a date, is in a file."""

    def test_a_value_comes_with_the_place_where_it_was_found(
        self, tmp_path: Path
    ) -> None:
        write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
        script = script_that_answers("Until 2026-03-01.")

        asked = ask(tmp_path, "--json", script=script)

        assert asked.json["claims"] == [
            {
                "start": len("Until "),
                "end": len("Until 2026-03-01"),
                "kind": "date",
                "text": "2026-03-01",
                "support": "found",
                "source": "docs/loans.md",
                "line": 2,
                "note": "",
            }
        ]

    def test_a_strict_question_succeeds_if_files_contain_all_values(
        self, tmp_path: Path
    ) -> None:
        write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
        script = script_that_answers("Until 2026-03-01.")

        asked = ask(tmp_path, "--strict", script=script)

        assert asked.code == SUCCESS
        assert "unverified" not in asked.out


class TestInventedValues:
    """An answer also has an amount that is in no file. A name is not a value, so none is marked."""

    def test_a_value_that_no_file_contains_is_marked_unverified(
        self, tmp_path: Path
    ) -> None:
        """The answer counts all the same, and the model is not asked about the value."""
        write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
        script = script_that_answers(
            "Until 2026-03-01, says Nowak Trading AG, for EUR 12,345.67."
        )

        asked = ask(tmp_path, script=script)

        assert asked.code == SUCCESS, asked.err
        assert "says Nowak Trading AG, for EUR 12,345.67 [unverified]." in asked.out
        assert "unverified: 12,345.67" in asked.out
        assert "changed: nothing" in asked.out
        assert "questioned" not in asked.out

    def test_show_and_report_work_for_an_answer_with_an_unverified_value(
        self, tmp_path: Path
    ) -> None:
        write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
        script = script_that_answers("Until 2026-03-01, for EUR 12,345.67.")
        ask(tmp_path, script=script)

        shown = run_in_process("show", "last", cwd=tmp_path)
        reported = run_in_process("report", "last", "-o", "r.html", cwd=tmp_path)

        assert "12,345.67 [unverified]" in shown.out
        assert reported.code == SUCCESS, reported.err

    def test_a_strict_question_fails_if_no_file_contains_a_value(
        self, tmp_path: Path
    ) -> None:
        """The model is not asked to mend its answer, so there is only one step."""
        write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
        script = script_that_answers("Until 2026-03-01, for EUR 12,345.67.")

        asked = ask(tmp_path, "--strict", "--json", script=script)

        assert asked.code == A_QUESTION_FAILED
        assert asked.json["steps"] == 1
        supports = {claim["text"]: claim["support"] for claim in asked.json["claims"]}
        assert supports == {"2026-03-01": "found", "12,345.67": "missing"}


class TestComputedValues:
    """An answer has the product of two numbers of a file, which is itself in no file."""

    def test_a_value_that_a_script_inserts_is_marked_as_computed(
        self, tmp_path: Path
    ) -> None:
        write_files(tmp_path, {"docs/fee.txt": "23 days at 7.35"})
        model = scripted_model(
            tmp_path,
            """
days, _days, _at, fee = harness.read("/fee.txt").content.split()
scratchpad["answer"] = f"It costs {int(days) * float(fee):.2f}."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/fee.txt", "23 days at 7.35")
harness.answer(scratchpad, lambda sp: "169.05" in sp["answer"])
""",
        )

        question = ("ask", "What does the loan cost?", "docs", "--json")
        asked = run_in_process(*question, *model, cwd=tmp_path)

        (claim,) = asked.json["claims"]
        assert claim["text"] == "169.05"  # 23 * 7.35
        assert claim["support"] == "computed"

    def test_a_value_that_the_model_types_after_a_script_printed_it_is_computed(
        self, tmp_path: Path
    ) -> None:
        """In `facts`, the model says from where it has the value."""
        write_files(tmp_path, {"docs/fee.txt": "23 days at 7.35"})
        model = scripted_model(
            tmp_path,
            """
days, _days, _at, fee = harness.read("/fee.txt").content.split()
print(int(days) * float(fee))
""",
            """
scratchpad["answer"] = "It costs 169.05."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/fee.txt", "23 days at 7.35")
scratchpad["facts"] = {
    "cost": {"value": "169.05", "confidence": "derived", "source": "/fee.txt"}
}
harness.answer(scratchpad, lambda sp: "169.05" in sp["answer"])
""",
        )

        question = ("ask", "What does the loan cost?", "docs", "--json")
        asked = run_in_process(*question, *model, cwd=tmp_path)

        (claim,) = asked.json["claims"]
        assert claim["text"] == "169.05"  # 23 * 7.35
        assert claim["support"] == "computed"
