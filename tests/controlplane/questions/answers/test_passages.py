"""Of a quoted passage of two lines, a footnote names the line of the value, a citation the first.

The model answers "Until 2026-03-01." and quotes "Kept  until 2026-03-01" for this value, a date. In
the file docs/loans.md, the passage begins in line 2, and the date is in line 3:

    1   until 2026-03-01: loan-07
    2   - loan-02: kept
    3     until 2026-03-01.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask, write_files

LOANS = "until 2026-03-01: loan-07\n- loan-02: kept\n  until 2026-03-01.\n"

ANSWER_WITH_PASSAGE = """
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""A script of the model, for which the folder docs is `/`. Its quotation has another capital letter
and other blanks than the file. The lambda is a check of the answer, which the product wants."""


def test_a_footnote_names_the_line_of_the_value_inside_the_passage(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/loans.md": LOANS})

    asked = ask(tmp_path, script=ANSWER_WITH_PASSAGE)

    assert asked.out.startswith(
        "Until 2026-03-01 [1].\n"
        "\n"
        "  [1] docs/loans.md:3\n"  # the date
        "\n"
        "  docs/loans.md:2\n"  # the quotation
        "    > Kept  until 2026-03-01\n"
    )


def test_a_citation_as_json_names_the_line_in_which_the_passage_begins(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/loans.md": LOANS})

    asked = ask(tmp_path, "--json", script=ANSWER_WITH_PASSAGE)

    assert asked.err == ""
    assert asked.json["status"] == "answered"
    assert asked.json["citations"] == [
        {
            "path": "docs/loans.md",
            "line": 2,
            "quote": "Kept  until 2026-03-01",
            "reason": "the line on loan-02 names 2026-03-01",
        }
    ]
