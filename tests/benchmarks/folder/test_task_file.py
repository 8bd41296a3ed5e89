"""The file `task.toml` of a task, and the folder around it.

    instruction = "How many loans are overdue?"
    [expected]
    outcome = "OUTCOME_OK"

Anybody may write such a file, so each fault is reported with the file and the key, and no text
keeps the process busy. A task may define tools: `/bin/renew l-1 7` changes the file of a loan.
"""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file.expected_table import Change, Expected
from controlplane.benchmarks.folder.task_file.task_file import TaskFile
from controlplane.benchmarks.folder.task_file.tool_table import Tool, ToolCall
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.sandbox.interface import CallError, bounds
from tests.support.command import ROOT
from tests.support.executed_work import executed_lines

# Faults of the text ------------------------------------------------------------------------------------

# Parts of a task.toml, from which the texts below are made. A tool of the kind "changes" may change
# files, any other only reads.
INSTRUCTION = 'instruction = "Count."\n'
EXPECTED = '[expected]\noutcome = "OUTCOME_OK"\n'
READING_TOOL = '[[tool]]\npath = "/bin/a"\n'
CHANGING_TOOL = f'{READING_TOOL}kind = "changes"\n'


def parse(text: str) -> TaskFile:
    """Return a task file with this text. Raises `BenchmarkError` for a fault in it."""
    return TaskText(text, "t.toml").parsed()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("instruction = \n", "t.toml:1: this is not TOML", id="no value"),
        pytest.param(
            'instruction = "x"\n\n[expected\n',
            "t.toml:3: this is not TOML",
            id="an open bracket",
        ),
        pytest.param('instruction = """x\n', "this is not TOML", id="an open text"),
        pytest.param(
            EXPECTED, "t.toml: instruction: it is required", id="no instruction"
        ),
        pytest.param(
            f"{INSTRUCTION}[expected]\n",
            "t.toml: expected.outcome: it is required",
            id="no outcome",
        ),
        pytest.param(
            f'{INSTRUCTION}rule = "/A"\n{EXPECTED}',
            "t.toml: rule: there is no such key; did you mean 'rules'?",
            id="misspelt key",
        ),
        pytest.param(
            f'{INSTRUCTION}{EXPECTED}answr = "2"\n',
            "t.toml: expected.answr: there is no such key; did you mean 'answer'?",
            id="misspelt key of a table",
        ),
        pytest.param(
            f'{INSTRUCTION}[expected]\noutcome = "OUTCOME_K"\n',
            "t.toml: expected.outcome: Input should be 'OUTCOME_OK', ",
            id="unknown outcome",
        ),
        pytest.param(
            f'{INSTRUCTION}{EXPECTED}references = ["a"]\n',
            "t.toml: expected.references[0]: 'a' is not a path of the task's world",
            id="reference that is no path",
        ),
        pytest.param(
            f'{INSTRUCTION}{EXPECTED}references = ["/a/../../b"]\n',
            "write it as '/b'",
            id="reference with dots",
        ),
        pytest.param(
            f"{INSTRUCTION}{EXPECTED}pattern = '('\n",
            "t.toml: expected.pattern: error parsing regexp `(`",
            id="pattern that is no pattern",
        ),
        pytest.param(
            f"{INSTRUCTION}{EXPECTED}pattern = '\\N{{DIGIT ONE}}'\n",
            "RE2 writes a character by its number",
            id="pattern that names a character",
        ),
        pytest.param(
            f"{INSTRUCTION}{EXPECTED}pattern = '{'x' * 4001}'\n",
            "a pattern has at most 4000 characters, not 4001",
            id="pattern that is too long",
        ),
        pytest.param(
            f'{INSTRUCTION}{EXPECTED}answer = "2"\ncontains = ["2"]\n',
            "t.toml: expected.answer: answer is the only right answer",
            id="answer and contains",
        ),
        pytest.param(
            f'{INSTRUCTION}{EXPECTED}[[expected.change]]\npath = "/a"\n',
            "t.toml: expected.change[0]: exactly one of file, text and",
            id="change without a result",
        ),
        pytest.param(
            f'{INSTRUCTION}{EXPECTED}[[expected.change]]\npath = "/a"\ntext = ""\ndeleted = true\n',
            "t.toml: expected.change[0]: exactly one of",
            id="change with two results",
        ),
        pytest.param(
            f'{INSTRUCTION}{READING_TOOL}kind = "writes"\n{EXPECTED}',
            "t.toml: tool[0].kind: Input should be 'reads' or 'changes'",
            id="unknown kind of tool",
        ),
        pytest.param(
            f"{INSTRUCTION}{READING_TOOL}{READING_TOOL}{EXPECTED}",
            "t.toml: tool[1].path: /bin/a is defined twice",
            id="two tools with one path",
        ),
        pytest.param(
            f'{INSTRUCTION}{CHANGING_TOOL}[[tool.call]]\nfile = "/a"\n{EXPECTED}',
            "t.toml: tool[0].call[0]: file and set, or file and",
            id="call with a file but no effect",
        ),
        pytest.param(
            f'{INSTRUCTION}{READING_TOOL}[[tool.call]]\nfile = "/a"\nset = {{ b = 1 }}\n{EXPECTED}',
            't.toml: tool[0].call[0].set: a tool that changes files needs kind = "changes"',
            id="reading tool that sets a field",
        ),
        pytest.param(
            f"{INSTRUCTION}{READING_TOOL}[[tool.call]]\nprints = '{{1}}'\n{EXPECTED}",
            "tool[0].call[0]: {1} is named, but args has 0",
            id="group that args lacks",
        ),
        pytest.param(
            f"{INSTRUCTION}{READING_TOOL}[[tool.call]]\nexit_code = 300\n{EXPECTED}",
            "tool[0].call[0].exit_code: Input should be less",
            id="exit code above 255",
        ),
        pytest.param(
            f"{INSTRUCTION}{CHANGING_TOOL}[[tool.call]]\nfile = '/a'\ndelete = true\nappend = 'x'\n{EXPECTED}",
            "cannot also set or append",
            id="delete and append",
        ),
        pytest.param(
            f"{INSTRUCTION}{CHANGING_TOOL}[[tool.call]]\nfile = '/a.csv'\nset = {{ b = 1 }}\n{EXPECTED}",
            "row goes with set or when on a",
            id="set in a table without row",
        ),
        pytest.param(
            f"{INSTRUCTION}{CHANGING_TOOL}[[tool.call]]\nargs = ['a', '(']\n{EXPECTED}",
            "t.toml: tool[0].call[0].args: error parsing regexp `(`",
            id="two arguments of which one is no pattern",
        ),
        pytest.param(
            f"{INSTRUCTION}one = 1\ntwo = 2\n{EXPECTED}",
            "t.toml: one: there is no such key",
            id="two unknown keys: the first",
        ),
        pytest.param(
            f"{INSTRUCTION}one = 1\ntwo = 2\n{EXPECTED}",
            "(and 1 more)",
            id="two unknown keys: the number of others",
        ),
    ],
)
def test_a_fault_of_the_text_is_reported_in_one_line_with_file_and_key(
    text: str, fault: str
) -> None:
    """The file is called `t.toml`. Each case has one fault, such as a misspelt key."""
    with pytest.raises(BenchmarkError) as error:
        parse(text)

    message = str(error.value)
    assert fault in message
    assert "\n" not in message


