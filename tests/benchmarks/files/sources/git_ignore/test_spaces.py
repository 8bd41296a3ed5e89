"""Rules of a `.gitignore` file for a name with a space, which may have a backslash before it.

The folder has the files `a.md` and `e f.md`, and only `a.md` is read for a question.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from tests.benchmarks.files.opened_files import write_files


@pytest.mark.parametrize(
    "rules",
    ["e\\ f.md", "e f.md", "e\\ f.md\ne f.md"],
)
def test_a_rule_may_have_a_space_with_or_without_a_backslash(
    tmp_path: Path, rules: str
) -> None:
    write_files(tmp_path, {"a.md": "x", "e f.md": "x", ".gitignore": rules})

    assert set(find_sources(tmp_path)) == {"/a.md"}
