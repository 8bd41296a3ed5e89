"""Rules of a `.gitignore` file: the files that git ignores are left out of a question.

The files are `a.md`, `b/a.md`, `b/keep.md`, `b/c/a.md`, `build/x.md`, `c/build/y.md`, and three
with a sign at the beginning: `#h.md`, `!i.md` and `[q].md`. The expected files are those that git
itself ignores.
"""

from pathlib import Path

import pytest

from tests.benchmarks.files.sources.git_ignore.ignored_files import FILES, ignored_files


@pytest.mark.parametrize(
    ("rules", "expected_files"),
    [
        pytest.param(
            "build/\n# a.md\n\n",
            {"build/x.md", "c/build/y.md"},
            id="folder of any level, and a comment",
        ),
        pytest.param(
            "/build\n/a.md", {"build/x.md", "a.md"}, id="only on the first level"
        ),
        pytest.param(
            "*\n!*/\n!keep.md", FILES - {"b/keep.md"}, id="everything but one name"
        ),
        pytest.param(
            "b/**\n!b/keep.md\nbuild",
            {"b/a.md", "b/c/a.md", "build/x.md", "c/build/y.md"},
            id="content of a folder but one file",
        ),
        pytest.param(
            "b/*\n!b/c/",
            {"b/a.md", "b/keep.md"},
            id="content of a folder but one subfolder",
        ),
        pytest.param(
            "b/\n!b/keep.md",
            {"b/a.md", "b/keep.md", "b/c/a.md"},
            id="file of an ignored folder is not taken back",
        ),
        pytest.param(
            "\\#h.md\n\\!i.md\n\\[q].md",
            {"#h.md", "!i.md", "[q].md"},
            id="signs with a meaning of their own, escaped by a backslash",
        ),
        pytest.param(
            "**/a.md\r\n\\!i.md  \n\\[q].md",
            {"a.md", "b/a.md", "b/c/a.md", "!i.md", "[q].md"},
            id="line break of Windows, and blanks at the end of a rule",
        ),
        pytest.param(
            "[!ab]*\n[^a]*/\nb/**/a.md", FILES - {"a.md"}, id="sets of characters"
        ),
        pytest.param("**", FILES, id="everything"),
        pytest.param("[\n", set(), id="invalid rule"),
    ],
)
def test_files_are_ignored_as_git_does(
    tmp_path: Path, rules: str, expected_files: set[str]
) -> None:
    assert ignored_files(tmp_path, {"": rules}) == expected_files
