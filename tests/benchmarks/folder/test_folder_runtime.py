"""The tools of a task.toml: which call fits, what it prints, and what it changes."""

from typing import Any

import pytest

from benchmarks.folder.folder_runtime import FolderRuntime
from benchmarks.folder.task_file import Tool
from sandbox.interface import CallError

FILES = {"/loans/ada/l-1.json": '{"due": 1, "by": {"name": "Ada", "age": 9}}', "/loans/l-2.json": "[]", "/a.md": "a"}
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
            {"prints": "bare\n"},
        ],
    }
)


def ran(*args: str, path: str = "/bin/renew") -> tuple[dict[str, Any], dict[str, str | None]]:
    runtime = FolderRuntime(FILES, [RENEW.model_dump(mode="json")])
    return runtime.call("exec", {"path": path, "args": list(args)}), dict(runtime.changes)


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


@pytest.mark.parametrize(("given", "held"), [("7", "7"), ("seven", '"seven"'), ("07", '"07"'), ("0", "0")])
def test_a_call_sets_fields_and_merges_objects(given: str, held: str) -> None:
    _, changes = ran("l-1", given)
    text = changes["/loans/ada/l-1.json"] or ""
    assert f'"due": {held},' in text
    assert f'"name": "B{given}"' in text
    assert '"age": 9' in text
    assert list(changes) == ["/loans/ada/l-1.json"]


def test_a_call_fits_only_in_the_state_that_it_names() -> None:
    runtime = FolderRuntime(FILES, [RENEW.model_dump(mode="json")])
    codes = [runtime.call("exec", {"path": "/bin/renew", "args": ["once", "l-1"]})["exit_code"] for _ in range(2)]
    assert codes == [0, 4]
    assert runtime.call("exec", {"path": "/bin/renew", "args": ["once", "l-9"]})["exit_code"] == 4


def test_a_call_that_fails_changes_nothing() -> None:
    for args in (("what",), ("fail",), ("l-9", "7"), ("flat", "l-2"), ("--help",)):
        assert ran(*args)[1] == {}


def test_tools_are_listed_and_neither_written_nor_called_by_another_name() -> None:
    runtime = FolderRuntime(FILES, [RENEW.model_dump(mode="json")])
    assert runtime.call("read", {"path": "/bin/renew"})["content"] == "#!tool\nrenews\n"
    for operation, arguments in (
        ("write", {"path": "/bin/renew", "content": ""}),
        ("delete", {"path": "/bin/renew"}),
        ("exec", {"path": "/bin/none"}),
        ("exec", {"path": "/bin/renew", "what": 1}),
        ("fly", {}),
    ):
        with pytest.raises(CallError):
            runtime.call(operation, arguments)  # type: ignore[arg-type] # a table of calls of many shapes
    assert runtime.changes == {}
