"""How functions read a shop's workspace, its files and tools, and report calls that fail.

A function gets a harness, by which it makes calls: `read`, `find`, `search` and `exec`, which
runs a tool. `WorkspaceReader(harness).read("/docs/a.md")` returns the text of a file. It raises
`LookupError` if there is no such file, and `CannotRead` if that cannot be found out.
"""

import pytest

from controlplane.benchmarks.shop.workspace.tool_uses import possible_tools
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError


class TestUndeclaredTools:
    """If an environment does not declare its tools, they are guessed from its paths."""

    def test_without_a_declaration_a_path_without_suffix_may_be_a_tool(self):
        """`/docs` and `/proc` have no suffix either, but there are paths below them."""
        paths = ["/bin/id", "/docs/a.md", "/docs", "/proc/x/b.json", "/proc"]

        tools = possible_tools(paths)

        no_description = ""
        assert tools == {"/bin/id": no_description}


class HarnessWithOutcomes:
    """A harness that answers each call with an outcome which the test has chosen.

    `outcomes` has them by operation and first argument: `{("read", "/a.md"): {"content": "text"}}`.
    An outcome is a result or a `CallError`. A list has one for each time that a call is made.
    """

    def __init__(self, outcomes):
        self.known = ()  # The trial has made no calls before.
        self.executables = {"/bin/id": "who is signed in"}
        self.outcomes = outcomes
        self.batches = []
        """The operations of the calls that were made together: `[["read", "read"], ["exec"]]`."""

    def side_by_side(self, calls):
        """Return the outcomes of calls such as `[("read", {"path": "/a.md"})]`."""
        self.batches.append([operation for operation, _ in calls])
        results = []
        for operation, arguments in calls:
            first_argument, *_ = arguments.values()
            outcome = self.outcomes[operation, first_argument]
            if isinstance(outcome, list):
                outcome = outcome.pop(0)
            results.append(outcome)
        return results


class TestUnreadableFiles:
    """What cannot be read to its end must not be taken for the whole.

    A function may rely on it that a file is missing, but learns nothing from a failed read.
    """

    @pytest.mark.parametrize(
        ("outcome", "error"),
        [
            pytest.param(
                CallError("not_found", "there is none"), LookupError, id="missing file"
            ),
            pytest.param(
                CallError("unavailable", "down"), CannotRead, id="failed call"
            ),
            pytest.param(
                {"content": "te", "truncated": True},
                CannotRead,
                id="result that is cut off",
            ),
        ],
    )
    def test_a_missing_file_raises_another_error_than_a_failed_read(
        self, outcome, error
    ):
        """`LookupError` is for the missing file, `CannotRead` for the two other cases."""
        harness = HarnessWithOutcomes({("read", "/a"): outcome})

        with pytest.raises(error):
            WorkspaceReader(harness).read("/a")

    def test_a_file_whose_next_part_is_empty_is_reported(self) -> None:
        """The second read returns nothing, but says that there is more.

        A third one would be the same call, so the rest of the file cannot be read.
        """
        first_part = {"content": "one\n", "truncated": True}
        empty_part = {"content": "", "truncated": True}
        harness = HarnessWithOutcomes({("read", "/a"): [first_part, empty_part]})

        with pytest.raises(CannotRead, match="read /a: what came back is cut off"):
            WorkspaceReader(harness).read("/a")

    def test_a_workspace_that_is_too_large_to_list_is_reported(self) -> None:
        """The result of `find` is cut off, and `tree`, which is tried next, fails."""
        too_large = "the result of tree holds more than 1300 lists"
        harness = HarnessWithOutcomes(
            {
                ("find", "*"): {"paths": [], "truncated": True},
                ("tree", "/"): CallError("resource_exhausted", too_large),
            }
        )

        with pytest.raises(CannotRead, match=too_large):
            WorkspaceReader(harness).paths()


TIMED_OUT = {"stdout": "Herbert", "stderr": "", "exit_code": 124}
"""The result of the tool `/bin/id` if it was stopped for taking too long: its exit code is 124."""
TWO_RUNS = [["exec"], ["exec"]]
"""The calls of a function that runs a tool, and then runs it again."""


class TestToolsThatTimeOut:
    """A tool that was stopped for taking too long is run a second time, and not a third.

    Such a run has the exit code 124, and what it has printed may be incomplete.
    """

    def test_a_tool_that_timed_out_is_run_once_more(self):
        """The first run times out, and the second one succeeds."""
        success = {"stdout": "Herbert", "stderr": "", "exit_code": 0}
        harness = HarnessWithOutcomes({("exec", "/bin/id"): [TIMED_OUT, success]})

        output = WorkspaceReader(harness).run("/bin/id")

        assert output == "Herbert"
        assert harness.batches == TWO_RUNS

    def test_a_tool_that_timed_out_twice_has_failed(self):
        """It is not run a third time, and what it has printed may be incomplete."""
        harness = HarnessWithOutcomes({("exec", "/bin/id"): [TIMED_OUT, TIMED_OUT]})

        with pytest.raises(CannotRead, match="/bin/id ended with exit code 124"):
            WorkspaceReader(harness).run("/bin/id")
        assert harness.batches == TWO_RUNS


def reader_whose_call_fails(operation: str, first_argument: str) -> WorkspaceReader:
    """Return a reader whose call, such as `search` for "lamp", fails with "the shop is down"."""
    error = CallError("unavailable", "the shop is down")
    return WorkspaceReader(HarnessWithOutcomes({(operation, first_argument): error}))


class TestFailedCalls:
    """Whichever call fails, the function that made it is told why, here "the shop is down"."""

    def test_a_failed_list_of_paths_is_reported(self):
        """All paths are found by the pattern `*`."""
        reader = reader_whose_call_fails("find", "*")

        with pytest.raises(CannotRead, match="the shop is down"):
            reader.paths()

    def test_a_failed_search_is_reported(self):
        reader = reader_whose_call_fails("search", "lamp")

        with pytest.raises(CannotRead, match="the shop is down"):
            reader.search("lamp")

    def test_a_failed_run_of_a_tool_is_reported(self):
        reader = reader_whose_call_fails("exec", "/bin/id")

        with pytest.raises(CannotRead, match="the shop is down"):
            reader.run("/bin/id")
