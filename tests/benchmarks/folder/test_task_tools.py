"""Tools that a task defines: programs that scripts run, such as `/bin/renew l-1 7`.

    [[tool]]
    path = "/bin/renew"
    kind = "changes"
    [[tool.call]]
    args = '(l-\\d) (\\S+)'
    file = "/loans/*/{1}.json"
    set = {due = "{2}"}

A run of a tool makes the first of its calls whose `args` fit: here the file of the loan l-1 is changed.
"""

import json
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file.tool_table import Tool
from controlplane.sandbox.interface import CallError

FILES = {
    "/a.md": "a",
    "/loans/ada/l-1.json": '{"due": 1, "by": {"name": "Ada", "age": 9}}',
    "/loans/l-2.json": "[]",
    "/t.csv": "id,name\n2,b\n",
}
"""The files of the task. The first loan, l-1, is an object in JSON; the second, l-2, is a list."""

RENEW = "/bin/renew"
"""The path of the tool of a task."""

Call = dict[str, Any]
"""What a tool does for some arguments. A tool has a list of calls; the first that fits is made.

- `args`: a pattern for all arguments, joined by spaces; or a list with a pattern for each.
  `{1}` stands in the other keys for what its first group matched: `l-1` for `l-1 7`.
- `file`: the path of the file that the call is about. `*` stands for any folder.
- `row`: for a table, the cells by which the row is found.
- `when`: the fields that the file must have. Otherwise the call does not fit.
- `set`, `append`, `delete`: what happens to the file.
- `prints`, `shows`, `error`, `exit_code`: a text, the text of a file, or a failure.
"""

RENEW_LOAN: Call = {
    "args": r"(l-\d) (\S+)",
    "file": "/loans/*/{1}.json",
    "set": {"due": "{2}", "by": {"name": "B{2}"}, "list": ["{1}", 3]},
    "prints": "renewed {1}\n",
}
"""For `renew l-1 7`: changes three fields of the file `/loans/ada/l-1.json`, and prints a line."""

SHOW_FILE: Call = {"args": "show (.+)", "shows": "{1}", "prints": "--\n"}
"""For `renew show /a.md`: prints the text of this file, and then two dashes."""


def tool_with(*calls: Call) -> Tool:
    """Return the tool `renew` with these calls."""
    return Tool.model_validate(
        {
            "path": RENEW,
            "kind": "changes",
            "summary": "renews",
            "help": "renew LOAN TIMES",
            "call": list(calls),
        }
    )


def runtime_with(tool: Tool, files: dict[str, str]) -> FolderRuntime:
    """Return the world of a task that has this tool and these files. It runs tools for scripts."""
    return FolderRuntime(files, [tool.model_dump(mode="json")])


def run_tool(runtime: FolderRuntime, path: str, *arguments: str) -> dict[str, Any]:
    """Run a tool as a script does.

    Returns what it printed: `{"stdout": "renewed l-1\\n", "stderr": "", "exit_code": 0}`.
    """
    return runtime.call("exec", {"path": path, "args": list(arguments), "stdin": ""})


@pytest.fixture
def runtime() -> FolderRuntime:
    """The world of a task with `FILES` and the tool `renew`, whose only call is `RENEW_LOAN`."""
    return runtime_with(tool_with(RENEW_LOAN), FILES)


class TestPrintedTexts:
    """A call prints a text, in which `{1}` stands for the first argument.

    The tool is `/bin/renew`. `RENEW_LOAN` is its call for `renew l-1 7`, and prints
    `renewed {1}`. `SHOW_FILE` is that for `renew show /a.md`, and prints the text of this
    file and then two dashes.
    """

    @pytest.mark.parametrize(
        ("call", "arguments", "stdout"),
        [
            pytest.param(
                RENEW_LOAN, ["l-1", "7"], "renewed l-1\n", id="a loan and a number"
            ),
            pytest.param({"prints": "bare\n"}, [], "bare\n", id="no arguments"),
            pytest.param(SHOW_FILE, ["show", "/a.md"], "a--\n", id="a file and a text"),
            pytest.param(
                {
                    "args": "was 2",
                    "file": "/t.csv",
                    "row": {"id": 2},
                    "when": {"name": "b"},
                    "prints": "it was\n",
                },
                ["was", "2"],
                "it was\n",
                id="a text if a table has a cell",
            ),
        ],
    )
    def test_a_call_that_fits_the_arguments_prints_its_text(
        self, call: Call, arguments: list[str], stdout: str
    ) -> None:
        runtime = runtime_with(tool_with(call), FILES)

        result = run_tool(runtime, RENEW, *arguments)

        assert result == {"stdout": stdout, "stderr": "", "exit_code": 0}

    def test_every_tool_prints_its_help(self, runtime: FolderRuntime) -> None:
        """The value of the tool's key `help` is printed after "usage: ". No call is made."""
        result = run_tool(runtime, RENEW, "--help")

        assert result == {
            "stdout": "usage: renew LOAN TIMES\n",
            "stderr": "",
            "exit_code": 0,
        }


