"""An answer of `ask` quotes a passage of two lines, and a footnote names the line of the value.

The passage is in lines 2 and 3 of docs/loans.md. The date is in line 3, and in line 1, too:

    Until 2026-03-01 [1].    ->    [1] docs/loans.md:3
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask, write_files

ANSWER_WITH_PASSAGE = """
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Quotes a passage with another capital letter and other blanks than the file has."""


def test_a_footnote_names_the_line_of_the_value_inside_the_passage(
    tmp_path: Path,
) -> None:
    text = "until 2026-03-01: loan-07\n- loan-02: kept\n  until 2026-03-01.\n"
    write_files(tmp_path, {"docs/loans.md": text})

    asked = ask(tmp_path, script=ANSWER_WITH_PASSAGE)

    assert asked.out.startswith(
        "Until 2026-03-01 [1].\n"
        "\n"
        "  [1] docs/loans.md:3\n"
        "\n"
        "  docs/loans.md:2\n"
        "    > Kept  until 2026-03-01\n"
    )


def test_a_citation_as_json_names_the_line_in_which_the_passage_begins(
    tmp_path: Path,
) -> None:
    text = "until 2026-03-01: loan-07\n- loan-02: kept\n  until 2026-03-01.\n"
    write_files(tmp_path, {"docs/loans.md": text})

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
