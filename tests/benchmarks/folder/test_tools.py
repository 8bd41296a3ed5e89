"""Tools of a task do what its `task.toml` says, and faults of this file are named in one line.

A fault is reported with the file and the key or line, and no text or pattern keeps the process
busy. A tool prints a text, or changes fields, cells and lines of files, and keeps everything else
as it is. A call that cannot be made says why, as a program would. Each key is documented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from controlplane import BenchmarkError
from controlplane.agent.model import Frozen
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file import (
    DeclaredOutcome,
    Expected,
    ExpectedChange,
    FolderTool,
    FolderToolCall,
    TaskFile,
)
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.sandbox.interface import CallError
from tests.support.command import run_in_process
from tests.support.executed_work import executed_lines
from tests.support.product_files import ROOT

# Many lines of a `task.toml`: `lines_of("b{} = 1", 2)` is `"b0 = 1\nb1 = 1\n"`.


def lines_of(line: str, count: int) -> str:
    """Return a line this often, with its number: `lines_of("b{} = 1", 2)` -> "b0 = 1\\nb1 = 1\\n"."""
    return "".join(line.format(number) + "\n" for number in range(count))


# Parses the text of a task.toml, as a user may have written it.
#
#     fault_of("instruction = 7")  # "t.toml: instruction: Input should be a valid string, not 7"
#
# The file of the text is called t.toml.


def parse(text: str) -> TaskFile:
    """Return the task of this text, which is the file t.toml. Raises `BenchmarkError`."""
    return TaskText(text, "t.toml").parsed()


def fault_of(text: str) -> str:
    """Parse a text that must be refused, and return the message."""
    with pytest.raises(BenchmarkError) as error:
        parse(text)
    return str(error.value)


# Runs of a tool that a task defines, as a script makes them: `/bin/renew l-1 7`.
#
#     call = {"args": r"(l-\d) (\d)", "file": "/loans/{1}.json", "set": {"due": "{2}"}}
#     run = run_tool(call, "l-1", "7", files={"/loans/l-1.json": '{"due": 4}'})
#     run.changes  # {"/loans/l-1.json": '{\n  "due": 7\n}\n'}
#
# A *call* says what the tool does for some arguments. Its key `args` is a pattern for all arguments,
# joined by spaces; in the other keys, `{1}` stands for what the first group has matched.

Call = dict[str, Any]


@dataclass
class ToolRun:
    """What a run of a tool has printed, and which files it has changed."""

    stdout: str
    stderr: str
    exit_code: int
    changes: Mapping[str, str | None]
    """The new texts of the files by path; None for a file that is deleted."""


def runtime_with(calls: list[Call], files: dict[str, str]) -> FolderRuntime:
    """Return the world of a task that has these files, and the tool `/bin/renew` with these calls."""
    tool = FolderTool.model_validate(
        {
            "path": "/bin/renew",
            "kind": "changes",
            "summary": "renews",
            "help": "renew LOAN TIMES",
            "call": calls,
        }
    )
    return FolderRuntime(files, [tool.model_dump(mode="json")])


def run_in(runtime: FolderRuntime, *arguments: str) -> ToolRun:
    """Run `/bin/renew` with these arguments, as a script does."""
    result = runtime.call(
        "exec", {"path": "/bin/renew", "args": list(arguments), "stdin": ""}
    )
    return ToolRun(
        result["stdout"], result["stderr"], result["exit_code"], runtime.tree.changes
    )


def run_tool(call: Call, *arguments: str, files: dict[str, str]) -> ToolRun:
    """Run a tool that has only this call, in the world of a task with these files.

    `run_tool({"args": "hello", "prints": "Hello."}, "hello", files={}).stdout` -> `"Hello."`
    """
    return run_in(runtime_with([call], files), *arguments)


# Commands that name no folder of tasks, or one that does not exist. They are refused in one line.
#
# `run --benchmark folder:tasks` plays the tasks in the folder `tasks`. Exit code 2 means that the
# command was not used rightly.


@pytest.mark.parametrize(
    ("benchmark", "refusal"),
    [
        pytest.param(
            "folder", "which folder? Name it as folder:DIR", id="no folder is named"
        ),
        pytest.param(
            "folder:none", "none: there is no such folder", id="no such folder"
        ),
    ],
)
def test_a_benchmark_without_an_existing_folder_is_refused(
    benchmark: str, refusal: str, tmp_path: Path
) -> None:
    run = run_in_process("run", "--benchmark", benchmark, cwd=tmp_path)

    assert run.code == 2
    assert refusal in run.err
    assert len(run.err.splitlines()) == 1


# Tools in a `task.toml` that change files. Faults of them are reported by number and key.
#
# Only a tool of the kind "changes" may do so. Each `[[tool.call]]` says what happens to a file: it is
# set, appended to or deleted. `t.toml: tool[0].call[0]` is the first call of the first tool.


@pytest.mark.parametrize(
    ("tools", "fault"),
    [
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "changes"
            [[tool.call]]
            file = "/a"
            """,
            "t.toml: tool[0].call[0]: file and set, or file and",
            id="a file, but no effect on it",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            file = "/a"
            set = { b = 1 }
            """,
            't.toml: tool[0].call[0].set: a tool that changes files needs kind = "changes"',
            id="a tool that only reads sets a field",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "changes"
            [[tool.call]]
            file = '/a'
            delete = true
            append = 'x'
            """,
            "cannot also set or append",
            id="delete and append",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "changes"
            [[tool.call]]
            file = '/a.csv'
            set = { b = 1 }
            """,
            "row goes with set or when on a",
            id="set in a table without a row",
        ),
    ],
)
def test_a_fault_of_a_change_is_reported_in_one_line_with_file_and_key(
    tools: str, fault: str
) -> None:
    message = fault_of(
        f'instruction = "Count."\n{tools}\n[expected]\noutcome = "OUTCOME_OK"\n'
    )

    assert fault in message
    assert "\n" not in message


# The page `docs/benchmarks.md` shows each key of a task.toml and of its tables.


def is_documented(key: str, page: str) -> bool:
    """Return True if a page shows a key, such as `args`, in one of four forms.

    These are a line `args = ...` of an example, "`args`" or "`args = ...`" in a sentence, and the
    name of a table: `[args]` or `[tool.args]`.
    """
    forms = rf"^{key} =|`{key}( =|`)|[.\[]{key}\]"
    return re.search(forms, page, re.MULTILINE) is not None


@pytest.mark.parametrize(
    "table",
    [
        TaskFile,
        DeclaredOutcome,
        FolderTool,
        FolderToolCall,
        Expected,
        ExpectedChange,
    ],
)
def test_every_key_is_documented(table: type[Frozen]) -> None:
    page = (ROOT / "docs/reference.md").read_text(encoding="utf-8")

    missing_keys = [key for key in table.model_fields if not is_documented(key, page)]

    assert missing_keys == []


# The table `[expected]` of a task.toml says what is right, and its faults are reported by key.
#
# An answer may have to cite files (`references`), fit a `pattern`, or come with a `change` of a file.


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        pytest.param(
            'references = ["a"]',
            "t.toml: expected.references[0]: 'a' is not a path of the task's world",
            id="a reference that is no path",
        ),
        pytest.param(
            'references = ["/a/../../b"]',
            "write it as '/b'",
            id="a reference with dots",
        ),
        pytest.param(
            "pattern = '('",
            "t.toml: expected.pattern: error parsing regexp `(`",
            id="a pattern that is no pattern",
        ),
        pytest.param(
            r"pattern = '\N{DIGIT ONE}'",
            "RE2 writes a character by its number",
            id="a pattern that names a character",
        ),
        pytest.param(
            "pattern = '" + "x" * 4001 + "'",
            "a pattern has at most 4000 characters, not 4001",
            id="a pattern that is too long",
        ),
        pytest.param(
            'answer = "2"\ncontains = ["2"]',
            "t.toml: expected.answer: answer is the only right answer",
            id="an answer, and a text that it contains",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/a"',
            "t.toml: expected.change[0]: exactly one of file, text and",
            id="a change without a result",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/a"\ntext = ""\ndeleted = true',
            "t.toml: expected.change[0]: exactly one of",
            id="a change with two results",
        ),
    ],
)
def test_a_fault_of_an_expectation_is_reported_in_one_line_with_file_and_key(
    lines: str, fault: str
) -> None:
    message = fault_of(
        f'instruction = "Count."\n[expected]\noutcome = "OUTCOME_OK"\n{lines}\n'
    )

    assert fault in message
    assert "\n" not in message


# No regular expression in a `task.toml` keeps the process busy for minutes.
#
# Anybody may share a folder of tasks for download. A pattern may stand for any of the million letters
# of Unicode, in capitals or not. Python's compiler looks at each of them.

ANY_LETTER = f"a-{chr(0x10FFFF)}"
"""The characters from "a" to the last one of Unicode. `(?i)` adds those in capitals."""
THREE_HUNDRED_TOOLS = "".join(
    f"[[tool.call]]\nargs = '(?i)[{number}{ANY_LETTER}]'\n" for number in range(300)
)
"""Calls of a tool, each with another pattern, so that none is compiled once for all."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '[expected]\noutcome = "OUTCOME_OK"\n'
            "pattern = '(?i)" + f"[{ANY_LETTER}]" * 100 + "'\n",
            id="one pattern for a text of 100 letters",
        ),
        pytest.param(
            '[[tool]]\npath = "/bin/a"\n' + THREE_HUNDRED_TOOLS,
            id="300 patterns for a letter",
        ),
    ],
)
def test_no_pattern_keeps_the_process_busy(text: str) -> None:
    """The file may be refused. The work is counted in lines of Python that are executed."""

    def parse_or_refuse() -> None:
        with suppress(BenchmarkError):
            parse('instruction = "Count."\n' + text)

    lines_of_some_seconds = 50_000_000
    assert executed_lines(parse_or_refuse) < lines_of_some_seconds


