"""`ask` answers a question from the files of a folder, and prints the line that says it.

    controlplane ask "Until when may loan-02 be kept?" docs

lets a model write scripts that search and read the files. It prints "Until 2026-03-01 [1].", and the
path, the line and the passage of footnote 1. The models in these tests reply with fixed scripts.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask, write_files
from tests.support.command import run_in_process


def test_the_answer_is_printed_with_path_line_and_passage(tmp_path: Path) -> None:
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


def test_an_image_is_named_as_skipped(tmp_path: Path) -> None:
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


def test_show_prints_the_answer_to_the_last_question(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    ask(tmp_path)

    shown = run_in_process("show", "last", cwd=tmp_path)

    assert "Until 2026-03-01 [1]." in shown.out