LONG_KEY = ".".join(["a"] * 20_000)
LARGEST_CHARACTER = chr(0x10FFFF)
"""The last character of Unicode: a pattern `[a-...]` up to it has more than a million letters."""


def many_keys_of_100_parts() -> str:
    lines = [f"{'a.' * 99}b{number} = 1\n" for number in range(4_500)]
    return "".join(lines)


def many_tables() -> str:
    tables = [f"[[a]]\n[[a.b]]\n[a.b.c{number}]\n" for number in range(20_000)]
    return "".join(tables)


def many_keys_like_ours() -> str:
    """Each unknown key is compared with the known ones, to suggest one."""
    lines = [f"{'a' * 40}{number} = 1\n" for number in range(9_000)]
    return "".join(lines)


def many_patterns_over_all_letters() -> str:
    """Return a tool with 300 calls, each with a pattern that becomes large when it is compiled."""
    calls = [
        f"[[tool.call]]\nargs = '(?i)[{number}a-{LARGEST_CHARACTER}]'\n"
        for number in range(300)
    ]
    return READING_TOOL + "".join(calls)


TEXTS_THAT_TAKE_LONG = {
    "a key of 20,000 parts": f"{LONG_KEY} = 1\n",
    "a table's name of 20,000 parts": f"[{LONG_KEY}]\nx = 1\n",
    "keys of 100 parts": many_keys_of_100_parts(),
    "nested lists": "x = " + "[" * 100_000,
    "nested tables": "x = " + "{a = " * 100_000,
    "many tables": many_tables(),
    "one long line of blanks": "[" + " " * 900_000 + "x",
    "one long line of quotes": "a" + ".'b'" * 200_000 + "\n",
    "keys like ours": many_keys_like_ours(),
    "a pattern over all letters": (
        f"{EXPECTED}pattern = '(?i)" + f"[a-{LARGEST_CHARACTER}]" * 100 + "'\n"
    ),
    "many such patterns": many_patterns_over_all_letters(),
    "too much text": "# " + "x" * 1_000_000,
}
"""Texts of at most a megabyte, or a little more, for which a careless parser needs minutes."""

