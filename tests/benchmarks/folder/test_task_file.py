"""The file `task.toml`, which defines a task.

    instruction = "How many loans are overdue?"
    [expected]
    outcome = "OUTCOME_OK"

Anybody may write such a file, or share it for download. So each fault is reported with the file and
the key, and no text makes the parser work for minutes, as nested brackets might.
"""

import re
from contextlib import suppress
from typing import Any

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.task_file.expected_table import Change, Expected
from controlplane.benchmarks.folder.task_file.task_file import TaskFile
from controlplane.benchmarks.folder.task_file.tool_table import Tool, ToolCall
from controlplane.benchmarks.folder.task_text import TaskText
from tests.support.command import ROOT
from tests.support.executed_work import executed_lines

# Parts of a task.toml, from which the texts below are made. A task may define tools, which its
# agent runs. A tool of the kind "changes" may change files, any other only reads.
INSTRUCTION = 'instruction = "Count."\n'
EXPECTED = '[expected]\noutcome = "OUTCOME_OK"\n'
READING_TOOL = '[[tool]]\npath = "/bin/a"\n'
CHANGING_TOOL = f'{READING_TOOL}kind = "changes"\n'
"""Parts of a task.toml, from which the texts of the tests are made: what to do, the right outcome, and
a tool that the agent may run. A tool of the kind "changes" may change files, any other only reads.
"""


def parse(text: str) -> TaskFile:
    """Return a task file with this text. Raises `BenchmarkError` for a fault in it."""
    return TaskText(text, "t.toml").parsed()


def fault_of(text: str) -> str:
    """Parse a text that must be refused, and return the message."""
    with pytest.raises(BenchmarkError) as error:
        parse(text)
    return str(error.value)


class TestFaultsOfText:
    """A fault of the text is reported in one line, with the file and the key.

    The file is called `t.toml`. The text lacks a required key, or has an unknown one.
    """

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            pytest.param(
                "instruction = \n", "t.toml:1: this is not TOML", id="no value"
            ),
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
        self, text: str, fault: str
    ) -> None:
        message = fault_of(text)

        assert fault in message
        assert "\n" not in message


class TestFaultsOfExpectations:
    """The table `[expected]` says what is right, and a fault of it is reported with the key.

    An answer may have to cite files (`references`), fit a `pattern`, or come
    with a `change` of a file.

    `INSTRUCTION` and `EXPECTED` are the parts of the text that every task needs: what to
    do, and the right outcome.
    """

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
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
        ],
    )
    def test_a_fault_of_the_text_is_reported_in_one_line_with_file_and_key(
        self, text: str, fault: str
    ) -> None:
        message = fault_of(text)

        assert fault in message
        assert "\n" not in message


class TestFaultsOfTools:
    """A task may define tools, and a fault of one is reported with its number and the key.

    A tool of the kind "changes" may change files, any other only reads. Each `[[tool.call]]` says
    for which arguments (`args`) something happens: a file is read, set, appended to or deleted.

    `READING_TOOL` and `CHANGING_TOOL` are such tools with the path `/bin/a`, without a call.
    """

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
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
        ],
    )
    def test_a_fault_of_the_text_is_reported_in_one_line_with_file_and_key(
        self, text: str, fault: str
    ) -> None:
        message = fault_of(text)

        assert fault in message
        assert "\n" not in message


LONG_KEY = ".".join(["a"] * 20_000)
LARGEST_CHARACTER = chr(0x10FFFF)
"""The last character of Unicode. A pattern `[a-...]` that ends with it fits a million letters."""


def many_keys_of_100_parts() -> str:
    lines = [f"{'a.' * 99}b{number} = 1\n" for number in range(4_500)]
    return "".join(lines)


def many_tables() -> str:
    tables = [f"[[a]]\n[[a.b]]\n[a.b.c{number}]\n" for number in range(20_000)]
    return "".join(tables)


def many_unknown_keys() -> str:
    """Return long keys that a task.toml does not have. A fault suggests the known key like it."""
    lines = [f"{'a' * 40}{number} = 1\n" for number in range(9_000)]
    return "".join(lines)


def many_patterns_over_all_letters() -> str:
    """Return a tool with 300 patterns, each of which becomes large when it is compiled."""
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
    "many unknown keys": many_unknown_keys(),
    "a pattern over all letters": (
        f"{EXPECTED}pattern = '(?i)" + f"[a-{LARGEST_CHARACTER}]" * 100 + "'\n"
    ),
    "many such patterns": many_patterns_over_all_letters(),
    "too much text": "# " + "x" * 1_000_000,
}
"""Texts of about a megabyte, for which a careless parser needs minutes."""

MAX_PARSING_LINES = 50_000_000
"""How many lines of Python may be executed to read such a text. A parser whose work grows with the
square of the text would execute billions."""


class TestTextsThatTakeLong:
    """No text keeps the process busy, whether it is parsed or refused."""

    @pytest.mark.parametrize("name", TEXTS_THAT_TAKE_LONG)
    def test_no_text_keeps_the_process_busy(self, name: str) -> None:
        """Whether the text is parsed or refused, little work is done for it."""

        def parse_or_refuse() -> None:
            with suppress(BenchmarkError):
                parse(INSTRUCTION + TEXTS_THAT_TAKE_LONG[name])

        assert executed_lines(parse_or_refuse) < MAX_PARSING_LINES


def is_documented(key: str, page: str) -> bool:
    """Return True if a page shows a key, such as `args`, in one of four forms.

    These are a line `args = ...` of an example, "`args`" or "`args = ...`" in a sentence, and the
    name of a table: `[args]` or `[tool.args]`.
    """
    forms = rf"^{key} =|`{key}( =|`)|[.\[]{key}\]"
    return re.search(forms, page, re.MULTILINE) is not None


class TestDocumentation:
    """The page `docs/benchmarks.md` shows each key of a task.toml and of its tables."""

    @pytest.mark.parametrize("table", [TaskFile, Tool, ToolCall, Expected, Change])
    def test_every_key_is_documented(self, table: Any) -> None:
        page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")

        missing_keys = [
            key for key in table.model_fields if not is_documented(key, page)
        ]

        assert missing_keys == []
