"""The rules of `.gitignore`, as git has them."""

import time
from pathlib import Path

import pytest

from benchmarks.files.file_sources import find_sources

PATHS = ("a.md", "b/a.md", "b/keep.md", "b/c/a.md", "build/x.md", "c/build/y.md", "#h.md", "!i.md", "e f.md", "[q].md")


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        ({"": "build/\n# a.md\n\n"}, "a.md b/a.md b/keep.md b/c/a.md #h.md !i.md [q].md"),
        ({"": "/build\n/a.md"}, "b/a.md b/keep.md b/c/a.md c/build/y.md #h.md !i.md [q].md"),
        ({"": "*\n!*/\n!keep.md"}, "b/keep.md"),
        ({"": "b/**\n!b/keep.md\nbuild"}, "a.md b/keep.md #h.md !i.md [q].md"),
        ({"": "b/*\n!b/c/"}, "a.md b/c/a.md build/x.md c/build/y.md #h.md !i.md [q].md"),
        ({"": "b/\n!b/keep.md"}, "a.md build/x.md c/build/y.md #h.md !i.md [q].md"),
        ({"": "**/a.md\r\n\\#h.md\r\n\\!i.md  \n\\[q].md"}, "b/keep.md build/x.md c/build/y.md"),
        ({"": "*.md", "b": "!*.md", "b/c": "a.md"}, "b/a.md b/keep.md"),
        ({"": "*.md", "b": "!*/"}, ""),
        ({"": "[!ab]*\n[^a]*/\nb/**/a.md"}, "a.md"),
        ({"": "**"}, ""),
        ({"": "[\n"}, " ".join(path for path in PATHS if " " not in path)),
    ],
)
def test_what_git_ignores_is_left_out(tmp_path: Path, rules: dict[str, str], left: str) -> None:
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    for folder, text in rules.items():
        (tmp_path / folder / ".gitignore").write_text(text + "\ne\\ f.md\ne f.md")
    assert {path[1:] for path in find_sources(tmp_path)} == set(left.split())


def test_a_folder_that_is_named_is_asked_though_a_rule_above_ignores_it(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n*.log")
    (tmp_path / "build/x.md").write_text("x")
    (tmp_path / "build/x.log").write_text("x")
    assert list(find_sources(tmp_path / "build")) == ["/x.md"]
    assert list(find_sources(tmp_path, ["build"])) == ["/build/x.md"]


def test_a_rule_takes_little_time_whatever_it_holds(tmp_path: Path) -> None:
    deep = tmp_path / "/".join("a" * 100)
    deep.mkdir(parents=True)
    (deep / ("a" * 200)).write_text("x")
    (tmp_path / ".gitignore").write_text("*a" * 40 + "b\n" + "**/a/" * 20 + "b")
    began = time.monotonic()
    assert "named by .gitignore" not in find_sources(tmp_path).left_out
    assert time.monotonic() - began < 5