MAX_PARSING_LINES = 50_000_000
"""How many lines of Python may be executed to read such a text. A parser whose work grows with the
square of the text would execute billions."""


@pytest.mark.parametrize("name", TEXTS_THAT_TAKE_LONG)
def test_no_text_keeps_the_process_busy(name: str) -> None:
    """The text is parsed or refused, and either of it with bounded work."""

    def parse_or_refuse() -> None:
        with suppress(BenchmarkError):
            parse(INSTRUCTION + TEXTS_THAT_TAKE_LONG[name])

    assert executed_lines(parse_or_refuse) < MAX_PARSING_LINES


def is_documented(key: str, page: str) -> bool:
    """Return True if a page shows a key: at the start of a line of an example, in code, or
    with its table: `[expected]`, `tool.call`."""
    forms = rf"^{key} =|`{key}( =|`)|[.\[]{key}\]"
    return re.search(forms, page, re.MULTILINE) is not None


@pytest.mark.parametrize("table", [TaskFile, Tool, ToolCall, Expected, Change])
def test_every_key_is_documented(table: Any) -> None:
    """The page `docs/benchmarks.md` shows or explains each key of a task file."""
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")

    missing_keys = [key for key in table.model_fields if not is_documented(key, page)]

    assert missing_keys == []


# Faults of the folder -----------------------------------------------------------------------------------


def write(path: Path, content: str | bytes = "") -> None:
    """Write a file, and create its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)


def write_task(folder: Path, *, keys: str = "", expected_keys: str = "") -> None:
    """Write the task `one`, with more keys at its top level or in the table `expected`."""
    write(folder / "one/task.toml", f"{INSTRUCTION}{keys}{EXPECTED}{expected_keys}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one task and its two files."""
    folder = tmp_path / "tasks"
    write_task(folder)
    write(folder / "one/files/a/b.json", "{}")
    write(folder / "one/files/notes.txt", "n\n")
    return folder


def fault_of(folder: Path) -> str:
    """Return the message with which the folder is refused."""
    with pytest.raises(BenchmarkError) as error:
        read_folder(folder)
    message = str(error.value)
    assert len(message) < 1_000
    return message


