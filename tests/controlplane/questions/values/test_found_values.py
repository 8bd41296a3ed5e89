"""Each value of an answer by `ask` is looked up in the files, and comes with its place.

To "Until when may loan-02 be kept?", a model answers "Until 2026-03-01." The date is in a file:

    {"text": "2026-03-01", "support": "found", "source": "docs/loans.md", "line": 2, ...}
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask, write_files
from tests.controlplane.questions.values.answering_scripts import script_that_answers


def test_a_value_comes_with_the_place_where_it_was_found(tmp_path: Path) -> None:
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


def test_a_strict_question_succeeds_if_files_contain_all_values(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers("Until 2026-03-01.")

    asked = ask(tmp_path, "--strict", script=script)

    assert asked.code == 0
    assert "unverified" not in asked.out
