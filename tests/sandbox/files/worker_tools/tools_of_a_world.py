"""Tools of a trial that run in a worker, an isolated process, over the files of the trial.

The parent process has a tree of the same files, which scripts use. Each gets the changes of the
other.
"""

from collections.abc import Mapping
from typing import Any

from controlplane.sandbox import FileTree, Worker
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.worker_tools import WorkerTools

TOOL_MODULE = "tests.sandbox.files.worker_tools.world_tools"
"""Has the tools of a file tree (`read`, `write`, ...), and a few that misbehave."""


def tools_in(
    worker: Worker, tree: FileTree, files: Mapping[str, str], **options: Any
) -> WorkerTools:
    """Return tools that work in `worker` on these files. `tree` is the parent's tree of them.

    After `tools_in(worker, tree, {}).call("write", {"path": "/a.md", "content": "new"})`, the
    parent's `tree.changes` is `{"/a.md": "new"}`.
    """
    return WorkerTools(worker, tree, WorldFiles(files, TOOL_MODULE, **options))