class TestChoiceOfCall:
    """A tool has a list of calls, of which the first that fits is made.

    `RENEW` is the path of the tool, `/bin/renew`.
    """

    @pytest.mark.parametrize(
        ("argument", "stdout"),
        [
            pytest.param("ab", "begins with a\n", id="the first two fit"),
            pytest.param("b", "is b\n", id="only the third fits"),
        ],
    )
    def test_the_first_call_that_fits_the_arguments_is_made(
        self, argument: str, stdout: str
    ) -> None:
        """The tool has three calls, the first of them for all arguments that begin with `a`."""
        tool = tool_with(
            {"args": "a.*", "prints": "begins with a\n"},
            {"args": "ab", "prints": "is ab\n"},
            {"args": "b", "prints": "is b\n"},
        )
        runtime = runtime_with(tool, FILES)

        assert run_tool(runtime, RENEW, argument)["stdout"] == stdout

    def test_a_call_fits_only_if_its_file_has_the_values_that_it_names(self) -> None:
        """Three calls are tried in this order. The key `when` names values of fields.

        The loan l-1 has `"due": 1`, which is not the same as `true`. The first run makes it 2.
        """
        loan_call = {"args": r"once (l-\d)", "file": "/loans/*/{1}.json"}
        not_twice = 4
        tool = tool_with(
            {
                **loan_call,
                "when": {"due": True},
                "error": "due is true\n",
                "exit_code": 5,
            },
            {**loan_call, "when": {"due": 1}, "set": {"due": 2}},
            {"args": r"once (l-\d)", "error": "not twice\n", "exit_code": not_twice},
        )
        runtime = runtime_with(tool, FILES)

        first_run = run_tool(runtime, RENEW, "once", "l-1")
        second_run = run_tool(runtime, RENEW, "once", "l-1")
        run_for_missing_file = run_tool(runtime, RENEW, "once", "l-9")

        assert first_run["exit_code"] == 0
        assert second_run["exit_code"] == not_twice
        assert run_for_missing_file["exit_code"] == not_twice


SET_DUE: Call = {
    "args": "set-due (.*)",
    "file": "/loans/{1}.json",
    "set": {"due": 2},
}
"""For `renew set-due l-2`: sets a field of the file `/loans/l-2.json`."""


class TestFailures:
    """A run that fails prints a text on stderr, and has an exit code, as a program would.

    `RENEW_LOAN` changes the file of the loan in `l-1 7`, and `SET_DUE` that of the loan in
    `set-due l-2`, which must have an object in JSON. `SHOW_FILE` is for `show FILE`.
    """

    @pytest.mark.parametrize(
        ("call", "arguments", "stderr"),
        [
            pytest.param(
                SHOW_FILE,
                ["show", "/b.md"],
                "renew: there is no /b.md; there is /a.md\n",
                id="a file that does not exist",
            ),
            pytest.param(
                RENEW_LOAN,
                ["what"],
                "renew: it takes no such arguments; see --help\n",
                id="an unknown argument",
            ),
            pytest.param(
                RENEW_LOAN,
                ["l-1", "7", "x"],
                "renew: it takes no such arguments; see --help\n",
                id="an argument too many",
            ),
            pytest.param(
                RENEW_LOAN,
                ["l-9", "7"],
                "renew: 0 files fit /loans/*/l-9.json\n",
                id="a loan that does not exist",
            ),
            pytest.param(
                SET_DUE,
                ["set-due", "l-2"],
                "renew: /loans/l-2.json holds no JSON object\n",
                id="a file that is a list",
            ),
            pytest.param(
                SET_DUE,
                ["set-due", "../a"],
                "renew: 0 files fit /loans/../a.json\n",
                id="a path that leads to another folder",
            ),
        ],
    )
    def test_a_call_that_cannot_be_made_says_why(
        self, call: Call, arguments: list[str], stderr: str
    ) -> None:
        """The script gets the message and the exit code 1, as from a program."""
        runtime = runtime_with(tool_with(call), FILES)

        result = run_tool(runtime, RENEW, *arguments)

        assert result == {"stdout": "", "stderr": stderr, "exit_code": 1}

    def test_a_call_may_be_defined_to_fail(self) -> None:
        """A task's author decides that some arguments are refused, with a text and an exit code."""
        tool = tool_with({"args": "fail", "error": "no\n", "exit_code": 3})
        runtime = runtime_with(tool, FILES)

        result = run_tool(runtime, RENEW, "fail")

        assert result == {"stdout": "", "stderr": "no\n", "exit_code": 3}