# No long `task.toml` keeps the process busy for minutes, whether its text is parsed or refused.
#
# Anybody may share a folder of tasks for download. These texts have up to a megabyte; a careless
# parser would need minutes for them.

LONG_KEY = ".".join(["a"] * 20_000)  # a.a.a.a...

MOST_LINES_PER_CHARACTER = 40
"""How many lines of Python may be executed for each character of a text."""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            lines_of("a." * 99 + "b{} = 1", 1_000), id="1,000 keys of 100 parts"
        ),
        pytest.param(
            lines_of("a." * 9 + "b{} = 1", 3_000), id="3,000 keys of ten parts"
        ),
        pytest.param("x = " + "[" * 100_000, id="nested lists"),
        pytest.param("x = " + "{a = " * 100_000, id="nested tables"),
        pytest.param(lines_of("[[a]]\n[[a.b]]\n[a.b.c{}]", 4_000), id="many tables"),
        pytest.param("[" + " " * 300_000 + "x", id="one long line of blanks"),
        # A fault suggests the known key that is like an unknown one.
        pytest.param(lines_of("a" * 40 + "{} = 1", 4_000), id="many unknown keys"),
    ],
)
def test_no_text_keeps_the_process_busy(text: str) -> None:
    """To compare each of the 3,000 keys with all before it would be 54 lines for each character."""

    def parse_or_refuse() -> None:
        with suppress(BenchmarkError):
            parse('instruction = "Count."\n' + text)

    assert executed_lines(parse_or_refuse) < MOST_LINES_PER_CHARACTER * len(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{LONG_KEY} = 1\n", id="a key of 20,000 parts"),
        pytest.param(f"[{LONG_KEY}]\nx = 1\n", id="a table's name of 20,000 parts"),
        pytest.param("a" + ".'b'" * 200_000 + "\n", id="one long line of quotes"),
        pytest.param("# " + "x" * 1_000_000, id="too much text"),
    ],
)
def test_a_text_beyond_a_limit_is_refused_before_it_is_parsed(text: str) -> None:
    """Python's own parser would be busy with such a text, and not in lines that can be counted."""
    limits = "it has at most 1,000,000 bytes, and a key at most 100 parts"

    assert limits in fault_of('instruction = "Count."\n' + text)


