"""The files that initial calls have listed, and the drawing of their folders.

After `tree /`, all files are known, and listings that an environment declares, such as
`find("*.md", root="/docs")`, need no call:

    tree = sent call of `tree /`
    files_of_tree(tree, calls)            -> ["/RULES.md", "/docs/a.md"]
    listed.add("/", files)
    listed_values(each_of, calls, listed) -> ["/docs/a.md"]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from controlplane.agent.opening.calls import DeclaredCall, InitialCalls, SentCall
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    Plain,
    bounds,
    error_codes,
    is_truncated,
)

# The files of a folder tree, of which a call may have listed only a part.
#
# The call `tree(root="/", level=1)` shows one level of folders. Its result for a file `/a.md` and
# a folder `/logs` has these paths:
#
#     /a.md
#     /logs/UNLISTED    the folder `/logs` may have files that are not listed
#
# `UNLISTED` is a name that no real file can have.

UNLISTED: Final = "\0"
"""The name that stands for the unlisted files of a folder."""


def is_unlisted(path: str) -> bool:
    """Return True if a path stands for the unlisted files of a folder."""
    return path.endswith(UNLISTED)


def paths_of_tree(node: Mapping[str, Plain], path: str, level: int) -> list[str]:
    """Return the paths of the files of a tree, with those that stand for unlisted ones.

    `node` is the result of a call for `path`, such as `{"is_dir": true, "children":
    [{"name": "a.md"}]}`. It shows only `level` levels below `path`. The files of a
    folder on the last level are unlisted.
    """
    if not node.get("is_dir"):
        return [path]
    children = node.get("children", [])
    if level == 0 or not isinstance(children, list):
        return [f"{path}/{UNLISTED}"]
    paths: list[str] = []
    for child in children:
        if isinstance(child, dict):
            child_path = f"{path}/{child.get('name', '')}"
            paths += paths_of_tree(child, child_path, level - 1)
    return paths


# The files that a trial's calls have listed, and what is known of a folder by them.
#
# Calls list trees of folders, such as `/docs`, sometimes only in part:
#
#     listed.add("/docs", ["/docs/a.md", "/docs/old/UNLISTED"])
#     listed.below("/docs/new")   -> [], there are no files
#     listed.below("/docs/old")   -> None, there may be files that were not listed
#     listed.below("/data")       -> None, no call has listed this folder


@dataclass(slots=True)
class ListedFiles:
    """The files in all folder trees that a trial has listed.

    A path such as `/logs/UNLISTED` says that the folder `/logs` may have further files.
    `UNLISTED` is a name that no real file can have.
    """

    files: list[str] = field(default_factory=list)
    """The paths of the files, in the order of the trees, with those that end in `UNLISTED`."""
    _roots: list[str] = field(default_factory=list)
    """The root folders of the trees, each with a slash at its end."""
    _incomplete_folders: list[str] = field(default_factory=list)
    """The folders that may have further files, each with a slash at its end."""

    def add(self, root: str, paths: Iterable[str]) -> None:
        """Add the files below a tree's root, at most `MOST_FOLDER_FILES` of them.

        A file that another tree has listed, too, is not added again.
        """
        base = with_slash(root)
        self._roots.append(base)
        remaining = iter(paths)
        first_paths = islice(remaining, bounds.MOST_FOLDER_FILES)
        self.files = list(dict.fromkeys((*self.files, *first_paths)))
        has_more = next(remaining, None) is not None
        if has_more:
            self.files.append(base + UNLISTED)
        self._incomplete_folders = [
            path.removesuffix(UNLISTED) for path in self.files if is_unlisted(path)
        ]

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if some of them may be unknown.

        That is the case if no tree includes the folder, or if the folder, a folder above it
        or a folder below it is incomplete.
        """
        base = with_slash(folder)
        if not any(base.startswith(root) for root in self._roots):
            return None
        for incomplete_folder in self._incomplete_folders:
            if base.startswith(incomplete_folder) or incomplete_folder.startswith(base):
                return None
        return sorted(path for path in self.files if path.startswith(base))


def with_slash(folder: str) -> str:
    """Return a folder with a slash at its end: `/docs` -> `/docs/`."""
    return folder.rstrip("/") + "/"


# Draws a tree of folders as indented lines, from the paths of its files.
#
# With at most 4 files a folder, for a request that names `/news`:
#
#     /
#       docs/                               small: its files and folders
#         rules.md
#         logs/ (not listed)                the call that lists files has left its files out
#       old/ (312: 2019.md ..)              large: the number of files, and the first one
#       news/                               large, but named: all files
#         2031/may.md
#       records/                            large, but it has only folders: a line for each kind of records
#         loans/ (40: l-4.json ..)


