"""Paths of files that a tool changes, and of the tool itself."""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.folder.tools.tool_runs import Call, run_in, runtime_with

APPEND_TO_FILE: Call = {"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}
"""Appends the line `x` to the file that the argument names: `a` means `/n/a.md`."""


class TestNamesOfFiles:
    """An argument names the file that a call changes, and no other."""

    @pytest.mark.parametrize(
        ("argument", "other_file"),
        [
            pytest.param("a[1]", "/n/a1.md", id="brackets"),
            pytest.param("*", "/n/a.md", id="asterisk"),
            pytest.param("q?", "/n/qu.md", id="question mark"),
        ],
    )
    def test_an_argument_with_signs_of_a_pattern_names_one_new_file(
        self, argument: str, other_file: str
    ) -> None:
        """The argument `*` means the file `/n/*.md`, and no other that this pattern would fit."""
        runtime = runtime_with([APPEND_TO_FILE], {other_file: "other\n"})

        run_in(runtime, argument)  # This creates the file,
        run = run_in(runtime, argument)  # and this appends to it.

        assert run.changes == {f"/n/{argument}.md": "x\nx\n"}

    def test_an_argument_that_spells_a_file_in_another_way_is_refused(self) -> None:
        """`/n/./a.md` is the same as `/n/a.md`, but a tool must be given the path as it is listed.

        Otherwise the text of the file might be replaced by the addition.
        """
        runtime = runtime_with([APPEND_TO_FILE], {"/n/a.md": "old\n"})

        run_in(runtime, "./a")
        run = run_in(runtime, "./a")

        assert run.changes == {}


class TestToolsAsFiles:
    """A tool is also a file of the task, which shows its summary: "renews"."""

    def test_a_tool_can_be_read_but_not_written_or_deleted(self) -> None:
        runtime = runtime_with([], files={})

        assert runtime.tree.read("/bin/renew")["content"] == "#!tool\nrenews\n"
        with pytest.raises(CallError):
            runtime.tree.write("/bin/renew", "")
        with pytest.raises(CallError):
            runtime.tree.delete("/bin/renew")
        assert runtime.tree.changes == {}

    def test_a_tool_that_is_not_defined_cannot_be_run(self) -> None:
        """The task defines `/bin/renew` only."""
        runtime = runtime_with([], files={})

        with pytest.raises(CallError):
            runtime.call("exec", {"path": "/bin/none", "args": [], "stdin": ""})

        assert runtime.tree.changes == {}