# A fault of a `task.toml` is reported in one line, with the file and the key.
#
# The smallest task says what to do and which outcome is right:
#
#     instruction = "Count."
#     [expected]
#     outcome = "OUTCOME_OK"


def test_the_smallest_task_is_accepted() -> None:
    task = parse('instruction = "Count."\n[expected]\noutcome = "OUTCOME_OK"\n')

    assert task.instruction == "Count."
    assert task.expected.outcome == "OUTCOME_OK"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param(
            '[expected]\noutcome = "OUTCOME_OK"\n',
            "t.toml: instruction: it is required",
            id="no instruction",
        ),
        pytest.param(
            'instruction = "Count."\n[expected]\n',
            "t.toml: expected: it says nothing of what is right",
            id="an empty end",
        ),
        pytest.param(
            'instruction = "Count."\nrule = "/A"\n[expected]\noutcome = "OUTCOME_OK"\n',
            "t.toml: rule: there is no such key; did you mean 'rules'?",
            id="a misspelt key",
        ),
        pytest.param(
            'instruction = "Count."\n[expected]\noutcome = "OUTCOME_OK"\nanswr = "2"\n',
            "t.toml: expected.answr: there is no such key; did you mean 'answer'?",
            id="a misspelt key of a table",
        ),
    ],
)
def test_a_fault_is_reported_in_one_line_with_file_and_key(
    text: str, fault: str
) -> None:
    message = fault_of(text)

    assert fault in message
    assert "\n" not in message


