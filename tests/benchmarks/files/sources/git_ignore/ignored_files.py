"""A folder of files, of which rules in `.gitignore` files leave some out.

    ignored_files(folder, {"": "build/"})     # {"build/x.md", "c/build/y.md"}

A question about a folder does not read the files that git would ignore.
"""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
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
