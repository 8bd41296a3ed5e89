"""Rules of a `.gitignore` file in a subfolder: they override those above it.

Of the files `FILES`, three are below `b`: `b/a.md`, `b/keep.md` and `b/c/a.md`. The key `b` in
`rules_by_folder` has the rules of `b/.gitignore`.
"""

from pathlib import Path

from tests.benchmarks.files.sources.git_ignore.ignored_files import FILES, ignored_files


def test_rules_of_a_subfolder_override_those_above_it(tmp_path: Path) -> None:
    """The folder `b` takes its files back, and `b/c` ignores one of them again."""
    rules_by_folder = {"": "*.md", "b": "!*.md", "b/c": "a.md"}

    ignored = ignored_files(tmp_path, rules_by_folder)

    assert ignored == FILES - {"b/a.md", "b/keep.md"}


def test_rule_for_folders_does_not_take_back_files(tmp_path: Path) -> None:
    """`!*/` is about folders, as it ends with a slash: all files are still ignored."""
    rules_by_folder = {"": "*.md", "b": "!*/"}

    assert ignored_files(tmp_path, rules_by_folder) == FILES
