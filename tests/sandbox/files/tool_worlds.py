"""Worlds whose tools run in a worker, an isolated process, over the files of a trial.

The files are twice: as a tree in the worker, for the tools, and as one in the parent, for scripts.
"""

from collections import UserDict
from typing import NamedTuple

from controlplane.sandbox import FileTree
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.worker_tools import WorkerTools

TOOL_MODULE = "tests.sandbox.worker_functions"
"""The module with the tools that the worker runs.

They are those of a file tree (`read`, `write` and so on), `loop_without_end`, and `return_given`,
which returns its argument `result`. A write of the text "die" kills the worker.
"""

WORLD_FILES = {"/a.md": "alpha"}
for number in range(100):
    WORLD_FILES[f"/d/{number:03}.md"] = f"file {number}\nline of {number}\n"
"""The files of a world, by path."""


class FilesAsMapping(UserDict):
    """A mapping of files that is not a plain dict; an environment may have one."""


class World(NamedTuple):
    """Tools in a worker, and the file tree in this process that has the same content."""

    tools: WorkerTools
    tree: FileTree

    def read(self, path):
        return self.tools.call("read", {"path": path})["content"]


def world_in(worker, files=WORLD_FILES, **options):
    """Return the world whose tools run in `worker`.

    `options` are fields of `WorldFiles`, such as `directories=("/empty",)`.
    """
    tree = FileTree(files)
    tools = WorkerTools(worker, tree, WorldFiles(files, TOOL_MODULE, **options))
    return World(tools, tree)