def test_of_several_faults_the_first_is_reported_and_the_others_are_counted() -> None:
    message = fault_of(
        'instruction = "Count."\none = 1\ntwo = 2\n[expected]\noutcome = "OUTCOME_OK"\n'
    )

    assert message.startswith("t.toml: one: there is no such key")
    assert "(and 1 more)" in message
    assert "\n" not in message


# A `task.toml` that is not TOML is refused in one line, with the file and the line of the fault.
#
# `t.toml:3: this is not TOML` is a fault on line 3 of the file `t.toml`.


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("instruction = \n", "t.toml:1: this is not TOML", id="no value"),
        pytest.param(
            'instruction = "Count."\n\n[expected\n',
            "t.toml:3: this is not TOML",
            id="an open bracket",
        ),
        pytest.param(
            'instruction = """Count.\n', "this is not TOML", id="an open text"
        ),
    ],
)
def test_a_text_that_is_not_toml_is_reported_with_its_line(
    text: str, fault: str
) -> None:
    message = fault_of(text)

    assert fault in message
    assert "\n" not in message


# Tools that a `task.toml` defines for its agent. Faults of them are reported by number and key.
#
# Each `[[tool.call]]` says for which arguments (`args`) something happens: the tool prints a text, for
# example. `t.toml: tool[0].path` is the key `path` of the first tool in the file `t.toml`.


@pytest.mark.parametrize(
    ("tools", "fault"),
    [
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            kind = "writes"
            """,
            "t.toml: tool[0].kind: Input should be 'reads' or 'changes'",
            id="an unknown kind of tool",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool]]
            path = "/bin/a"
            """,
            "t.toml: tool[1].path: /bin/a is defined twice",
            id="two tools with one path",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            exit_code = 300
            """,
            "tool[0].call[0].exit_code: Input should be less",
            id="an exit code above 255",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            args = ['a', '(']
            """,
            "t.toml: tool[0].call[0].args: error parsing regexp `(`",
            id="two arguments, of which one is no pattern",
        ),
        pytest.param(
            """
            [[tool]]
            path = "/bin/a"
            [[tool.call]]
            prints = '{1}'
            """,
            "tool[0].call[0]: {1} is named, but args has 0",
            id="a group that args lacks",
        ),
    ],
)
def test_a_fault_of_a_tool_is_reported_in_one_line_with_file_and_key(
    tools: str, fault: str
) -> None:
    message = fault_of(
        f'instruction = "Count."\n{tools}\n[expected]\noutcome = "OUTCOME_OK"\n'
    )

    assert fault in message
    assert "\n" not in message


