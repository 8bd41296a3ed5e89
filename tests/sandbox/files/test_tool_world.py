"""Tools in a worker: they see every change, their own changes come back, and the worker's death loses nothing."""

from collections import UserDict

import pytest

from sandbox import FileTree, ForkServer, Worker
from sandbox.files import WorldFiles
from sandbox.files.tool_world import TOOL_WORLD, WorkerTools
from sandbox.interface import CallError, plain_result
from sandbox.interface.host import WorkerLimits

MODULE = "tests.sandbox.worker_functions"
FILES = {f"/d/{number:03}.md": f"file {number}\nline of {number}\n" for number in range(100)} | {"/a.md": "alpha"}


class Counted(UserDict):
    """Counts how often a text is taken."""

    taken = 0

    def __getitem__(self, key):
        self.taken += 1
        return super().__getitem__(key)


@pytest.fixture(scope="module")
def server():
    with ForkServer([TOOL_WORLD, MODULE]) as running:
        yield running


def tools_in(worker, base=FILES, **others):
    tree = FileTree(base)
    return WorkerTools(worker, tree, WorldFiles(base, MODULE, **others)), tree


@pytest.fixture
def world(server):
    with Worker(server) as worker:
        yield tools_in(worker, Counted(FILES), directories=("/empty",), data={"n": 1})


def read(tools, path):
    return tools.call("read", {"path": path})["content"]


def test_changes_of_either_side_reach_the_other_and_outlive_the_process(world):
    tools, tree = world
    tree.write("/early.md", "written before the process began")
    tools.call("write", {"path": "/new.md", "content": "new"})
    tree.delete("/a.md")
    tree.write("/new.md", "newer")
    assert tree.changes == {"/early.md": "written before the process began", "/new.md": "newer", "/a.md": None}
    assert read(tools, "/new.md") == "newer"
    with pytest.raises(CallError):
        tools.call("write", {"path": "/lost.md", "content": "die"})
    assert "/lost.md" not in tree.changes
    assert (read(tools, "/new.md"), read(tools, "/early.md")[:7]) == ("newer", "written")
    for gone in ("/a.md", "/lost.md"):
        with pytest.raises(CallError, match="not_found"):
            read(tools, gone)


def test_a_tool_that_never_ends_costs_one_call(server):
    with Worker(server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
        tools, tree = tools_in(worker)
        tree.write("/x.md", "aaa")
        with pytest.raises(CallError, match=r"0.3 s of CPU"):
            tools.call("spin", {})
        assert read(tools, "/x.md") == "aaa"


def test_a_result_with_parts_is_bounded_and_needs_no_copy(world):
    tools, _ = world
    given = tools.call("forge", {"result": {"entries": [{"n": [1.5, None]}]}})
    assert plain_result("forge", lambda: given)["entries"] is given["entries"]
    for entries in ([[]] * 10_001, [0] * 400_002):
        with pytest.raises(CallError, match="more than 10000 lists and mappings, or 400000 values"):
            tools.call("forge", {"result": {"entries": entries}})
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(CallError, match="nested deeper than 100 levels"):
        tools.call("forge", {"result": {"x": deep}})
