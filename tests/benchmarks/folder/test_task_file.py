"""A task.toml and its folder: what they may say, each fault
with file and key, bounds, and nothing from outside."""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file import (
    Change,
    Expected,
    TaskFile,
    Tool,
    ToolCall,
)
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.sandbox.interface import CallError, bounds
from tests.support.command import ROOT

HEAD = 'instruction = "Count."\n'
END = '[expected]\noutcome = "OUTCOME_OK"\n'
TOOL = '[[tool]]\npath = "/bin/a"\n'
CHANGES = f'{TOOL}kind = "changes"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("instruction = \n", "t.toml:1: this is not TOML"),
        ('instruction = "x"\n\n[expected\n', "t.toml:3: this is not TOML"),
        ('instruction = """x\n', "this is not TOML"),
        (END, "t.toml: instruction: it is required"),
        (f"{HEAD}[expected]\n", "t.toml: expected.outcome: it is required"),
        (
            f'{HEAD}rule = "/A"\n{END}',
            "t.toml: rule: there is no such key; did you mean 'rules'?",
        ),
        (
            f'{HEAD}{END}answr = "2"\n',
            "t.toml: expected.answr: there is no such key; did you mean 'answer'?",
        ),
        (
            f'{HEAD}[expected]\noutcome = "OUTCOME_K"\n',
            "t.toml: expected.outcome: Input should be 'OUTCOME_OK', ",
        ),
        (
            f'{HEAD}{END}references = ["a"]\n',
            "t.toml: expected.references[0]: 'a' is not a path of the task's world",
        ),
        (f'{HEAD}{END}references = ["/a/../../b"]\n', "write it as '/b'"),
        (
            f"{HEAD}{END}pattern = '('\n",
            "t.toml: expected.pattern: error parsing regexp `(`",
        ),
        (
            f"{HEAD}{END}pattern = '\\N{{DIGIT ONE}}'\n",
            "RE2 writes a character by its number",
        ),
        (
            f"{HEAD}{END}pattern = '{'x' * 4001}'\n",
            "a pattern has at most 4000 characters, not 4001",
        ),
        (
            f'{HEAD}{END}answer = "2"\ncontains = ["2"]\n',
            "t.toml: expected.answer: answer is the only right answer",
        ),
        (
            f'{HEAD}{END}[[expected.change]]\npath = "/a"\n',
            "t.toml: expected.change[0]: exactly one of file, text and",
        ),
        (
            f'{HEAD}{END}[[expected.change]]\npath = "/a"\ntext = ""\ndeleted = true\n',
            "t.toml: expected.change[0]: exactly one of",
        ),
        (
            f'{HEAD}{TOOL}kind = "writes"\n{END}',
            "t.toml: tool[0].kind: Input should be 'reads' or 'changes'",
        ),
        (f"{HEAD}{TOOL}{TOOL}{END}", "t.toml: tool[1].path: /bin/a is defined twice"),
        (
            f'{HEAD}{CHANGES}[[tool.call]]\nfile = "/a"\n{END}',
            "t.toml: tool[0].call[0]: file and set, or file and",
        ),
        (
            f'{HEAD}{TOOL}[[tool.call]]\nfile = "/a"\nset = {{ b = 1 }}\n{END}',
            't.toml: tool[0].call[0].set: a tool that changes files needs kind = "changes"',
        ),
        (
            f"{HEAD}{TOOL}[[tool.call]]\nprints = '{{1}}'\n{END}",
            "tool[0].call[0]: {1} is named, but args has 0",
        ),
        (
            f"{HEAD}{TOOL}[[tool.call]]\nexit_code = 300\n{END}",
            "tool[0].call[0].exit_code: Input should be less",
        ),
        (
            f"{HEAD}{CHANGES}[[tool.call]]\nfile = '/a'\ndelete = true\nappend = 'x'\n{END}",
            "cannot also set or append",
        ),
        (
            f"{HEAD}{CHANGES}[[tool.call]]\nfile = '/a.csv'\nset = {{ b = 1 }}\n{END}",
            "row goes with set or when on a",
        ),
        (
            f"{HEAD}{CHANGES}[[tool.call]]\nargs = ['a', '(']\n{END}",
            "t.toml: tool[0].call[0].args: error parsing regexp `(`",
        ),
        (f"{HEAD}one = 1\ntwo = 2\n{END}", "t.toml: one: there is no such key"),
        (f"{HEAD}one = 1\ntwo = 2\n{END}", "(and 1 more)"),
    ],
)
def test_a_fault_is_told_with_file_and_key(text: str, told: str) -> None:
    with pytest.raises(BenchmarkError) as raised:
        TaskText(text, "t.toml").parsed()
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