def test_the_digest_of_a_folder_does_not_change_by_itself(folder: Path) -> None:
    """Reading the same folder twice gives the same digest."""
    assert read_folder(folder).digest == read_folder(folder).digest


def test_the_digest_of_a_folder_changes_with_every_text_and_name(folder: Path) -> None:
    """The digest in a journal tells whether a folder is still as it was in the run."""
    digest = read_folder(folder).digest

    write(folder / "one/files/notes.txt", "m\n")
    digest_with_another_text = read_folder(folder).digest

    notes = folder / "one/files/notes.txt"
    notes.rename(notes.with_name("note.txt"))
    digest_with_another_name = read_folder(folder).digest

    assert digest_with_another_text != digest
    assert digest_with_another_name not in (digest, digest_with_another_text)


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        (
            "/etc/passwd",
            "one/files/link: it is a link or below one, and links are not followed",
        ),
        ("notes.txt", "one/files/link: it is a link"),
        (".", "one/files/link: it is a link"),
    ],
)
def test_a_link_among_the_files_of_a_task_is_refused(
    folder: Path, target: str, fault: str
) -> None:
    """A downloaded task could show files of the user to the agent."""
    (folder / "one/files/link").symlink_to(target)

    assert fault in fault_of(folder)


def test_a_link_to_the_folder_of_a_task_is_refused(folder: Path) -> None:
    """The folder of tasks has a link `link` to its task `one`."""
    (folder / "link").symlink_to("one")

    assert "link/task.toml: it is a link or below one" in fault_of(folder)


def test_a_pipe_is_refused(folder: Path) -> None:
    """The agent may read all files below `one/files`, so each must be a text."""
    os.mkfifo(folder / "one/files/pipe")

    assert "one/files/pipe: it is not a file" in fault_of(folder)


def test_a_file_that_is_not_text_is_refused(folder: Path) -> None:
    """The third byte, at position 2, cannot be in UTF-8."""
    write(folder / "one/files/x.bin", b"ab\xff")

    assert "one/files/x.bin: it is not UTF-8 text (byte 2)" in fault_of(folder)


def test_a_file_in_too_many_folders_is_refused(folder: Path) -> None:
    """It is in 41 folders, and a path may have at most 40 levels."""
    write(folder / "one/files" / ("d/" * 41) / "x")

    assert "this name cannot be used" in fault_of(folder)


def test_an_empty_folder_in_too_many_folders_is_refused(folder: Path) -> None:
    """It has no file to read, but still has to be walked through."""
    (folder / "one/files" / ("d/" * 300)).mkdir(parents=True)

    assert "this name cannot be used" in fault_of(folder)


def test_a_folder_without_a_task_is_refused(folder: Path) -> None:
    """Its only task was `one/task.toml`."""
    (folder / "one/task.toml").unlink()

    assert "no folder in it holds a task.toml" in fault_of(folder)


def test_a_task_in_the_folder_of_all_tasks_is_refused_if_there_are_others(
    folder: Path,
) -> None:
    """It would not be clear whether the folder is one task, or has tasks."""
    write(folder / "task.toml", f"{INSTRUCTION}{EXPECTED}")

    assert "keep one or the other" in fault_of(folder)


def test_a_task_whose_name_has_a_line_break_is_refused(folder: Path) -> None:
    """The name of a task's folder is the task's id, which is printed in lines."""
    (folder / "one").rename(folder / "a\nb")

    assert "a task's folder has a name of at most 200 printable" in fault_of(folder)


