"""Files of a folder whose names say that a question is not about them. They are left out.

`ask "Until when may loan-02 be kept?" loans/` reads the text files below `loans/`.
`sources.left_out` has the others by the reason: `{"hidden": ["/.gitignore"]}`.
"""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
from tests.benchmarks.files.opened_files import write_files


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    """Their names begin with a dot, or are those of caches."""
    write_files(
        tmp_path, {".gitignore": "", "docs/.hidden": "x", "__pycache__/x.pyc": "x"}
    )

    sources = find_sources(tmp_path)

    assert dict(sources) == {}
    hidden_paths = ["/.gitignore", "/__pycache__", "/docs/.hidden"]
    assert sorted(sources.left_out["hidden"]) == hidden_paths
    assert len(sources.left_out) == 1


def test_files_that_git_ignores_are_left_out(tmp_path: Path) -> None:
    """The rules ignore a folder and all logs, except for one."""
    write_files(
        tmp_path,
        {
            ".gitignore": "build/\n*.log\n!keep.log\n",
            "build/out.txt": "x",
            "a.log": "x",
            "keep.log": "x",
        },
    )

    sources = find_sources(tmp_path)

    assert list(sources) == ["/keep.log"]
    assert sorted(sources.left_out["named by .gitignore"]) == ["/a.log", "/build"]


def test_file_with_a_line_break_in_its_name_is_left_out(tmp_path: Path) -> None:
    """Lists of files have one file a line."""
    (tmp_path / "two\nlines.md").write_text("x")

    left_out = find_sources(tmp_path).left_out

    assert dict(left_out) == {"its name cannot be used": ["/two\nlines.md"]}
