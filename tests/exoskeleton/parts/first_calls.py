"""The first calls of a trial, which look at the workspace: which paths are tools?

The product's `possible_tools` says which files may be tools. Recorded cases have whole lists of calls,
which the function below builds from these tools. A test calls it with a case's `input`, and compares
what it returns with `expect`:

    {"part": "followups",
     "input": {"root": "/docs", "tree": {"name": "docs", "children": [{"name": "a.md"}]}},
     "expect": {"calls": ["read /docs/a.md"]}}
"""

from collections.abc import Collection, Mapping
from typing import Any

from controlplane.benchmarks.shop.workspace.reading import possible_tools
from tests.exoskeleton.answering_functions import Output, answers_part

Tree = Mapping[str, Any]
"""A folder with what is in it: `{"name": "docs", "children": [{"name": "a.md"}]}`. One without
children has `"is_dir": True`; without this key it is a file."""


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
    """Return the calls that follow a first look at the files below `root`.

    Documents are read, except the paths `read`, which were read already. Tools are asked for help,
    except the paths `helped`, which were asked already.
    """
    root_folder = {**tree, "is_dir": True}  # An empty root is a folder, too.
    paths = file_paths(root_folder, root)
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