@pytest.mark.parametrize(
    ("trees", "fault"),
    [
        pytest.param(
            ["../.."],
            "one/task.toml: trees[0]: '../..' leads out of the folder",
            id="a folder above all tasks",
        ),
        pytest.param(
            ["/etc"],
            "one/task.toml: trees[0]: '/etc' leads out of the folder",
            id="an absolute path",
        ),
        pytest.param(
            ["files", "."],
            "one/task.toml: trees[1]: '.' would show task.toml",
            id="the folder of the task itself",
        ),
        pytest.param(
            ["files/.."],
            "one/task.toml: trees[0]: 'files/..' would show task.toml",
            id="the same in other words",
        ),
        pytest.param(
            ["other"],
            "one/task.toml: trees[0]: there is no file below 'other'",
            id="a folder that does not exist",
        ),
        pytest.param(["a/" * 100_000], "this name cannot be used", id="a long path"),
        pytest.param(
            ["files"] * 21,
            "one/task.toml: trees: Tuple should have at most 20 items",
            id="too many folders",
        ),
    ],
)
def test_a_fault_of_trees_is_reported_with_its_place(
    folder: Path, trees: list[str], fault: str
) -> None:
    """The key `trees` names the folders whose files the agent sees."""
    write_task(folder, keys=f"trees = {trees}\n")

    assert fault in fault_of(folder)


@pytest.mark.parametrize(
    ("expected_keys", "fault"),
    [
        pytest.param(
            'references = ["/none"]\n',
            "one/task.toml: expected.references[0]: /none is not a file",
            id="a reference that does not exist",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/notes.txt"\nfile = "../../x"\n',
            "one/task.toml: expected.change[0].file: '../../x' leads out",
            id="a file outside as the result of a change",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/notes.txt"\nfile = "gone.txt"\n',
            "one/task.toml: expected.change[0].file: there is no file 'gone",
            id="a file that does not exist as the result of a change",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/none"\ndeleted = true\n',
            "one/task.toml: expected.change[0].path: /none is not a file that could be deleted",
            id="the deletion of a file that does not exist",
        ),
    ],
)
def test_an_expectation_of_a_missing_file_is_reported_with_its_place(
    folder: Path, expected_keys: str, fault: str
) -> None:
    """`[expected]` names files that a right answer cites, or that the agent has to change."""
    write_task(folder, expected_keys=expected_keys)

    assert fault in fault_of(folder)


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (
            '[[tool]]\npath = "/notes.txt"\n',
            "one/task.toml: tool[0].path: /notes.txt is a file already",
        ),
        ("oops = 1\n", "one/task.toml: oops: there is no such key"),
    ],
)
def test_a_fault_of_a_key_is_reported_with_the_tasks_folder(
    folder: Path, keys: str, fault: str
) -> None:
    """The message begins with the path of the task's file below the folder of tasks."""
    write_task(folder, keys=keys)

    assert fault in fault_of(folder)


def test_a_folder_with_too_many_files_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a huge folder by mistake would take long."""
    # From here on, two files are the most; the folder has three.
    monkeypatch.setattr(bounds, "MOST_TASK_FILES", 2)

    assert "it holds more than" in fault_of(folder)


def test_a_folder_with_too_many_bytes_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files of a task are read into memory."""
    # From here on, 20 bytes are the most; the `task.toml` alone has more.
    monkeypatch.setattr(bounds, "MOST_TASK_BYTES", 20)

    assert "it is larger than" in fault_of(folder)


# Tools that a task defines: programs that scripts run, such as `/bin/renew l-1 7` ------------------------

FILES = {
    "/a.md": "a",
    "/loans/ada/l-1.json": '{"due": 1, "by": {"name": "Ada", "age": 9}}',
    "/loans/l-2.json": "[]",
    "/t.csv": "id,name\n2,b\n",
}
"""The files of the task: one loan, and some in other forms."""

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

SET_DUE: Call = {
    "args": "set-due (.*)",
    "file": "/loans/{1}.json",
    "set": {"due": 2},
}
"""For `renew set-due l-2`: sets a field of the file `/loans/l-2.json`."""

SET_ROW: Call = {
    "args": ["row", "(.+)", "(.+)"],
    "file": "/t.csv",
    "row": {"id": "{1}"},
    "set": {"name": "{2}", "n": "{1}"},
}
"""For `renew row 2 x`: sets two cells in the row of the table that has the id 2."""


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
    """Return what serves the calls of scripts in a task that defines this tool and has these files."""
    return FolderRuntime(files, [tool.model_dump(mode="json")])