def drawn_tree(
    files: Iterable[str],
    longest_listing: int,
    *,
    root: str = "/",
    in_full: Iterable[str] = (),
) -> str:
    """Return the drawing of the tree below `root`. `files` has the paths of all files.

    A folder with more than `longest_listing` files is large. `in_full` has the folders that the
    request names: their files are listed even if they are large, unless they are far too many.
    """
    # The request may name a folder in another case, or without a slash at its end.
    named_folders = {with_slash(folder).casefold() for folder in in_full}

    def lines_of(folder: str, paths_below: list[str], depth: int) -> list[str]:
        """Return the lines of a folder, `depth` levels below the root.

        The path of the folder ends with a slash. `paths_below` has those of its files, relative to
        it; `UNLISTED` stands for files that no call has listed.
        """
        indent = "  " * depth
        title = f"{indent}{base_name(folder)}/"
        if paths_below == [UNLISTED]:
            return [f"{title} (not listed)"]
        listed = [path for path in paths_below if not is_unlisted(path)]
        is_large = depth > 0 and len(listed) > longest_listing
        is_named = folder.casefold() in named_folders
        if is_large and is_named and len(listed) <= bounds.SHOWN_FOLDER_FILES:
            return [title, *(f"{indent}  {file}" for file in listed)]
        # In `/records`, each folder has one kind of records, such as `loans`: all are shown.
        has_only_folders = depth == 1 and all("/" in file for file in listed)
        if is_large and not has_only_folders:
            # Some of its folders may not be listed, so their files are not counted.
            or_more = " or more" if len(listed) < len(paths_below) else ""
            return [f"{title} ({len(listed)}{or_more}: {listed[0]} ..)"]

        rests_by_name: dict[str, list[str]] = {}
        for path in paths_below:
            name, _, rest = path.partition("/")  # `old/b.md` -> `old`, `b.md`
            if name != UNLISTED:
                rests_by_name.setdefault(name, []).append(rest)
        lines = [title]
        for name, rests in rests_by_name.items():
            if any(rests):  # Of a file's path, nothing is left after its name.
                lines += lines_of(f"{folder}{name}/", rests, depth + 1)
            else:
                lines.append(f"{indent}  {name}")
        return lines

    base = with_slash(root)
    paths_below = [file.removeprefix(base) for file in files if file.startswith(base)]
    return "\n".join(lines_of(base, paths_below, depth=0))


# The files of a tree that a declared call lists, such as `tree /`.

FIND: Final = "find"
"""The operation that finds files by their names."""
_ALL_LEVELS: Final = 40
"""Stands for all levels of a tree. No real folder has as many."""


def root_of_tree(tree: DeclaredCall) -> str:
    """Return the folder whose tree a call lists: `/docs` for `tree /docs`."""
    return str(tree.arguments.get(tree.operation.subject) or "/")


def files_of_tree(sent: SentCall, calls: InitialCalls) -> list[str] | None:
    """Wait for the call that lists a tree, and return all files.

    A tree may be too large for one result. Its call then fails with `RESOURCE_EXHAUSTED`,
    and a `find` call lists the files instead, since it returns only paths. None if the files are
    unknown: the result is empty or only a part, or the calls fail or cannot be made.
    """
    declared = sent.declared
    root = root_of_tree(declared)
    outcome = sent.call.outcome()
    if outcome.result:
        # A call without `level` has the default that its operation declares: 0, for all levels.
        defaults: dict[str, object] = {}
        for parameter in declared.operation.parameters:
            defaults[parameter.name] = parameter.default
        level = {**defaults, **declared.arguments}.get("level")
        levels = level if isinstance(level, int) and level else _ALL_LEVELS
        return paths_of_tree(outcome.result, root.rstrip("/"), levels)

    error = outcome.error
    if error is None or error.code != error_codes.RESOURCE_EXHAUSTED:
        return None
    # An environment may have a `find` of its own, with other arguments.
    if calls.tool_schema.operation(FIND) not in FILE_OPERATIONS:
        return None
    all_files: dict[str, Plain] = {
        "name": "*",
        "root": root,
        "kind": "files",
        "limit": 0,
    }
    result = calls.send(FIND, all_files).result()
    paths = result.get("paths")
    if not isinstance(paths, list) or is_truncated(result):
        return None
    return sorted(str(path) for path in paths)


def drawing_of_tree(
    tree: DeclaredCall, listed: ListedFiles, named_folders: Iterable[str], room: int
) -> str:
    """Return the drawing of a tree, in `room` characters if possible.

    The `named_folders`, those that the request names, are drawn in full, and any other folder with too
    many files takes one line. If the drawing is still too long, each folder takes one line.
    """
    root = root_of_tree(tree)
    longest_listing = tree.declaration.longest_listing
    if longest_listing is None:
        longest_listing = len(listed.files)
    drawing = drawn_tree(
        listed.files, longest_listing, root=root, in_full=named_folders
    )
    if len(drawing) > room:
        drawing = drawn_tree(listed.files, 0, root=root)
    return drawing


# The values of a listing, for each of which an environment wants a call to be made.


def listed_values(
    listing: EachOf, calls: InitialCalls, listed: ListedFiles
) -> list[Plain]:
    """Return the values of a listing, such as the paths of all files in a folder.

    If the listed trees have them all, no call is made:

    `find("*.md", root="/docs", kind="files", limit=0)`    -> ["/docs/a.md", "/docs/b.md"]
    `find("*.md", root="/docs", kind="files", limit=20)`   a call: which 20 is not known
    """
    arguments = listing.arguments
    root = arguments.get("root")
    pattern = arguments.get("name")
    finds_all = arguments.get("kind") == "files" and arguments.get("limit") == 0
    if listing.operation == FIND and finds_all:
        if isinstance(root, str) and isinstance(pattern, str):
            files = listed.below(root)
            if files is not None:
                # Like `find`, ignore whether letters are upper or lower case.
                names = pattern.lower()
                return [
                    file
                    for file in files
                    if fnmatchcase(base_name(file).lower(), names)
                ]

    entries = calls.send(listing.operation, arguments).result().get(listing.field)
    values: list[Plain] = []
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, dict):
            values.append(entry)  # "/a.md"
        elif not entry.get("is_dir"):  # A folder cannot be read.
            values.append(entry.get("path"))
    return values
