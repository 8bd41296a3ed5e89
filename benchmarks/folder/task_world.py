"""The files that a task's trials see, from the folders that its task.toml names.

`trees = ["../common", "files"]` shows the files of both folders. If both have a file
`rules.md`, trials see the one in `files`, the last folder.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping

from controlplane.benchmarks.folder.folder_texts import FolderTexts
from controlplane.benchmarks.folder.task_file.task_file import TASK_FILE, TaskFile
from controlplane.benchmarks.folder.task_text import TaskText


def world_of(texts: FolderTexts, source: TaskText, file: TaskFile) -> Mapping[str, str]:
    """Return the texts of the files of a task's world, by path: `/docs/a.md`.

    `source` is the text of the task.toml, and `file` its contents. If several trees (folders of
    files) have the same path, the last one's file is used. Raises `BenchmarkError`.
    """
    layers = []
    for number, tree in enumerate(file.trees):
        layers.append(_files_of_tree(texts, source, tree, f"trees[{number}]"))
    # A `ChainMap` takes a file from the first map that has it, so the last tree is first.
    files = ChainMap(*reversed(layers))
    for number, tool in enumerate(file.tool):
        if tool.path in files:
            key = f"tool[{number}].path"
            raise source.fault(key, f"{tool.path} is a file already")
    return files


def _files_of_tree(
    texts: FolderTexts, source: TaskText, tree: str, key: str
) -> dict[str, str]:
    """Return the texts of the files in a tree, by path. Raises `BenchmarkError`.

    `tree` is a folder as the task.toml names it, `../common`; `key` is its key in messages.
    """
    folder = source.path_in_folder(tree, key)
    folder_of_task = source.place.removesuffix("/")
    # Trials must not see the task.toml, which has the right answer. It is in the
    # task's folder, and below the folder of all tasks (`.`).
    if folder in (folder_of_task, "."):
        text = f"{tree!r} would show {TASK_FILE}, which tells what is right"
        raise source.fault(key, text)
    files = texts.world_of(folder)
    may_be_missing = tree == "files"  # the default
    if not files and not may_be_missing:
        raise source.fault(key, f"there is no file below {tree!r}")
    return files


def rules_path(rules: str, files: Mapping[str, str]) -> str:
    """Return the path of the rules document as the files spell it, ignoring case."""
    if rules in files:
        return rules
    same_paths = [path for path in files if path.casefold() == rules.casefold()]
    return min(same_paths, default=rules)