# A tool of a task appends a text to a file, or deletes a file, and changes no other.
#
# A *call* says what the tool does for some arguments: `{"args": "(.+)", "file": "/notes/{1}.md",
# "append": "x\n"}` appends a line to the file that the argument names, as `{1}` is what the pattern
# has matched.


def test_a_text_is_appended_to_a_new_file() -> None:
    """`args` may be a list with a pattern for each argument."""
    call = {
        "args": ["note", r"(l-\d)", "(.*)"],
        "file": "/notes/{1}.md",
        "append": "- {2}\n",
    }

    run = run_tool(
        call, "note", "l-1", "a word, and more", files={"/notes/l-2.md": "- old\n"}
    )

    assert run.exit_code == 0
    assert run.changes == {"/notes/l-1.md": "- a word, and more\n"}


def test_a_text_is_appended_as_a_line_of_its_own() -> None:
    """The file has no newline at its end, so one is added before the text."""
    call = {"args": ["add", "(.+)", "(.+)"], "file": "/t.csv", "append": "{1},{2}\n"}

    run = run_tool(call, "add", "3", "c d", files={"/t.csv": "id,name\n2,b"})

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": "id,name\n2,b\n3,c d\n"}


def test_a_file_is_deleted() -> None:
    call = {"args": "drop (.+)", "file": "{1}", "delete": True}

    run = run_tool(call, "drop", "/a.md", files={"/a.md": "a", "/b.md": "b"})

    assert run.exit_code == 0
    assert run.changes == {"/a.md": None}


# A tool of a task has a list of calls, of which the first that fits the arguments is made.
#
# A *call* says what the tool does for some arguments: `{"args": "a.*", "prints": "begins with a\n"}`.


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
    runtime = runtime_with(
        [
            {"args": "a.*", "prints": "begins with a\n"},
            {"args": "ab", "prints": "is ab\n"},
            {"args": "b", "prints": "is b\n"},
        ],
        files={},
    )

    assert run_in(runtime, argument).stdout == stdout


# A tool of a task prints a text only if a row of a table has a certain cell.
#
# The table of these tests has one row: `2,Bob`. The tool says "it is" for the arguments `is 2 Bob`.

CALL: Call = {
    "args": "is 2 (.+)",
    "file": "/t.csv",
    "row": {"id": 2},  # the row whose cell `id` is 2
    "when": {"name": "{1}"},  # and whose `name` is the argument
    "prints": "it is\n",
}


def test_a_text_is_printed_if_a_row_has_the_wanted_cell() -> None:
    files = {"/t.csv": "id,name\n2,Bob\n"}

    run = run_tool(CALL, "is", "2", "Bob", files=files)

    assert run.stdout == "it is\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_text_is_not_printed_if_the_row_has_another_cell() -> None:
    files = {"/t.csv": "id,name\n2,Bob\n"}

    run = run_tool(CALL, "is", "2", "Ada", files=files)

    assert run.stdout == ""
    assert run.stderr == "renew: it takes no such arguments; see --help\n"
    assert run.exit_code == 1


# Conditions of a task's tool: a call fits only if its file has the values that its key `when` names.
#
# A *call* says what the tool does: `{"file": "/loan.json", "when": {"due": 1}, "set": {"due": 2}}` sets
# a field of the file if it is 1. Of several calls, the first that fits is made.


def test_a_call_fits_once_if_it_changes_the_value_that_it_needs() -> None:
    runtime = runtime_with(
        [
            {"file": "/loan.json", "when": {"due": 1}, "set": {"due": 2}},
            {"error": "not twice\n", "exit_code": 4},
        ],
        files={"/loan.json": '{"due": 1}'},
    )

    first_run = run_in(runtime)
    second_run = run_in(runtime)

    assert first_run.exit_code == 0
    assert second_run.exit_code == 4
    assert second_run.stderr == "not twice\n"


def test_true_is_not_the_same_as_1() -> None:
    runtime = runtime_with(
        [
            {"file": "/loan.json", "when": {"due": True}, "prints": "true\n"},
            {"file": "/loan.json", "when": {"due": 1}, "prints": "1\n"},
        ],
        files={"/loan.json": '{"due": 1}'},
    )

    assert run_in(runtime).stdout == "1\n"


