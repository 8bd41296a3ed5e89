"""The first calls of a trial, which look at the workspace: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "followups",
     "input": {"root": "/docs", "tree": {"name": "docs", "children": [{"name": "a.md"}]}},
     "expect": {"calls": ["read /docs/a.md"]}}
"""

from collections.abc import Collection, Mapping
from typing import Any

from controlplane.benchmarks.shop.workspace.tool_uses import possible_tools
from tests.exoskeleton.answering_functions import Output, answers_part

Tree = Mapping[str, Any]
"""A folder with what is in it: `{"name": "docs", "children": [{"name": "a.md"}]}`."""


def file_paths(tree: Tree, path: str) -> list[str]:
    """Return the paths of all files in the folder at `path`; the path itself if it is a file."""
    children = tree.get("children", [])
    if not children and not tree.get("is_dir"):
        return [path]
    paths: list[str] = []
    for child in children:
        child_path = f"{path.rstrip('/')}/{child['name']}"
        paths += file_paths(child, child_path)
    return paths


@answers_part("followups")
def choose_followups(
    root: str,
    tree: Tree,
    tools: Collection[str] | None = None,
    read: Collection[str] = (),
    helped: Collection[str] = (),
) -> Output:
    """Choose the calls that follow a first look at the files below `root`.

    Documents are read, and tools asked for help, unless that was done already (`read`, `helped`).
    """
    paths = file_paths({**tree, "is_dir": True}, root)
    if tools is None:
        tools = possible_tools(paths)
    reading_calls: list[str] = []
    help_calls: list[str] = []
    for path in paths:
        if path.endswith(".md") and path not in read:
            reading_calls.append(f"read {path}")
        if path in tools and path not in helped:
            help_calls.append(f"help {path}")
    return {"calls": reading_calls + help_calls}
