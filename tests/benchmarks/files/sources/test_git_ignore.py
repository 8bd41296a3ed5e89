"""Leaving out the files that git ignores, by the rules of `.gitignore` files.

A rule such as `*.log` or `/build` applies below the folder of its file, `!keep.log` takes a
file back, and later rules override earlier ones. The expected files below are those that
git itself ignores.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.sources.folder_scan import find_sources
from tests.benchmarks.files.opened_files import write_files

FILES = {
    "a.md",
    "b/a.md",
    "b/keep.md",
    "b/c/a.md",
    "build/x.md",
    "c/build/y.md",
    "#h.md",
    "!i.md",
    "[q].md",
}
"""The files of the folder to which the rules are applied."""


def ignored_files(folder: Path, rules_by_folder: dict[str, str]) -> set[str]:
    """Write `FILES` and rules below `folder`, and return which of the files are ignored.

    `{"": "*.md", "b": "!*.md"}` are the rules of `.gitignore` and of `b/.gitignore`.
    """
    write_files(folder, dict.fromkeys(FILES, "x"))
    for subfolder, rules in rules_by_folder.items():
        (folder / subfolder / ".gitignore").write_text(rules)
    sources = {path.removeprefix("/") for path in find_sources(folder)}
    assert sources <= FILES
    return FILES - sources


class TestRules:
    """The rules of the `.gitignore` above all files are applied as git does.

    The files are `a.md`, `b/a.md`, `b/keep.md`, `b/c/a.md`, `build/x.md`, `c/build/y.md`, and three
    with a sign at the beginning: `#h.md`, `!i.md` and `[q].md`.
    """

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
        self, tmp_path: Path, rules: str, expected_files: set[str]
    ) -> None:
        assert ignored_files(tmp_path, {"": rules}) == expected_files


class TestSpaces:
    """A rule for a name with a space may have a backslash before it."""

    @pytest.mark.parametrize(
        "rules",
        ["e\\ f.md", "e f.md", "e\\ f.md\ne f.md"],
    )
    def test_a_rule_may_have_a_space_with_or_without_a_backslash(
        self, tmp_path: Path, rules: str
    ) -> None:
        """The folder has the files `a.md` and `e f.md`, and only `a.md` is left."""
        write_files(tmp_path, {"a.md": "x", "e f.md": "x", ".gitignore": rules})

        assert set(find_sources(tmp_path)) == {"/a.md"}


class TestSubfolders:
    """The rules of a subfolder come after those above it, and so override them.

    Of the files `FILES`, three are below `b`: `b/a.md`, `b/keep.md` and `b/c/a.md`.
    """

    def test_rules_of_a_subfolder_override_those_above_it(self, tmp_path: Path) -> None:
        """The folder `b` takes its files back, and `b/c` ignores one of them again."""
        rules_by_folder = {"": "*.md", "b": "!*.md", "b/c": "a.md"}

        ignored = ignored_files(tmp_path, rules_by_folder)

        assert ignored == FILES - {"b/a.md", "b/keep.md"}

    def test_rule_for_folders_does_not_take_back_files(self, tmp_path: Path) -> None:
        """`!*/` is about folders, as it ends with a slash: all files are still ignored."""
        rules_by_folder = {"": "*.md", "b": "!*/"}

        assert ignored_files(tmp_path, rules_by_folder) == FILES


class TestManyRules:
    """Many rules with many stars take no long time."""

    def test_many_rules_with_many_stars_are_applied(self, tmp_path: Path) -> None:
        """A matcher that tries all places of the stars would take hours for names full of `a`.

        No rule with stars fits a name, since the names end with `x`. The file `c` is ignored.
        """
        rules = [f"*a*a*a*a*{number}\n" for number in range(1_000)]
        similar_names = [f"{'a' * 60}-{number}x" for number in range(500)]
        write_files(tmp_path, {".gitignore": "".join(rules) + "c\n"})
        write_files(tmp_path, dict.fromkeys(["b", "c", *similar_names], "x"))

        sources = find_sources(tmp_path)

        assert "/b" in sources.paths
        assert "/c" not in sources.paths
        assert len(sources.paths) == 1 + len(similar_names)  # 1 is `b`.