def run_tool(runtime: FolderRuntime, path: str, *arguments: str) -> dict[str, Any]:
    """Return what a tool printed: `{"stdout": "bare\\n", "stderr": "", "exit_code": 0}`."""
    return runtime.call("exec", {"path": path, "args": list(arguments), "stdin": ""})


@pytest.fixture
def runtime() -> FolderRuntime:
    """What serves the calls of scripts in a task with `FILES` and a tool `renew` with one call."""
    return runtime_with(tool_with(RENEW_LOAN), FILES)


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
    call: Call, arguments: list[str], stdout: str
) -> None:
    """`RENEW_LOAN` is for a loan and a number, and prints `renewed {1}`: `renewed l-1` for `l-1 7`.
    `SHOW_FILE` prints the text of a file, and then two dashes."""
    runtime = runtime_with(tool_with(call), FILES)

    result = run_tool(runtime, RENEW, *arguments)

    assert result == {"stdout": stdout, "stderr": "", "exit_code": 0}


@pytest.mark.parametrize(
    ("argument", "stdout"),
    [
        pytest.param("ab", "begins with a\n", id="the first two fit"),
        pytest.param("b", "is b\n", id="only the third fits"),
    ],
)
def test_the_first_call_that_fits_the_arguments_is_made(
    argument: str, stdout: str
) -> None:
    """The tool has three calls, the first of them for all arguments that begin with `a`."""
    tool = tool_with(
        {"args": "a.*", "prints": "begins with a\n"},
        {"args": "ab", "prints": "is ab\n"},
        {"args": "b", "prints": "is b\n"},
    )
    runtime = runtime_with(tool, FILES)

    assert run_tool(runtime, RENEW, argument)["stdout"] == stdout


def test_every_tool_prints_its_help(runtime: FolderRuntime) -> None:
    """The text is the value of the tool's key `help`. No call is made for it."""
    result = run_tool(runtime, RENEW, "--help")

    assert result == {
        "stdout": "usage: renew LOAN TIMES\n",
        "stderr": "",
        "exit_code": 0,
    }


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
    call: Call, arguments: list[str], stderr: str
) -> None:
    """The script gets the message and the exit code 1, as from a program.

    `SHOW_FILE` is for `show FILE`. `RENEW_LOAN` changes the file of the loan in `l-1 7`, and
    `SET_DUE` that of the loan in `set-due l-2`, which must have an object in JSON.
    """
    runtime = runtime_with(tool_with(call), FILES)

    result = run_tool(runtime, RENEW, *arguments)

    assert result == {"stdout": "", "stderr": stderr, "exit_code": 1}


def test_a_call_may_be_defined_to_fail() -> None:
    """A task's author decides that some arguments are refused, with a text and an exit code."""
    tool = tool_with({"args": "fail", "error": "no\n", "exit_code": 3})
    runtime = runtime_with(tool, FILES)

    result = run_tool(runtime, RENEW, "fail")

    assert result == {"stdout": "", "stderr": "no\n", "exit_code": 3}


# Three calls for `renew once l-1`. Which of them fits depends on the field `due` of the loan's file.
FAIL_IF_DUE_IS_TRUE: Call = {
    "args": r"once (l-\d)",
    "file": "/loans/*/{1}.json",
    "when": {"due": True},
    "error": "due is true\n",
    "exit_code": 5,
}
CHANGE_DUE_FROM_1_TO_2: Call = {
    "args": r"once (l-\d)",
    "file": "/loans/*/{1}.json",
    "when": {"due": 1},
    "set": {"due": 2},
}
FAIL_OTHERWISE: Call = {
    "args": r"once (l-\d)",
    "error": "not twice\n",
    "exit_code": 4,
}


