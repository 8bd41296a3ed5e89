"""`WorkerTools`: tools of a trial that run in a worker, an isolated process, over its files.

The files are twice: as a tree in the worker, for the tools, and as one in the parent, for
scripts. Each tree gets the changes of the other: after `tools.call("write", {"path": "/a", ...})`
the parent's `tree.read("/a")` gives the new text. If the worker dies, no change is lost.
"""

import pytest

from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface import CallError, plain_result
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.files.tool_worlds import (
    TOOL_MODULE,
    WORLD_FILES,
    FilesAsMapping,
    world_in,
)


@pytest.fixture(scope="module")
def tool_server():
    """A fork server, which forks the workers, and has imported the tools before."""
    with ForkServer([TOOL_WORLD, TOOL_MODULE]) as server:
        yield server


@pytest.fixture
def world(tool_server):
    """A world with 101 files, an empty folder, and data for its tools."""
    with Worker(tool_server) as worker:
        yield world_in(
            worker,
            FilesAsMapping(WORLD_FILES),
            directories=("/empty",),
            data={"n": 1},
        )


class TestSharedFiles:
    """The worker and the parent see the changes of each other.

    `world.tools` run in the worker, `world.tree` is the file tree in the parent, which scripts
    use. Both begin with 101 files, an empty folder and the data `{"n": 1}`.
    """

    def test_the_tools_get_the_folders_and_the_data_of_their_world(self, world):
        """The fixture `world` has an empty folder and the data `{"n": 1}`, which the tool `data`
        returns."""
        assert world.tools.call("data", {}) == {"data": {"n": 1}}
        assert world.tools.call("list", {"path": "/empty"})["entries"] == []

    def test_the_worker_and_the_file_tree_see_the_changes_of_each_other(self, world):
        """`tree` is the file tree in the parent, which scripts use. It and a tool of the worker
        change files in turn; the worker's process begins with its first call."""
        world.tree.write("/early.md", "written before the process began")
        world.tools.call("write", {"path": "/new.md", "content": "new"})
        world.tree.delete("/a.md")
        world.tree.write("/new.md", "newer")

        assert world.tree.changes == {
            "/early.md": "written before the process began",
            "/new.md": "newer",
            "/a.md": None,
        }
        assert world.read("/new.md") == "newer"


class TestWorkersThatDie:
    """A worker that dies, or is ended, loses no change but that of its last call.

    The parent has all changes, and sends them to the process that takes the dead worker's place.
    A tool of these tests crashes when it has written "die".
    """

    def test_changes_outlive_the_process_of_a_worker_that_dies(self, world):
        """The next call gets a new process, with all changes but the one of the call that
        failed."""
        world.tree.write("/early.md", "written before the process began")
        world.tools.call("write", {"path": "/new.md", "content": "new"})
        world.tree.write("/new.md", "newer")
        world.tree.delete("/a.md")

        # The tool `write` of these tests crashes when it has written "die".
        with pytest.raises(CallError):
            world.tools.call("write", {"path": "/lost.md", "content": "die"})

        assert "/lost.md" not in world.tree.changes
        assert world.read("/new.md") == "newer"
        assert world.read("/early.md").startswith("written")
        for missing_path in ("/a.md", "/lost.md"):
            with pytest.raises(CallError, match="not_found"):
                world.read(missing_path)

    def test_a_tool_that_never_ends_fails_one_call_and_loses_no_change(
        self, tool_server
    ):
        """The tool is ended after 0.3 s of CPU, and the next call gets a new process."""
        with Worker(tool_server, limits=WorkerLimits(call_cpu_s=0.3)) as worker:
            world = world_in(worker)
            world.tree.write("/x.md", "aaa")

            with pytest.raises(CallError, match=r"0.3 s of CPU"):
                world.tools.call("loop_without_end", {})

            assert world.read("/x.md") == "aaa"


class TestResultsOfTools:
    """A result is data that JSON can hold, of a bounded size.

    The tool `return_given` returns the argument `result`, whatever it is.
    """

    def test_a_checked_result_of_a_worker_is_not_copied(self, world):
        """`plain_result` checks that the result of a call is data that JSON can hold, and copies
        it. Of a result that came from a worker this is known, and it may have megabytes."""
        result = world.tools.call(
            "return_given", {"result": {"entries": [{"n": [1.5, None]}]}}
        )

        plain = plain_result("return_given", lambda: result)

        assert plain["entries"] is result["entries"]

    @pytest.mark.parametrize(
        "entries",
        [
            pytest.param([[]] * 10_001, id="too many lists"),
            pytest.param([0] * 400_002, id="too many numbers"),
        ],
    )
    def test_a_result_of_too_many_parts_fails_its_call(self, world, entries):
        """The tool returns the result that it is given, which its caller must be protected from."""
        with pytest.raises(
            CallError, match="more than 10000 lists and mappings, or 400000 values"
        ):
            world.tools.call("return_given", {"result": {"entries": entries}})

    def test_a_result_that_is_nested_too_deeply_fails_its_call(self, world):
        """`[[[...]]]` has 101 levels, and stands in a mapping."""
        nested = []
        for _ in range(100):
            nested = [nested]

        with pytest.raises(CallError, match="nested deeper than 100 levels"):
            world.tools.call("return_given", {"result": {"x": nested}})
