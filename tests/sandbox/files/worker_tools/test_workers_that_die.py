"""A tool whose process dies fails its call, and the next call gets a new process with all files.

The tools of a trial run in a worker, an isolated process, over the same files as the tree of the
parent. Its process begins with the first call. Each call brings it the changes that the parent has
made since the call before. The tool `write` of these tests crashes after it has written the text
"die".
"""

import pytest

from controlplane.sandbox import FileTree, Worker
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.files.worker_tools.tools_of_a_world import tools_in


def test_a_call_that_crashes_changes_no_file(worker):
    tree = FileTree({})
    tools = tools_in(worker, tree, files={})

    with pytest.raises(CallError):
        tools.call("write", {"path": "/lost.md", "content": "die"})

    assert tree.changes == {}
    with pytest.raises(CallError, match="not_found"):
        tools.call("read", {"path": "/lost.md"})


def test_earlier_changes_outlive_a_crash(worker):
    files = {"/a.md": "alpha"}
    tree = FileTree(files)
    tools = tools_in(worker, tree, files=files)
    tree.write("/early.md", "written before the process began")
    tools.call("write", {"path": "/new.md", "content": "new"})  # begins the process
    tree.write("/new.md", "newer")
    tree.delete("/a.md")

    # This call brings the process the two latest changes, and ends it.
    with pytest.raises(CallError):
        tools.call("write", {"path": "/lost.md", "content": "die"})

    early = tools.call("read", {"path": "/early.md"})
    new = tools.call("read", {"path": "/new.md"})
    assert early["content"] == "written before the process began"
    assert new["content"] == "newer"
    with pytest.raises(CallError, match="not_found"):
        tools.call("read", {"path": "/a.md"})


def test_a_tool_that_never_ends_fails_its_call_only(tool_server):
    with Worker(tool_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        tree = FileTree({})
        tools = tools_in(worker, tree, files={})
        tree.write("/x.md", "aaa")

        with pytest.raises(CallError, match=r"0.3 s of CPU"):
            tools.call("loop_without_end", {})

        assert tools.call("read", {"path": "/x.md"})["content"] == "aaa"
