"""An answer of `ask` that cites an old version of a file comes with a note about the newer one.

By their names, loans-2025.md is a newer version of loans-2023.md.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import ask, write_files

CITE_OLD_VERSION = """
harness.read("/loans-2023.md")
scratchpad.cite("/loans-2023.md", "the line on loan-02 names 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


def test_a_citation_of_an_old_version_comes_with_a_note(tmp_path: Path) -> None:
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
    tmp_path: Path,
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
