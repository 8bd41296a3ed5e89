"""Leaving out the files that git ignores, by the rules of `.gitignore` files.

A rule such as `*.log` or `/build` applies below the folder of its file, `!keep.log` takes a
file back, and later rules override earlier ones. The expected files below are those that
git itself does not ignore.
"""

import time
from pathlib import Path

import pytest

from controlplane.benchmarks.files.sources.folder_scan import find_sources
from tests.benchmarks.files.opened_files import write_files

# The folder that the rules are applied to. The last file is ignored by every set of rules.
FILES = [
    "a.md",
    "b/a.md",
    "b/keep.md",
    "b/c/a.md",
    "build/x.md",
    "c/build/y.md",
    "#h.md",
    "!i.md",
    "[q].md",
    "e f.md",
]
RULE_FOR_NAME_WITH_SPACE = "e\\ f.md\ne f.md"
"""Rules that ignore the file `e f.md`: a space in a rule may have a backslash."""


def sources_with_rules(folder: Path, rules_by_folder: dict[str, str]) -> set[str]:
    """Return the files that are not ignored, as paths below `folder`.

    `{"": "*.md", "b": "!*.md"}` are the rules of `.gitignore` and of `b/.gitignore`.
    """
    write_files(folder, dict.fromkeys(FILES, "x"))
    for subfolder, rules in rules_by_folder.items():
        rules_file = folder / subfolder / ".gitignore"
        rules_file.write_text(f"{rules}\n{RULE_FOR_NAME_WITH_SPACE}")
    return {path.removeprefix("/") for path in find_sources(folder)}


@pytest.mark.parametrize(
    ("rules", "expected_files"),
    [
        pytest.param(
            "build/\n# a.md\n\n",
            {"a.md", "b/a.md", "b/keep.md", "b/c/a.md", "#h.md", "!i.md", "[q].md"},
            id="folder of any level, and a comment",
        ),
        pytest.param(
            "/build\n/a.md",
            {
                "b/a.md",
                "b/keep.md",
                "b/c/a.md",
                "c/build/y.md",
                "#h.md",
                "!i.md",
                "[q].md",
            },
            id="only on the first level",
        ),
        pytest.param("*\n!*/\n!keep.md", {"b/keep.md"}, id="everything but one name"),
        pytest.param(
            "b/**\n!b/keep.md\nbuild",
            {"a.md", "b/keep.md", "#h.md", "!i.md", "[q].md"},
            id="content of a folder but one file",
        ),
        pytest.param(
            "b/*\n!b/c/",
            {
                "a.md",
                "b/c/a.md",
                "build/x.md",
                "c/build/y.md",
                "#h.md",
                "!i.md",
                "[q].md",
            },
            id="content of a folder but one subfolder",
        ),
        pytest.param(
            "b/\n!b/keep.md",
            {"a.md", "build/x.md", "c/build/y.md", "#h.md", "!i.md", "[q].md"},
            id="file of an ignored folder is not taken back",
        ),
        pytest.param(
            "**/a.md\r\n\\#h.md\r\n\\!i.md  \n\\[q].md",
            {"b/keep.md", "build/x.md", "c/build/y.md"},
            id="escaped characters, and blanks at the end",
        ),
        pytest.param("[!ab]*\n[^a]*/\nb/**/a.md", {"a.md"}, id="sets of characters"),
        pytest.param("**", set(), id="everything"),
        pytest.param(
            "[\n",
            {
                "a.md",
                "b/a.md",
                "b/keep.md",
                "b/c/a.md",
                "build/x.md",
                "c/build/y.md",
                "#h.md",
                "!i.md",
                "[q].md",
            },
            id="invalid rule",
        ),
    ],
)
def test_files_are_ignored_as_git_does(
    tmp_path: Path, rules: str, expected_files: set[str]
) -> None:
    """The rules are in the `.gitignore` of the folder above all files."""
    assert sources_with_rules(tmp_path, {"": rules}) == expected_files


def test_rules_of_a_subfolder_override_those_above_it(tmp_path: Path) -> None:
    """The folder `b` takes its files back, and `b/c` ignores one of them again."""
    rules_by_folder = {"": "*.md", "b": "!*.md", "b/c": "a.md"}

    sources = sources_with_rules(tmp_path, rules_by_folder)

    assert sources == {"b/a.md", "b/keep.md"}


def test_rule_for_folders_does_not_take_back_files(tmp_path: Path) -> None:
    """`!*/` ends with a slash, so that it is about folders only."""
    sources = sources_with_rules(tmp_path, {"": "*.md", "b": "!*/"})

    assert sources == set()


def test_many_rules_with_many_stars_take_little_time(tmp_path: Path) -> None:
    """A matcher that backtracks would take minutes for names that begin as the rules do."""
    rules = [f"*a*a*a*a*{number}\n" for number in range(1_000)]
    similar_names = [f"{'a' * 60}-{number}x" for number in range(500)]
    write_files(tmp_path, {".gitignore": "".join(rules) + "c\n"})
    write_files(tmp_path, dict.fromkeys(["b", "c", *similar_names], "x"))

    started = time.process_time()
    sources = find_sources(tmp_path)
    cpu_s = time.process_time() - started

    assert "/b" in sources.paths
    assert "/c" not in sources.paths
    assert len(sources.paths) == 1 + len(similar_names)  # 1 is `b`.
    assert cpu_s < 2