HOSTILE = {
    "a key of 20,000 parts": ".".join(["a"] * 20_000) + " = 1\n",
    "a table's name of 20,000 parts": f"[{'.'.join(['a'] * 20_000)}]\nx = 1\n",
    "keys of 100 parts": "".join(
        f"{'a.' * 99}b{number} = 1\n" for number in range(4_500)
    ),
    "nested lists": "x = " + "[" * 100_000,
    "nested tables": "x = " + "{a = " * 100_000,
    "many tables": "".join(
        f"[[a]]\n[[a.b]]\n[a.b.c{number}]\n" for number in range(20_000)
    ),
    "one long line of blanks": "[" + " " * 900_000 + "x",
    "one long line of quotes": "a" + ".'b'" * 200_000 + "\n",
    "a key like ours": "".join(f"{'a' * 40}{number} = 1\n" for number in range(9_000)),
    "a pattern over all letters": END
    + "pattern = '(?i)"
    + f"[a-{chr(0x10FFFF)}]" * 100
    + "'\n",
    "many such patterns": TOOL
    + "".join(
        f"[[tool.call]]\nargs = '(?i)[{number}a-{chr(0x10FFFF)}]'\n"
        for number in range(300)
    ),
    "too much text": "# " + "x" * 1_000_000,
}


RUNAWAY_CPU_S = 20
"""CPU that no reading of such a text takes on any machine, unless it grows faster than the text."""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_keeps_the_process_busy(text: str) -> None:
    began = time.process_time()
    with suppress(BenchmarkError):
        TaskText(HEAD + text, "t.toml").parsed()

    assert time.process_time() - began < RUNAWAY_CPU_S


def test_every_key_is_documented() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    for table in (TaskFile, Tool, ToolCall, Expected, Change):
        shown = [
            rf"^{name} =|`{name}( =|`)|[.\[]{name}\]" for name in table.model_fields
        ]
        missing = [
            pattern for pattern in shown if not re.search(pattern, page, re.MULTILINE)
        ]
        assert missing == [], table


TASK = 'instruction = "Count."\n{}[expected]\noutcome = "OUTCOME_OK"\n{}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one task over two files."""
    put(tmp_path / "tasks/one/task.toml", TASK.format("", ""))
    put(tmp_path / "tasks/one/files/a/b.json", "{}")
    put(tmp_path / "tasks/one/files/notes.txt", "n\n")
    return tmp_path / "tasks"


def put(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def test_the_digest_follows_every_byte_and_every_name(folder: Path) -> None:
    first = read_folder(folder).digest
    assert read_folder(folder).digest == first
    put(folder / "one/files/notes.txt", "m\n")
    other = read_folder(folder).digest
    (folder / "one/files/notes.txt").rename(folder / "one/files/note.txt")
    assert len({first, other, read_folder(folder).digest}) == 3


def linked(target: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "one/files/link").symlink_to(target)


def task(head: str = "", end: str = "") -> Callable[[Path], None]:
    return lambda folder: put(folder / "one/task.toml", TASK.format(head, end))


def file(path: str, text: str | bytes) -> Callable[[Path], None]:
    return lambda folder: put(folder / path, text)


CHANGE = '[[expected.change]]\npath = "/notes.txt"\n'


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            linked("/etc/passwd"),
            "one/files/link: it is a link or below one, and links are not followed",
        ),
        (linked("notes.txt"), "one/files/link: it is a link"),
        (linked("."), "one/files/link: it is a link"),
        (
            lambda folder: os.mkfifo(folder / "one/files/pipe"),
            "one/files/pipe: it is not a file",
        ),
        (
            file("one/files/x.bin", b"ab\xff"),
            "one/files/x.bin: it is not UTF-8 text (byte 2)",
        ),
        (file("one/files/" + "d/" * 41 + "x", ""), "this name cannot be used"),
        (
            lambda folder: (folder / "one/files" / "/".join("d" * 300)).mkdir(
                parents=True
            ),
            "this name cannot be used",
        ),
        (task(f'trees = ["{"a/" * 100_000}"]\n'), "this name cannot be used"),
        (
            task(f"trees = {['files'] * 21}\n"),
            "one/task.toml: trees: Tuple should have at most 20 items",
        ),
        (
            lambda folder: (folder / "one/task.toml").unlink(),
            "no folder in it holds a task.toml",
        ),
        (file("task.toml", TASK.format("", "")), "keep one or the other"),
        (
            lambda folder: (folder / "one").rename(folder / "a\nb"),
            "a task's folder has a name of at most 200 printable",
        ),
        (
            lambda folder: (folder / "link").symlink_to("one"),
            "link/task.toml: it is a link or below one",
        ),
        (
            task('trees = ["../.."]\n'),
            "one/task.toml: trees[0]: '../..' leads out of the folder",
        ),
        (
            task('trees = ["/etc"]\n'),
            "one/task.toml: trees[0]: '/etc' leads out of the folder",
        ),
        (
            task('trees = ["files", "."]\n'),
            "one/task.toml: trees[1]: '.' would show task.toml",
        ),
        (
            task('trees = ["files/.."]\n'),
            "one/task.toml: trees[0]: 'files/..' would show task.toml",
        ),
        (
            task('trees = ["other"]\n'),
            "one/task.toml: trees[0]: there is no file below 'other'",
        ),
        (
            task("", 'references = ["/none"]\n'),
            "one/task.toml: expected.references[0]: /none is not a file",
        ),
        (
            task("", CHANGE + 'file = "../../x"\n'),
            "one/task.toml: expected.change[0].file: '../../x' leads out",
        ),
        (
            task("", CHANGE + 'file = "gone.txt"\n'),
            "one/task.toml: expected.change[0].file: there is no file 'gone",
        ),
        (
            task("", '[[expected.change]]\npath = "/none"\ndeleted = true\n'),
            "one/task.toml: expected.change[0].path: /none is not a file that could be deleted",
        ),
        (
            task('[[tool]]\npath = "/notes.txt"\n'),
            "one/task.toml: tool[0].path: /notes.txt is a file already",
        ),
        (task("oops = 1\n"), "one/task.toml: oops: there is no such key"),
    ],
)
def test_a_fault_is_told_with_its_place(
    folder: Path, change: Callable[[Path], None], told: str
) -> None:
    read_folder(folder)
    change(folder)
    with pytest.raises(BenchmarkError) as raised:
        read_folder(folder)

    assert told in str(raised.value)
    assert len(str(raised.value)) < 1_000