class ExpectedChange(NamedTuple):
    """A run of a tool with one call, and the only file that it changes, before and after."""

    call: Call
    arguments: list[str]
    path: str
    before: str | None
    """The file's text; None if there is no such file."""
    after: str | None
    """The file's text; None if the file is deleted."""


def assert_is_made(change: ExpectedChange) -> None:
    """Run the tool on the file as it was before, and assert that it changes this file alone."""
    files = {**FILES}
    if change.before is not None:
        files[change.path] = change.before
    runtime = runtime_with(tool_with(change.call), files)

    result = run_tool(runtime, RENEW, *change.arguments)

    assert result["exit_code"] == 0, result
    assert runtime.tree.changes == {change.path: change.after}


SET_ROW: Call = {
    "args": ["row", "(.+)", "(.+)"],
    "file": "/t.csv",
    "row": {"id": "{1}"},
    "set": {"name": "{2}", "n": "{1}"},
}
"""For `renew row 2 x`: sets the cells `name` and `n` in the row of the table that has the id 2."""


class TestChanges:
    """A call may append to its file, or delete it.

    In the values of its keys, `{1}` and `{2}` stand for arguments:
    `{"file": "{1}", "delete": True}` deletes the file that the first argument names.
    """

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(
                ExpectedChange(
                    {
                        "args": ["note", r"(l-\d)", "(.*)"],
                        "file": "/notes/{1}.md",
                        "append": "- {2}\n",
                    },
                    ["note", "l-1", "a word, and more"],
                    "/notes/l-1.md",
                    before=None,
                    after="- a word, and more\n",
                ),
                id="append to a new file",
            ),
            pytest.param(
                ExpectedChange(
                    {
                        "args": ["add", "(.+)", "(.+)"],
                        "file": "/u.csv",
                        "append": "{1},{2}\n",
                    },
                    ["add", "3", "c d"],
                    "/u.csv",
                    before="id,name\n2,b",
                    after="id,name\n2,b\n3,c d\n",
                ),
                id="append to a file without a newline at its end",
            ),
            pytest.param(
                ExpectedChange(
                    {"args": "drop (.+)", "file": "{1}", "delete": True},
                    ["drop", "/a.md"],
                    "/a.md",
                    before="a",
                    after=None,
                ),
                id="delete",
            ),
        ],
    )
    def test_a_call_appends_to_deletes_or_sets_fields_of_a_file(
        self, change: ExpectedChange
    ) -> None:
        assert_is_made(change)