def test_a_call_with_a_condition_does_not_fit_a_missing_file() -> None:
    runtime = runtime_with(
        [
            {"file": "/loan.json", "when": {"due": 1}, "prints": "1\n"},
            {"error": "no loan\n", "exit_code": 4},
        ],
        files={},
    )

    assert run_in(runtime).exit_code == 4


# A run of a task's tool that fails prints why on stderr, and has an exit code, as a program would.
#
# A *call* says what the tool does for some arguments: `{"args": "fail", "error": "no\n"}`.


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["what"], id="an unknown argument"),
        pytest.param(["l-1", "7", "x"], id="an argument too many"),
    ],
)
def test_arguments_that_no_call_fits_are_refused(arguments: list[str]) -> None:
    call = {"args": r"(l-\d) (\d)", "prints": "renewed\n"}

    run = run_tool(call, *arguments, files={})

    assert run.stdout == ""
    assert run.stderr == "renew: it takes no such arguments; see --help\n"
    assert run.exit_code == 1


def test_a_call_may_be_defined_to_fail() -> None:
    """A task's author decides that some arguments are refused, with a text and an exit code."""
    call = {"args": "fail", "error": "no\n", "exit_code": 3}

    run = run_tool(call, "fail", files={})

    assert run.stdout == ""
    assert run.stderr == "no\n"
    assert run.exit_code == 3


# A tool of a task sets fields of a JSON file, and keeps the others as they are.
#
# A *call* says what the tool does for some arguments:
#
#     {"args": "(.+) (.+)",           # a pattern for all arguments: "l-1 7"
#      "file": "/loans/{1}.json",     # {1} is what its first group has matched: /loans/l-1.json
#      "set": {"due": "{2}"}}         # the new values by field: the loan is due on 7


def test_fields_of_json_are_set_and_the_others_kept() -> None:
    call = {
        "args": "(.+)",
        "file": "/loan.json",
        "set": {
            "by": {"name": "Mr {1}"},  # The other fields of `by` stay.
            "list": ["{1}", 3],
        },
    }
    loan = '{"due": 4, "by": {"name": "Ada", "age": 9}}'

    run = run_tool(call, "Bob", files={"/loan.json": loan})

    assert run.exit_code == 0
    assert run.changes == {
        "/loan.json": """{
  "due": 4,
  "by": {
    "name": "Mr Bob",
    "age": 9
  },
  "list": [
    "Bob",
    3
  ]
}
"""
    }


def test_an_argument_that_is_a_number_is_set_as_a_number() -> None:
    """Within a longer text, it is a part of the text."""
    call = {
        "args": "(.+)",
        "file": "/loan.json",
        "set": {"due": "{1}", "note": "due in {1}"},
    }

    run = run_tool(call, "7", files={"/loan.json": '{"due": 1}'})

    assert run.exit_code == 0
    assert run.changes == {
        "/loan.json": """{
  "due": 7,
  "note": "due in 7"
}
"""
    }


def test_the_file_may_be_in_any_folder() -> None:
    """The asterisk stands for the folder."""
    call = {"args": "(.+)", "file": "/loans/*/{1}.json", "set": {"due": 7}}

    run = run_tool(call, "l-1", files={"/loans/ada/l-1.json": '{"due": 1}'})

    assert run.exit_code == 0
    assert run.changes == {"/loans/ada/l-1.json": '{\n  "due": 7\n}\n'}


# Paths of files that a task's tool changes: an argument names one file, and no other.
#
# A *call* says what the tool does: `{"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}` appends a
# line to the file that the argument names.

