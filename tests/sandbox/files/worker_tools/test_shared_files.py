"""A tool of a trial works on the trial's files in a process of its own, and its parent sees the changes.

The tools run in a worker, an isolated process. The parent has a tree of the same files, which
scripts use: after `tools.call("write", {"path": "/a.md", "content": "new"})`, its `tree.changes` is
`{"/a.md": "new"}`.
"""

from collections import UserDict

from controlplane.sandbox import FileTree
from tests.sandbox.files.worker_tools.tools_of_a_world import tools_in


def test_a_tool_gets_the_files_the_folders_and_the_data_of_its_world(worker):
    # An environment may have its files in another mapping than a dict.
    files = UserDict({"/a.md": "alpha"})
    tree = FileTree(files)
    tools = tools_in(worker, tree, files, directories=("/empty",), data={"n": 1})

    assert tools.call("read", {"path": "/a.md"})["content"] == "alpha"
    assert tools.call("list", {"path": "/empty"})["entries"] == []
    assert tools.call("data", {}) == {"data": {"n": 1}}


def test_a_file_that_a_tool_writes_is_written_in_the_parent(worker):
    tree = FileTree({})
    tools = tools_in(worker, tree, {})

    tools.call("write", {"path": "/new.md", "content": "new"})

    assert tree.changes == {"/new.md": "new"}


def test_a_tool_reads_what_the_parent_writes(worker):
    """The first call starts the worker's process."""
    tree = FileTree({"/a.md": "alpha"})
    tools = tools_in(worker, tree, {"/a.md": "alpha"})

    tree.write("/a.md", "written before the process began")
    before = tools.call("read", {"path": "/a.md"})
    tree.write("/a.md", "written while it runs")
    after = tools.call("read", {"path": "/a.md"})

    assert before["content"] == "written before the process began"
    assert after["content"] == "written while it runs"


def test_a_tool_and_the_parent_change_files_in_turn(worker):
    files = {"/a.md": "alpha"}
    tree = FileTree(files)
    tools = tools_in(worker, tree, files)

    tree.write("/early.md", "early")
    tools.call("write", {"path": "/new.md", "content": "new"})
    tree.delete("/a.md")
    tree.write("/new.md", "newer")

    assert tools.call("read", {"path": "/new.md"})["content"] == "newer"
    assert tree.changes == {"/early.md": "early", "/new.md": "newer", "/a.md": None}