@pytest.mark.parametrize(
    ("bound", "most"), [("MOST_TASK_FILES", 2), ("MOST_TASK_BYTES", 20)]
)
def test_the_bounds_hold(
    folder: Path, bound: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, bound, most)
    with pytest.raises(BenchmarkError, match=r"it holds more than|it is larger than"):
        read_folder(folder)


FILES = {
    "/loans/ada/l-1.json": '{"due": 1, "by": {"name": "Ada", "age": 9}}',
    "/loans/l-2.json": "[]",
    "/a.md": "a",
}
FILES |= {
    "/t.csv": 'id,name,n\n1,"a,\r\nb",0\n2,b\n',
    "/y.yaml": "# y\nstate: open\nlist:\n  - state: x\n",
}
FILES |= {
    "/u.csv": "id,name\n2,b",
    "/m.md": '---\nstate: "open"\n---\n# State: none\nstate: open\n',
}
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
            {
                "args": r"once (l-\d)",
                "file": "/loans/*/{1}.json",
                "when": {"due": True},
                "error": "it is a number",
            },
            {
                "args": r"once (l-\d)",
                "file": "/loans/*/{1}.json",
                "when": {"due": 1},
                "set": {"due": 2},
            },
            {"args": r"once (l-\d)", "error": "not twice\n", "exit_code": 4},
            {"args": "fail", "error": "no\n", "exit_code": 3},
            {
                "args": ["note", r"(l-\d)", "(.*)"],
                "file": "/notes/{1}.md",
                "append": "- {2}\n",
            },
            {"args": ["add", "(.+)", "(.+)"], "file": "/u.csv", "append": "{1},{2}\n"},
            {"args": "drop (.+)", "file": "{1}", "delete": True},
            {
                "args": ["row", "(.+)", "(.+)"],
                "file": "/t.csv",
                "row": {"id": "{1}"},
                "set": {"name": "{2}", "n": "{1}"},
            },
            {
                "args": "was 2",
                "file": "/t.csv",
                "row": {"id": 2},
                "when": {"name": "b"},
                "prints": "it was\n",
            },
            {
                "args": "yaml (.+)",
                "file": "/y.yaml",
                "set": {"state": "{1}", "new": True},
            },
            {"args": "front (.+)", "file": "/m.md", "set": {"state": "{1}"}},
            {"prints": "bare\n"},
        ],
    }
)


def ran(
    *args: str, path: str = "/bin/renew"
) -> tuple[dict[str, Any], dict[str, str | None]]:
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
def test_the_first_call_that_fits_is_made(
    args: tuple[str, ...], stdout: str, stderr: str, code: int
) -> None:
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
        (("row", "2", 'q"'), "/t.csv", 'id,name,n\n1,"a,\r\nb",0\n2,"q""",2\n'),
        (
            ("yaml", "no"),
            "/y.yaml",
            '# y\nstate: "no"\nlist:\n  - state: x\nnew: true\n',
        ),
        (
            ("front", "done"),
            "/m.md",
            "---\nstate: done\n---\n# State: none\nstate: open\n",
        ),
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