class TestChangesOfFields:
    """The key `set` changes cells of a table, or fields of YAML, and keeps everything else.

    A row of a table is found by some of its cells: `SET_ROW` has `"row": {"id": "{1}"}`.
    """

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(
                ExpectedChange(
                    SET_ROW,
                    ["row", "1", "x y"],
                    "/t.csv",
                    before='id,name,n\n1,"a,\r\nb",0\n2,b\n',
                    after="id,name,n\n1,x y,1\n2,b\n",
                ),
                id="set cells of a table",
            ),
            pytest.param(
                ExpectedChange(
                    SET_ROW,
                    ["row", "2", 'q"'],
                    "/t.csv",
                    before='id,name,n\n1,"a,\r\nb",0\n2,b\n',
                    after='id,name,n\n1,"a,\r\nb",0\n2,"q""",2\n',
                ),
                id="set cells of a short row",
            ),
            pytest.param(
                ExpectedChange(
                    {
                        "args": "yaml (.+)",
                        "file": "/y.yaml",
                        "set": {"state": "{1}", "new": True},
                    },
                    ["yaml", "no"],
                    "/y.yaml",
                    before="# y\nstate: open\nlist:\n  - state: x\n",
                    after='# y\nstate: "no"\nlist:\n  - state: x\nnew: true\n',
                ),
                id="set fields of YAML",
            ),
            pytest.param(
                ExpectedChange(
                    {"args": "front (.+)", "file": "/m.md", "set": {"state": "{1}"}},
                    ["front", "done"],
                    "/m.md",
                    before='---\nstate: "open"\n---\n# State: none\nstate: open\n',
                    after="---\nstate: done\n---\n# State: none\nstate: open\n",
                ),
                id="set a field of the YAML at the beginning of a page",
            ),
        ],
    )
    def test_a_call_appends_to_deletes_or_sets_fields_of_a_file(
        self, change: ExpectedChange
    ) -> None:
        assert_is_made(change)


class TestFieldsOfJson:
    """A call sets some fields of a JSON file, and keeps the others.

    The loan l-1 of `FILES` is `{"due": 1, "by": {"name": "Ada", "age": 9}}`.
    """

    def test_a_call_sets_fields_of_json_and_keeps_the_others(
        self, runtime: FolderRuntime
    ) -> None:
        """`RENEW_LOAN` sets `{"due": "{2}", "by": {"name": "B{2}"}, "list": ["{1}", 3]}`.

        `{2}` alone becomes a number, since the argument is one. Of `by`, only the name is set.
        """
        before = json.loads(FILES["/loans/ada/l-1.json"])
        assert before == {"due": 1, "by": {"name": "Ada", "age": 9}}

        run_tool(runtime, RENEW, "l-1", "7")

        ((path, text),) = runtime.tree.changes.items()
        assert path == "/loans/ada/l-1.json"
        assert text is not None
        assert json.loads(text) == {
            "due": 7,
            "by": {"name": "B7", "age": 9},
            "list": ["l-1", 3],
        }


APPENDING_TOOL = Tool.model_validate(
    {
        "path": "/bin/note",
        "kind": "changes",
        "call": [{"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}],
    }
)
"""A tool that appends the line `x` to the file that its argument names: `a` means `/n/a.md`."""


class TestNamesOfFiles:
    """An argument names the file that a call changes, and no other.

    The tool appends the line `x` to the file that its argument names: `a` means `/n/a.md`.
    """

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
        """The argument `*` means the file `/n/*.md`, and no other that this pattern would fit.

        The tool is run twice: it creates the file and then appends to it.
        """
        runtime = runtime_with(APPENDING_TOOL, {other_file: "other\n"})

        run_tool(runtime, APPENDING_TOOL.path, argument)
        run_tool(runtime, APPENDING_TOOL.path, argument)

        assert runtime.tree.changes == {f"/n/{argument}.md": "x\nx\n"}

    def test_an_argument_that_spells_a_file_in_another_way_is_refused(self) -> None:
        """`/n/./a.md` is the same as `/n/a.md`, but a tool must be given the path as it is listed.

        Otherwise the text of the file might be replaced by the addition.
        """
        runtime = runtime_with(APPENDING_TOOL, {"/n/a.md": "old\n"})

        run_tool(runtime, APPENDING_TOOL.path, "./a")
        run_tool(runtime, APPENDING_TOOL.path, "./a")

        assert runtime.tree.changes == {}


class TestToolsAsFiles:
    """A tool is also a file of the task, which shows its summary: "renews"."""

    def test_a_tool_can_be_read_but_not_written_or_deleted(
        self, runtime: FolderRuntime
    ) -> None:
        assert runtime.tree.read(RENEW)["content"] == "#!tool\nrenews\n"

        with pytest.raises(CallError):
            runtime.tree.write(RENEW, "")
        with pytest.raises(CallError):
            runtime.tree.delete(RENEW)

        assert runtime.tree.changes == {}

    def test_a_tool_that_is_not_defined_cannot_be_run(
        self, runtime: FolderRuntime
    ) -> None:
        """The task defines `/bin/renew` only."""
        with pytest.raises(CallError):
            run_tool(runtime, "/bin/none")

        assert runtime.tree.changes == {}
