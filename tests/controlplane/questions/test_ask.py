"""`ask` answers a question from the files of a folder, and cites them.

`controlplane ask "Until when may loan-02 be kept?" docs` lets a model write scripts that search and
read the files, and prints "Until 2026-03-01 [1]." with the line that says so. The models in these
tests reply with fixed scripts.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.questions.asked_question import ask, write_files
from tests.support.command import check_error_line, run_in_process


class TestPrintedAnswers:
    """The answer is printed with the path, the line and the passage that say it."""

    def test_the_answer_is_printed_with_path_line_and_passage(
        self, tmp_path: Path
    ) -> None:
        write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})

        asked = ask(tmp_path, sources=("docs",))

        assert asked.code == 0, asked.err
        assert asked.out.startswith(
            "Until 2026-03-01 [1].\n"
            "\n"
            "  [1] docs/loans.md:1\n"
            "\n"
            "  docs/loans.md:1\n"
            "    > until 2026-03-01\n"
        )

    def test_an_image_is_named_as_skipped(self, tmp_path: Path) -> None:
        """The question is about a folder and a single file outside of it."""
        write_files(
            tmp_path,
            {
                "docs/loans.md": "- loan-02: kept until 2026-03-01.\n",
                "docs/logo.png": "\0",
                "notes.md": "nothing\n",
            },
        )

        asked = ask(tmp_path, sources=("docs", "notes.md"))

        assert asked.code == 0, asked.err
        assert "[1] docs/loans.md:1\n" in asked.out
        assert "skipped: binary (docs/logo.png)\n" in asked.err

    def test_show_prints_the_answer_to_the_last_question(self, tmp_path: Path) -> None:
        write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
        ask(tmp_path)

        shown = run_in_process("show", "last", cwd=tmp_path)

        assert "Until 2026-03-01 [1]." in shown.out


ANSWER_WITH_PASSAGE = """
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Quotes a passage with another capital letter and other blanks than the file has."""


class TestPassages:
    """A model quotes a passage of two lines: 2 and 3. The date is in line 3, and in line 1, too."""

    def test_a_footnote_names_the_line_of_the_value_inside_the_passage(
        self, tmp_path: Path
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
        self, tmp_path: Path
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


CITE_OLD_VERSION = """
harness.read("/loans-2023.md")
scratchpad.cite("/loans-2023.md", "the line on loan-02 names 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


class TestOldVersions:
    """An answer cites loans-2023.md, and by their names loans-2025.md is a newer version."""

    def test_a_citation_of_an_old_version_comes_with_a_note(
        self, tmp_path: Path
    ) -> None:
        write_files(
            tmp_path,
            {
                "docs/loans-2023.md": "- loan-02: kept until 2026-03-01.\n",
                "docs/loans-2025.md": "- loan-02: kept until 2026-03-01.\n",
            },
        )

        asked = ask(tmp_path, script=CITE_OLD_VERSION)

        assert (
            "(There is a newer version of docs/loans-2023.md: docs/loans-2025.md)"
        ) in asked.out

    def test_a_citation_of_an_old_version_and_the_newer_one_has_no_note(
        self, tmp_path: Path
    ) -> None:
        """The reader sees both versions."""
        write_files(
            tmp_path,
            {
                "docs/loans-2023.md": "- loan-02: kept until 2026-03-01.\n",
                "docs/loans-2025.md": "- loan-02: kept until 2026-03-01.\n",
            },
        )
        cite_new_version = """
harness.read("/loans-2025.md")
scratchpad.cite("/loans-2025.md", "the line on loan-02")
"""

        asked = ask(tmp_path, script=cite_new_version + CITE_OLD_VERSION)

        assert asked.code == 0, asked.err
        assert "newer version" not in asked.out


@pytest.mark.parametrize(
    ("words", "message_part"),
    [
        pytest.param(("docs",), "ask needs a model", id="no model"),
        pytest.param(
            ("gone", "--model", "x"), "gone: No such file", id="a missing folder"
        ),
        pytest.param(
            ("docs", "--apply"), "--apply needs --write", id="apply without write"
        ),
        pytest.param(
            ("docs", "--write", "notes.md"), "it is a file", id="write to a file"
        ),
        pytest.param(
            ("--continue", "--model", "x"),
            "no question was asked yet",
            id="continue without a question before",
        ),
        pytest.param(
            ("docs/logo.png", "--model", "scripted:none.toml"),
            "no text file",
            id="an image as the only source",
        ),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_in_one_line(
    tmp_path: Path, words: tuple[str, ...], message_part: str
) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/logo.png": "\0"})
    write_files(tmp_path, {"notes.md": "nothing\n"})

    refused = run_in_process("ask", "why?", *words, cwd=tmp_path)

    check_error_line(refused, UsageError.exit_code, message_part)
