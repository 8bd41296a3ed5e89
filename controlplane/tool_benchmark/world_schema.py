"""The files and the tool schema of a trial's world.

The tool schema lists the calls that scripts can make, and those that are made for them
at the start: the first message of a trial shows the folder tree and the policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.local_benchmark.local_environment import FILE_CALLS
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    InitialCall,
    NamedFiles,
    Operation,
    Plain,
    ToolSchema,
)

POLICY: Final = "/policy.md"
"""The path of the document with an environment's policy."""
SHOWN_TREE_LEVELS: Final = 8
"""The first message shows the folders down to this level."""
LONGEST_SHOWN_FOLDER: Final = 6
"""The first message shows all files of a folder with up to so many. Of a folder with more, it
shows their number and the first ones."""


def checked_files(files: Mapping[str, str], policy: str) -> dict[str, str]:
    """Return the files of a world, with one for the policy if there is a policy.

    Raises `ValueError` for a path that is not absolute.
    """
    texts = dict(files)
    if policy:
        texts[POLICY] = policy
    for path in texts:
        if not path.startswith("/") or path != normal_path(path):
            msg = f"the path of a file is absolute, as /data/rows.csv, not {path!r}"
            raise ValueError(msg)
    return texts


def world_schema(
    files: Mapping[str, str], policy: str, tools: Sequence[Operation]
) -> ToolSchema:
    """Return the tool schema of a world. The first message shows its files and its policy."""
    operations = _file_operations(files)
    initial_calls = []
    has_only_policy = files.keys() == {POLICY}
    if files and not has_only_policy:
        arguments: dict[str, Plain] = {"root": "/", "level": SHOWN_TREE_LEVELS}
        tree = InitialCall("tree", arguments, longest_listing=LONGEST_SHOWN_FOLDER)
        initial_calls.append(tree)
    if policy:
        initial_calls.append(InitialCall("read", {"path": POLICY}))
    folders = _top_folders(files)
    # Where paths in an instruction may lead: `data/rows.csv` is below the folder `/data`.
    return ToolSchema(
        operations=(*operations, *tools),
        rules_document=POLICY if policy else "",
        initial_calls=tuple(initial_calls),
        named_files=NamedFiles(folders) if folders else None,
    )


def _file_operations(files: Mapping[str, str]) -> list[Operation]:
    """Return the operations on files that scripts can call.

    If the only file is the policy, this is `read`. Without files there are none.
    """
    names: frozenset[str] = frozenset()
    if files.keys() == {POLICY}:
        names = frozenset({"read"})
    elif files:
        names = FILE_CALLS
    return [operation for operation in FILE_OPERATIONS if operation.name in names]


def _top_folders(files: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders at the root: `/data` for `/data/rows.csv`."""
    folders = set()
    for path in files:
        name, slash, _ = path.removeprefix("/").partition("/")
        if slash:
            folders.add(f"/{name}")
    return tuple(sorted(folders))
