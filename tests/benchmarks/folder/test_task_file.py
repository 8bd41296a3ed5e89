"""A task.toml: what it may say, and that each fault is told with file and key."""

import re
import time
from contextlib import suppress

import pytest

from benchmarks.folder.task_file import Change, Expected, TaskFile, TaskText, Tool, ToolCall
from controlplane import BenchmarkError
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
        (END, "t.toml: instruction: it is missing"),
        (f"{HEAD}[expected]\n", "t.toml: expected.outcome: it is missing"),
        (f'{HEAD}rule = "/A"\n{END}', "t.toml: rule: there is no such key; did you mean 'rules'?"),
        (f'{HEAD}{END}answr = "2"\n', "t.toml: expected.answr: there is no such key; did you mean 'answer'?"),
        (f'{HEAD}[expected]\noutcome = "OUTCOME_K"\n', "t.toml: expected.outcome: Input should be 'OUTCOME_OK', "),
        (f'{HEAD}{END}references = ["a"]\n', "t.toml: expected.references[0]: 'a' is not a path of the task's world"),
        (f'{HEAD}{END}references = ["/a/../../b"]\n', "write it as '/b'"),
        (f"{HEAD}{END}pattern = '('\n", "t.toml: expected.pattern: error parsing regexp `(`"),
        (f"{HEAD}{END}pattern = '\\N{{DIGIT ONE}}'\n", "RE2 writes a character by its number"),
        (f"{HEAD}{END}pattern = '{'x' * 4001}'\n", "a pattern has at most 4000 characters, not 4001"),
        (
            f'{HEAD}{END}answer = "2"\ncontains = ["2"]\n',
            "t.toml: expected.answer: answer is the only right answer",
        ),
        (f'{HEAD}{END}[[expected.change]]\npath = "/a"\n', "t.toml: expected.change[0]: exactly one of file, text and"),
        (
            f'{HEAD}{END}[[expected.change]]\npath = "/a"\ntext = ""\ndeleted = true\n',
            "t.toml: expected.change[0]: exactly one of",
        ),
        (f'{HEAD}{TOOL}kind = "writes"\n{END}', "t.toml: tool[0].kind: Input should be 'reads' or 'changes'"),
        (f"{HEAD}{TOOL}{TOOL}{END}", "t.toml: tool[1].path: /bin/a is defined twice"),
        (f'{HEAD}{CHANGES}[[tool.call]]\nfile = "/a"\n{END}', "t.toml: tool[0].call[0]: file and set, or file and"),
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
        (f"{HEAD}{CHANGES}[[tool.call]]\nfile = '/a'\ndelete = true\nappend = 'x'\n{END}", "cannot also set or append"),
        (f"{HEAD}{CHANGES}[[tool.call]]\nfile = '/a.csv'\nset = {{ b = 1 }}\n{END}", "row goes with set or when on a"),
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
    "keys of 100 parts": "".join(f"{'a.' * 99}b{number} = 1\n" for number in range(4_500)),
    "nested lists": "x = " + "[" * 100_000,
    "nested tables": "x = " + "{a = " * 100_000,
    "many tables": "".join(f"[[a]]\n[[a.b]]\n[a.b.c{number}]\n" for number in range(20_000)),
    "one long line of blanks": "[" + " " * 900_000 + "x",
    "one long line of quotes": "a" + ".'b'" * 200_000 + "\n",
    "a key like ours": "".join(f"{'a' * 40}{number} = 1\n" for number in range(9_000)),
    "a pattern over all letters": END + "pattern = '(?i)" + f"[a-{chr(0x10FFFF)}]" * 100 + "'\n",
    "many such patterns": TOOL
    + "".join(f"[[tool.call]]\nargs = '(?i)[{number}a-{chr(0x10FFFF)}]'\n" for number in range(300)),
    "too much text": "# " + "x" * 1_000_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_keeps_the_process_busy(text: str) -> None:
    began = time.process_time()
    with suppress(BenchmarkError):
        TaskText(HEAD + text, "t.toml").parsed()
    assert time.process_time() - began < 1


def test_every_key_is_documented() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    for table in (TaskFile, Tool, ToolCall, Expected, Change):
        shown = [rf"^{name} =|`{name}( =|`)|[.\[]{name}\]" for name in table.model_fields]
        missing = [each for each in shown if not re.search(each, page, re.MULTILINE)]
        assert missing == [], table
