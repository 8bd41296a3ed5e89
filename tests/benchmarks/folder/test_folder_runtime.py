"""The tools of a task.toml: which call fits, what it prints, and what it changes."""

from typing import Any

import pytest

from benchmarks.folder.folder_runtime import FolderRuntime
from benchmarks.folder.task_file import Tool
from sandbox.interface import CallError

FILES = {"/loans/ada/l-1.json": '{"due": 1, "by": {"name": "Ada", "age": 9}}', "/loans/l-2.json": "[]", "/a.md": "a"}
FILES |= {"/t.csv": 'id,name,n\n1,"a, b",0\n2,b\n', "/y.yaml": "# y\nstate: open\nlist:\n  - state: x\n"}
FILES |= {"/u.csv": "id,name\n2,b", "/m.md": '---\nstate: "open"\n---\n# State: none\nstate: open\n'}
RENEW = Tool.model_validate(
    {
        "path": "/bin/renew",
        "kind": "changes",
        "summary": "renews",
        "help": "renew LOAN TIMES",
        "call": [
            {
                "args": r"(l-\d) (\S+)",
                "file": "/loans/*/{1}.json",
                "set": {"due": "{2}", "by": {"name": "B{2}"}, "list": ["{1}", 3]},
                "prints": "renewed {1}\n",
            },
            {"args": "flat (.*)", "file": "/loans/{1}.json", "set": {"due": 2}},
            {"args": "show (.+)", "shows": "{1}", "prints": "--\n"},
            {"args": r"once (l-\d)", "file": "/loans/*/{1}.json", "when": {"due": 1}, "set": {"due": 2}},
            {"args": r"once (l-\d)", "error": "not twice\n", "exit_code": 4},
            {"args": "fail", "error": "no\n", "exit_code": 3},
            {"args": ["note", r"(l-\d)", "(.*)"], "file": "/notes/{1}.md", "append": "- {2}\n"},
            {"args": ["add", "(.+)", "(.+)"], "file": "/u.csv", "append": "{1},{2}\n"},
            {"args": "drop (.+)", "file": "{1}", "delete": True},
            {
                "args": ["row", "(.+)", "(.+)"],
                "file": "/t.csv",
                "row": {"id": "{1}"},
                "set": {"name": "{2}", "n": "{1}"},
            },
            {"args": "was 2", "file": "/t.csv", "row": {"id": 2}, "when": {"name": "b"}, "prints": "it was\n"},
            {"args": "yaml (.+)", "file": "/y.yaml", "set": {"state": "{1}", "new": True}},
            {"args": "front (.+)", "file": "/m.md", "set": {"state": "{1}"}},
            {"prints": "bare\n"},
        ],
    }
)


def ran(*args: str, path: str = "/bin/renew") -> tuple[dict[str, Any], dict[str, str | None]]:
    tools = tools_of(FILES, RENEW)
    return execute(tools, path, *args), dict(tools.tree.changes)


def tools_of(files: dict[str, str], tool: Tool) -> FolderRuntime:
    tables = [tool.model_dump(mode="json")]
    return FolderRuntime(files, tables)


def execute(tools: FolderRuntime, path: str, *args: str) -> dict[str, Any]:
    return tools.call("exec", {"path": path, "args": list(args), "stdin": ""})


@pytest.mark.parametrize(
    ("args", "stdout", "stderr", "code"),
    [
        (("l-1", "7"), "renewed l-1\n", "", 0),
        ((), "bare\n", "", 0),
        (("fail",), "", "no\n", 3),
        (("--help",), "usage: renew LOAN TIMES\n", "", 0),
        (("show", "/a.md"), "a--\n", "", 0),
        (("show", "/b.md"), "", "renew: there is no /b.md; there is /a.md\n", 1),
        (("what",), "", "renew: it takes no such arguments; see --help\n", 1),
        (("l-1", "7", "x"), "", "renew: it takes no such arguments; see --help\n", 1),
        (("l-9", "7"), "", "renew: 0 files fit /loans/*/l-9.json\n", 1),
        (("flat", "l-2"), "", "renew: /loans/l-2.json holds no JSON object\n", 1),
        (("flat", "../a"), "", "renew: 0 files fit /loans/../a.json\n", 1),
    ],
)
def test_the_first_call_that_fits_is_made(args: tuple[str, ...], stdout: str, stderr: str, code: int) -> None:
    assert ran(*args)[0] == {"stdout": stdout, "stderr": stderr, "exit_code": code}


def test_a_call_fits_only_in_the_state_that_it_names() -> None:
    tools = tools_of(FILES, RENEW)
    codes = [execute(tools, "/bin/renew", "once", "l-1")["exit_code"] for _ in range(2)]
    assert codes == [0, 4]
    assert execute(tools, "/bin/renew", "once", "l-9")["exit_code"] == 4


@pytest.mark.parametrize(
    ("args", "path", "text"),
    [
        (("note", "l-1", "a word, and more"), "/notes/l-1.md", "- a word, and more\n"),
        (("drop", "/a.md"), "/a.md", None),
        (("add", "3", "c d"), "/u.csv", "id,name\n2,b\n3,c d\n"),
        (("row", "1", "x y"), "/t.csv", "id,name,n\n1,x y,1\n2,b\n"),
        (("row", "2", 'q"'), "/t.csv", 'id,name,n\n1,"a, b",0\n2,"q""",2\n'),
        (("yaml", "no"), "/y.yaml", '# y\nstate: "no"\nlist:\n  - state: x\nnew: true\n'),
        (("front", "done"), "/m.md", "---\nstate: done\n---\n# State: none\nstate: open\n"),
    ],
)
def test_a_call_appends_deletes_and_sets_files_of_every_kind(
    args: tuple[str, ...], path: str, text: str | None
) -> None:
    result, changes = ran(*args)
    assert (result["exit_code"], changes) == (0, {path: text}), result


@pytest.mark.parametrize(
    ("first", "files", "changes"),
    [
        ("a[1]", {"/n/a1.md": "other\n"}, {"/n/a[1].md": "x\nx\n"}),
        ("*", {"/n/a.md": "other\n"}, {"/n/*.md": "x\nx\n"}),
        ("q?", {"/n/qu.md": "other\n"}, {"/n/q?.md": "x\nx\n"}),
        ("./a", {"/n/a.md": "old\n"}, {}),  # refused: an addition never replaces a file
    ],
)
def test_an_argument_names_one_file_and_is_no_pattern(
    first: str, files: dict[str, str], changes: dict[str, str]
) -> None:
    call = {"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}
    tool = Tool.model_validate({"path": "/bin/n", "kind": "changes", "call": [call]})
    tools = tools_of(files, tool)
    for _ in range(2):
        execute(tools, "/bin/n", first)
    assert tools.tree.changes == changes


def test_tools_are_listed_and_neither_written_nor_called_by_another_name() -> None:
    tools = tools_of(FILES, RENEW)
    assert tools.tree.read("/bin/renew")["content"] == "#!tool\nrenews\n"
    for call in (
        lambda: tools.tree.write("/bin/renew", ""),
        lambda: tools.tree.delete("/bin/renew"),
        lambda: execute(tools, "/bin/none"),
    ):
        with pytest.raises(CallError):
            call()
    assert tools.tree.changes == {}