def test_a_call_fits_only_if_its_file_has_the_values_that_it_names() -> None:
    """The loan l-1 has `"due": 1`, which is not the same as `true`. The first run changes it."""
    tool = tool_with(FAIL_IF_DUE_IS_TRUE, CHANGE_DUE_FROM_1_TO_2, FAIL_OTHERWISE)
    runtime = runtime_with(tool, FILES)

    first_run = run_tool(runtime, RENEW, "once", "l-1")
    second_run = run_tool(runtime, RENEW, "once", "l-1")
    run_for_missing_file = run_tool(runtime, RENEW, "once", "l-9")

    assert first_run["exit_code"] == 0
    assert second_run["exit_code"] == FAIL_OTHERWISE["exit_code"]
    assert run_for_missing_file["exit_code"] == FAIL_OTHERWISE["exit_code"]


class ExpectedChange(NamedTuple):
    """A run of a tool with one call, and the only file that it changes, before and after."""

    call: Call
    arguments: list[str]
    path: str
    before: str | None
    """The file's text; None if there is no such file."""
    after: str | None
    """The file's text; None if the file is deleted."""


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
    change: ExpectedChange,
) -> None:
    """For `renew drop /a.md`, the key `file` is `{1}`, which is the file `/a.md`."""
    files = {**FILES}
    if change.before is not None:
        files[change.path] = change.before
    runtime = runtime_with(tool_with(change.call), files)

    result = run_tool(runtime, RENEW, *change.arguments)

    assert result["exit_code"] == 0, result
    assert runtime.tree.changes == {change.path: change.after}


def test_a_call_sets_fields_of_json_and_keeps_the_others(
    runtime: FolderRuntime,
) -> None:
    """A text that is only `{2}` becomes a number, if the argument is one. Tables are merged."""
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
        "path": "/bin/n",
        "kind": "changes",
        "call": [{"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}],
    }
)
"""A tool that appends the line `x` to the file that its argument names: `a` means `/n/a.md`."""


@pytest.mark.parametrize(
    ("argument", "other_file"),
    [
        pytest.param("a[1]", "/n/a1.md", id="brackets"),
        pytest.param("*", "/n/a.md", id="asterisk"),
        pytest.param("q?", "/n/qu.md", id="question mark"),
    ],
)
def test_an_argument_with_signs_of_a_pattern_names_one_new_file(
    argument: str, other_file: str
) -> None:
    """The argument `*` means the file `/n/*.md`, and no other that this pattern would fit.

    The tool is run twice: it creates the file and then appends to it.
    """
    runtime = runtime_with(APPENDING_TOOL, {other_file: "other\n"})

    run_tool(runtime, "/bin/n", argument)
    run_tool(runtime, "/bin/n", argument)

    assert runtime.tree.changes == {f"/n/{argument}.md": "x\nx\n"}


def test_an_argument_that_spells_a_file_in_another_way_is_refused() -> None:
    """`/n/./a.md` is `/n/a.md`, which an addition must not replace."""
    runtime = runtime_with(APPENDING_TOOL, {"/n/a.md": "old\n"})

    run_tool(runtime, "/bin/n", "./a")
    run_tool(runtime, "/bin/n", "./a")

    assert runtime.tree.changes == {}


def test_a_tool_can_be_read_but_not_written_or_deleted(runtime: FolderRuntime) -> None:
    """The tool is a file of the task, whose text is its summary."""
    assert runtime.tree.read(RENEW)["content"] == "#!tool\nrenews\n"
    with pytest.raises(CallError):
        runtime.tree.write(RENEW, "")
    with pytest.raises(CallError):
        runtime.tree.delete(RENEW)

    assert runtime.tree.changes == {}


def test_a_tool_that_is_not_defined_cannot_be_run(runtime: FolderRuntime) -> None:
    """The task defines `/bin/renew` only."""
    with pytest.raises(CallError):
        run_tool(runtime, "/bin/none")

    assert runtime.tree.changes == {}