APPEND_TO_FILE: Call = {"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}
"""Appends the line `x` to the file that the argument names: `a` means `/n/a.md`."""


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
    """The argument `*` means the file `/n/*.md`, and no other that this pattern would fit."""
    runtime = runtime_with([APPEND_TO_FILE], {other_file: "other\n"})

    run_in(runtime, argument)  # This creates the file,
    run = run_in(runtime, argument)  # and this appends to it.

    assert run.changes == {f"/n/{argument}.md": "x\nx\n"}


def test_an_argument_that_spells_a_file_in_another_way_is_refused() -> None:
    """`/n/./a.md` is the same as `/n/a.md`, but a tool must be given the path as it is listed.

    Otherwise the text of the file might be replaced by the addition.
    """
    runtime = runtime_with([APPEND_TO_FILE], {"/n/a.md": "old\n"})

    run_in(runtime, "./a")
    run = run_in(runtime, "./a")

    assert run.changes == {}


# A tool of a task prints a text, or the text of a file.
#
# A *call* says what the tool prints for some arguments:
#
#     {"args": r"(l-\d) (\S+)",        # a pattern for all arguments: "l-1 7"
#      "prints": "renewed {1}\n"}      # {1} is what the first group has matched: "renewed l-1"


def test_a_call_without_arguments_prints_its_text() -> None:
    call = {"prints": "bare\n"}

    run = run_tool(call, files={})

    assert run.stdout == "bare\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_printed_text_may_have_arguments_in_it() -> None:
    call = {"args": r"(l-\d) (\S+)", "prints": "renewed {1}\n"}

    run = run_tool(call, "l-1", "7", files={})

    assert run.stdout == "renewed l-1\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_text_is_printed_below_the_text_of_a_file() -> None:
    call = {
        "args": "show (.+)",
        "shows": "{1}",  # the path of the file: "/a.md"
        "prints": "--\n",
    }

    run = run_tool(call, "show", "/a.md", files={"/a.md": "first\n"})

    assert run.stdout == "first\n--\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_every_tool_prints_its_help_instead_of_a_call() -> None:
    tool = FolderTool.model_validate(
        {
            "path": "/bin/renew",
            "kind": "changes",
            "summary": "renews",
            "help": "renew LOAN TIMES",
            "call": [{"args": ".*", "prints": "called\n"}],
        }
    )
    runtime = FolderRuntime({}, [tool.model_dump(mode="json")])

    run = run_in(runtime, "--help")

    assert run.stdout == "usage: renew LOAN TIMES\n"
    assert run.stderr == ""
    assert run.exit_code == 0


# A tool sets cells of a table in a file, and keeps everything else as it is.
#
# A *call* says what the tool does for some arguments:
#
#     {"args": "(.+) (.+)",        # a pattern for all arguments: "4 Bob"
#      "file": "/t.csv",
#      "row": {"id": "{1}"},       # the row whose cell `id` is 4, which the first group has matched
#      "set": {"name": "{2}"}}     # its cell `name` becomes Bob


@pytest.mark.parametrize(
    ("row", "new_row"),
    [
        pytest.param("1,Ada,0", "1,Bob,7", id="all cells"),
        pytest.param('1,"Ada,\r\nLady",0', "1,Bob,7", id="a cell with a line end"),
        pytest.param("1,Ada", "1,Bob,7", id="a row without the last cell"),
    ],
)
def test_cells_of_a_row_are_set(row: str, new_row: str) -> None:
    call = {
        "args": "(.+) (.+)",
        "file": "/t.csv",
        "row": {"id": 1},
        "set": {"name": "{1}", "due": "{2}"},
    }
    files = {"/t.csv": f"id,name,due\n{row}\n2,b\n"}

    run = run_tool(call, "Bob", "7", files=files)

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": f"id,name,due\n{new_row}\n2,b\n"}


def test_a_row_is_found_by_an_argument() -> None:
    call = {
        "args": "(.+)",
        "file": "/t.csv",
        "row": {"id": "{1}"},
        "set": {"name": "Bob"},
    }

    run = run_tool(call, "2", files={"/t.csv": "id,name\n1,Ada\n2,Eve\n"})

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": "id,name\n1,Ada\n2,Bob\n"}


def test_a_new_cell_with_a_quotation_mark_is_quoted() -> None:
    """The rows before it stay as they are."""
    call = {
        "args": "(.+)",
        "file": "/t.csv",
        "row": {"id": 2},
        "set": {"name": "{1}"},
    }

    run = run_tool(call, 'q"', files={"/t.csv": 'id,name\n1,"Ada,\r\nLady"\n2,Eve\n'})

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": 'id,name\n1,"Ada,\r\nLady"\n2,"q"""\n'}


# A tool that a task defines is also a file of the task, which shows its summary: "renews".
#
# `runtime_with(calls, files)` is the world of a task with the tool `/bin/renew` and these files.


def test_a_tool_can_be_read_but_not_written_or_deleted() -> None:
    runtime = runtime_with([], files={})

    assert runtime.tree.read("/bin/renew")["content"] == "#!tool\nrenews\n"
    with pytest.raises(CallError):
        runtime.tree.write("/bin/renew", "")
    with pytest.raises(CallError):
        runtime.tree.delete("/bin/renew")
    assert runtime.tree.changes == {}


def test_a_tool_that_is_not_defined_cannot_be_run() -> None:
    """The task defines `/bin/renew` only."""
    runtime = runtime_with([], files={})

    with pytest.raises(CallError):
        runtime.call("exec", {"path": "/bin/none", "args": [], "stdin": ""})

    assert runtime.tree.changes == {}


# A task's tool that needs a file which is not there, or has another form, fails and says why.
#
# A *call* says what the tool does for some arguments. `{1}` in it is the text that its pattern `(.+)`
# has matched, so that `show /b.md` shows the file `/b.md`.

SHOW_FILE: Call = {"args": "show (.+)", "shows": "{1}"}


RENEW_LOAN: Call = {"args": "(.+)", "file": "/loans/*/{1}.json", "set": {"due": 7}}


SET_DUE: Call = {"args": "(.+)", "file": "/loans/{1}.json", "set": {"due": 7}}


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
            ["l-9"],
            "renew: 0 files fit /loans/*/l-9.json\n",
            id="a loan that does not exist",
        ),
        pytest.param(
            SET_DUE,
            ["l-2"],
            "renew: /loans/l-2.json holds no JSON object\n",
            id="a file that is a list",
        ),
        pytest.param(
            SET_DUE,
            ["../a"],
            "renew: 0 files fit /loans/../a.json\n",
            id="a path that leads to another folder",
        ),
    ],
)
def test_a_call_that_cannot_be_made_says_why(
    call: Call, arguments: list[str], stderr: str
) -> None:
    files = {
        "/a.md": "a",
        "/a.json": "{}",
        "/loans/ada/l-1.json": '{"due": 1}',
        "/loans/l-2.json": "[]",
    }

    run = run_tool(call, *arguments, files=files)

    assert run.stdout == ""
    assert run.stderr == stderr
    assert run.exit_code == 1
    assert run.changes == {}


# A tool of a task sets fields of a YAML file, and keeps everything else as it is.
#
# A *call* says what the tool does for some arguments:
#
#     {"args": "yaml (.+)",           # a pattern for all arguments: "yaml no"
#      "file": "/y.yaml",
#      "set": {"state": "{1}"}}       # the new values by field; {1} is what the group has matched


def test_fields_of_yaml_are_set() -> None:
    """`no` is quoted, since YAML would read it as a boolean. The field `new` is added."""
    call = {
        "args": "yaml (.+)",
        "file": "/y.yaml",
        "set": {"state": "{1}", "new": True},
    }
    text = "# y\nstate: open\nlist:\n  - state: x\n"

    run = run_tool(call, "yaml", "no", files={"/y.yaml": text})

    assert run.exit_code == 0
    assert run.changes == {
        "/y.yaml": '# y\nstate: "no"\nlist:\n  - state: x\nnew: true\n'
    }


def test_a_field_of_the_yaml_at_the_beginning_of_a_page_is_set() -> None:
    call = {"args": "front (.+)", "file": "/m.md", "set": {"state": "{1}"}}
    page = '---\nstate: "open"\n---\n# State: none\nstate: open\n'

    run = run_tool(call, "front", "done", files={"/m.md": page})

    assert run.exit_code == 0
    assert run.changes == {
        "/m.md": "---\nstate: done\n---\n# State: none\nstate: open\n"
    }
