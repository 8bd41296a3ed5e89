"""A tool of a trial works on the trial's files in a process of its own, and its parent sees the changes.

The tools run in a worker, an isolated process. The parent has a tree of the same files, which
scripts use: after `tools.call("write", {"path": "/a.md", "content": "new"})`, its `tree.changes` is
`{"/a.md": "new"}`.
"""

from collections import UserDict
from collections.abc import Mapping
from typing import Any

import pytest

from controlplane.sandbox import FileTree, ForkServer, Worker
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.files.worker_tools import WorkerTools
from controlplane.sandbox.interface import CallError, plain_result
from controlplane.sandbox.interface.limits import WorkerLimits

# Tools of a trial that run in a worker, an isolated process, over the files of the trial.
#
# The parent process has a tree of the same files, which scripts use. Each gets the changes of the
# other.

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


@pytest.fixture(scope="session")
def tool_server():
    """A server that forks workers, and has imported the tools before."""
    with ForkServer([TOOL_WORLD, TOOL_MODULE]) as server:
        yield server


@pytest.fixture
def worker(tool_server):
    """A worker without a process, which it gets at its first call."""
    with Worker(tool_server) as worker:
        yield worker


# The result of a tool is data that JSON can hold, of a bounded size.
#
# The tools of a trial run in a worker, an isolated process. The tool `return_given` returns its
# argument `result`, and fails if that is too large.


def test_a_result_of_a_worker_is_not_copied(worker):
    """`plain_result` copies what a call returns, unless the call says by the type of its result
    that it is plain data already. A worker's result is, and may have megabytes."""
    tools = tools_in(worker, FileTree({}), files={})
    result = tools.call("return_given", {"result": {"entries": [{"n": [1.5, None]}]}})

    plain = plain_result("return_given", lambda: result)

    assert plain["entries"] is result["entries"]


@pytest.mark.parametrize(
    "entries",
    [
        # What is around them counts, too: the list `entries` and the mapping `result`.
        pytest.param([[]] * 10_000, id="10,000 lists"),
        pytest.param([0] * 400_000, id="400,000 numbers"),
    ],
)
def test_a_result_of_too_many_parts_fails_its_call(worker, entries):
    tools = tools_in(worker, FileTree({}), files={})

    with pytest.raises(
        CallError, match="more than 10000 lists and mappings, or 400000 values"
    ):
        tools.call("return_given", {"result": {"entries": entries}})


def test_a_result_that_is_nested_too_deeply_fails_its_call(worker):
    tools = tools_in(worker, FileTree({}), files={})
    nested = []
    for _ in range(99):
        nested = [nested]
    # 100 lists, and the mapping around them: 101 levels

    with pytest.raises(CallError, match="nested deeper than 100 levels"):
        tools.call("return_given", {"result": {"x": nested}})


# A tool whose process dies fails its call, and the next call gets a new process with all files.
#
# The tools of a trial run in a worker, an isolated process, over the same files as the tree of the
# parent. Its process begins with the first call. Each call brings it the changes that the parent has
# made since the call before. The tool `write` of these tests crashes after it has written the text
# "die".


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
