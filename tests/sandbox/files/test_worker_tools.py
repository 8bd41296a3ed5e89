"""`WorkerTools`: tools of a trial that run in a worker, an isolated process, over its files.

The parent process has a tree of the same files, which scripts use. Each tree gets the changes of
the other: after `tools.call("write", {"path": "/a.md", "content": "new"})`, the parent's
`tree.changes` is `{"/a.md": "new"}`. If the worker dies, no change is lost.
"""

from collections import UserDict

import pytest

from controlplane.sandbox import FileTree, ForkServer, Worker
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.files.worker_tools import WorkerTools
from controlplane.sandbox.interface import CallError, plain_result
from controlplane.sandbox.interface.limits import WorkerLimits

TOOL_MODULE = "tests.sandbox.worker_functions"
"""Has the tools of a file tree (`read`, `write`, ...), and a few that these tests name."""


@pytest.fixture(scope="module")
def tool_server():
    """Return a server that forks workers, and has imported the tools before."""
    with ForkServer([TOOL_WORLD, TOOL_MODULE]) as server:
        yield server


@pytest.fixture
def worker(tool_server):
    with Worker(tool_server) as worker:
        yield worker


def tools_in(worker, tree, files, **options):
    """Return tools that work in `worker` on these files. `tree` is the parent's tree of them."""
    return WorkerTools(worker, tree, WorldFiles(files, TOOL_MODULE, **options))


class TestSharedFiles:
    """A tool works on the files of its world, and both processes see the changes of each other."""

    def test_a_tool_gets_the_files_the_folders_and_the_data_of_its_world(self, worker):
        # An environment may have its files in another mapping than a dict.
        files = UserDict({"/a.md": "alpha"})
        tree = FileTree(files)
        tools = tools_in(worker, tree, files, directories=("/empty",), data={"n": 1})

        assert tools.call("read", {"path": "/a.md"})["content"] == "alpha"
        assert tools.call("list", {"path": "/empty"})["entries"] == []
        assert tools.call("data", {}) == {"data": {"n": 1}}

    def test_a_file_that_a_tool_writes_is_written_in_the_parent(self, worker):
        tree = FileTree({})
        tools = tools_in(worker, tree, {})

        tools.call("write", {"path": "/new.md", "content": "new"})

        assert tree.changes == {"/new.md": "new"}

    def test_a_tool_reads_what_the_parent_writes(self, worker):
        """The first call starts the worker's process."""
        tree = FileTree({"/a.md": "alpha"})
        tools = tools_in(worker, tree, {"/a.md": "alpha"})

        tree.write("/a.md", "written before the process began")
        before = tools.call("read", {"path": "/a.md"})
        tree.write("/a.md", "written while it runs")
        after = tools.call("read", {"path": "/a.md"})

        assert before["content"] == "written before the process began"
        assert after["content"] == "written while it runs"

    def test_a_tool_and_the_parent_change_files_in_turn(self, worker):
        files = {"/a.md": "alpha"}
        tree = FileTree(files)
        tools = tools_in(worker, tree, files)

        tree.write("/early.md", "early")
        tools.call("write", {"path": "/new.md", "content": "new"})
        tree.delete("/a.md")
        tree.write("/new.md", "newer")

        assert tools.call("read", {"path": "/new.md"})["content"] == "newer"
        assert tree.changes == {"/early.md": "early", "/new.md": "newer", "/a.md": None}


class TestWorkersThatDie:
    """The call fails, and the next one gets a new process, with all changes made before.

    The tool `write` of these tests crashes after it has written "die".
    """

    def test_a_call_that_crashes_changes_no_file(self, worker):
        tree = FileTree({})
        tools = tools_in(worker, tree, {})

        with pytest.raises(CallError):
            tools.call("write", {"path": "/lost.md", "content": "die"})

        assert tree.changes == {}
        with pytest.raises(CallError, match="not_found"):
            tools.call("read", {"path": "/lost.md"})

    def test_earlier_changes_outlive_a_crash(self, worker):
        files = {"/a.md": "alpha"}
        tree = FileTree(files)
        tools = tools_in(worker, tree, files)
        tree.write("/early.md", "written before the process began")
        tools.call("write", {"path": "/new.md", "content": "new"})
        tree.write("/new.md", "newer")  # not sent to the worker before the crash
        tree.delete("/a.md")

        with pytest.raises(CallError):
            tools.call("write", {"path": "/lost.md", "content": "die"})

        early = tools.call("read", {"path": "/early.md"})
        new = tools.call("read", {"path": "/new.md"})
        assert early["content"] == "written before the process began"
        assert new["content"] == "newer"
        with pytest.raises(CallError, match="not_found"):
            tools.call("read", {"path": "/a.md"})

    def test_a_tool_that_never_ends_fails_its_call_only(self, tool_server):
        with Worker(tool_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
            tree = FileTree({})
            tools = tools_in(worker, tree, {})
            tree.write("/x.md", "aaa")

            with pytest.raises(CallError, match=r"0.3 s of CPU"):
                tools.call("loop_without_end", {})

            assert tools.call("read", {"path": "/x.md"})["content"] == "aaa"


class TestResultsOfTools:
    """A result is data that JSON can hold, of a bounded size.

    The tool `return_given` returns its argument `result`, whatever that is.
    """

    def test_a_result_of_a_worker_is_not_copied(self, worker):
        """`plain_result` copies what a call returns, to make sure that it is plain data. What a
        worker sent is plain already, and may have megabytes."""
        tools = tools_in(worker, FileTree({}), {})
        result = tools.call(
            "return_given", {"result": {"entries": [{"n": [1.5, None]}]}}
        )

        plain = plain_result("return_given", lambda: result)

        assert plain["entries"] is result["entries"]

    @pytest.mark.parametrize(
        "entries",
        [
            pytest.param([[]] * 10_001, id="10,001 lists"),
            pytest.param([0] * 400_002, id="400,002 numbers"),
        ],
    )
    def test_a_result_of_too_many_parts_fails_its_call(self, worker, entries):
        tools = tools_in(worker, FileTree({}), {})

        with pytest.raises(
            CallError, match="more than 10000 lists and mappings, or 400000 values"
        ):
            tools.call("return_given", {"result": {"entries": entries}})

    def test_a_result_that_is_nested_too_deeply_fails_its_call(self, worker):
        tools = tools_in(worker, FileTree({}), {})
        nested = []
        for _ in range(100):  # With the mapping around it, the result has 101 levels.
            nested = [nested]

        with pytest.raises(CallError, match="nested deeper than 100 levels"):
            tools.call("return_given", {"result": {"x": nested}})
