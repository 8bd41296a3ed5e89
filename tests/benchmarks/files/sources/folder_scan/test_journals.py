"""Journals of earlier questions in a folder. They are left out, unless the user asks about them.

A journal, `20261124-210308-files-614c.jsonl`, has an earlier question with its answer. It is
written to a folder `runs`, together with the schema of its lines.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from tests.benchmarks.files.opened_files import write_files


@pytest.fixture
def folder_with_journals(tmp_path: Path) -> Path:
    """A folder whose subfolder `runs` has the journal of an earlier question, and its schema."""
    write_files(
        tmp_path,
        {
            "runs/20261124-210308-files-614c.jsonl": "...",
            "runs/journal-3.schema.json": "{}",
            "a.md": "x",
        },
    )
    return tmp_path


def test_journals_of_earlier_questions_are_left_out(folder_with_journals: Path) -> None:
    """Otherwise the answer to an earlier question would be evidence for the next one."""
    sources = find_sources(folder_with_journals)

    assert list(sources) == ["/a.md"]
    assert sources.left_out["journals of runs"] == ["/runs"]


def test_journals_are_sources_if_the_user_names_their_folder(
    folder_with_journals: Path,
) -> None:
    """The question is about the subfolder `runs`, or names it."""
    sources_of_subfolder = find_sources(folder_with_journals / "runs")
    sources_by_name = find_sources(folder_with_journals, ["runs"])

    assert "/20261124-210308-files-614c.jsonl" in sources_of_subfolder
    assert "/runs/20261124-210308-files-614c.jsonl" in sources_by_name


def test_folder_with_only_the_schema_of_journals_is_not_left_out(
    tmp_path: Path,
) -> None:
    """Such a folder has no journal, so that nothing would be evidence for itself."""
    write_files(tmp_path, {"journal/journal-3.schema.json": "{}"})

    assert list(find_sources(tmp_path)) == ["/journal/journal-3.schema.json"]
