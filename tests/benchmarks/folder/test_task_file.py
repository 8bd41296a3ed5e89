"""A task.toml: what it may say, and that each fault is told with file and line."""

import re

import pytest

from benchmarks.folder.task_file import Change, Expected, FolderFault, Rows, TaskFile, Tool, ToolCall, parse_task
from tests.support.command import ROOT

HEAD = 'instruction = "Count."\n'
END = '[expected]\noutcome = "OUTCOME_OK"\n'
TOOL = '[[tool]]\npath = "/bin/a"\n'
CHANGES = f'{TOOL}kind = "changes"\n'


def test_the_least_is_an_instruction_and_an_outcome() -> None:
    task = parse_task(HEAD + END, "task.toml")
    assert (task.instruction, task.expected.outcome, task.trees, task.now) == ("Count.", "OUTCOME_OK", ("files",), None)


def test_a_clock_without_a_zone_is_utc() -> None:
    for written in ("2027-01-02T03:04:05Z", "2027-01-02T03:04:05", "2027-01-02T04:04:05+01:00"):
        task = parse_task(f"{HEAD}clock = {written}\n{END}", "task.toml")
        assert task.now is not None
        assert task.now.timestamp() == 1_798_859_045


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("instruction = \n", "t.toml:1: this is no TOML"),
        ('instruction = "x"\n\n[expected\n', "t.toml:3: this is no TOML"),
        ('instruction = """x\n', "this is no TOML"),
        (END, "t.toml:1: instruction: it is missing"),
        (HEAD, "t.toml:1: expected: it is missing"),
        (f"{HEAD}[expected]\n", "t.toml:2: expected.outcome: it is missing"),
        (f'{HEAD}rule = "/A"\n{END}', "t.toml:2: rule: there is no such key; did you mean 'rules'?"),
        (f'{HEAD}{END}answr = "2"\n', "t.toml:4: expected.answr: there is no such key; did you mean 'answer'?"),
        (f'{HEAD}[expected]\noutcome = "OUTCOME_K"\n', "t.toml:3: expected.outcome: there is no outcome 'OUTCOME_K'"),
        (f'{HEAD}{END}references = ["a"]\n', "t.toml:4: expected.references: 'a' is no path of the task's world"),
        (f'{HEAD}{END}references = ["/a/../../b"]\n', "write it as '/b'"),
        (f"{HEAD}{END}pattern = '('\n", "t.toml:4: expected.pattern: '(' is no pattern"),
        (f"{HEAD}{END}pattern = '{'x' * 1001}'\n", "a pattern has at most 1000 characters, not 1001"),
        (
            f'{HEAD}{END}answer = "2"\ncontains = ["2"]\n',
            "t.toml:4: expected.answer: beside answer there is no",
        ),
        (f'{HEAD}{END}[[expected.change]]\npath = "/a"\n', "t.toml:4: expected.change: exactly one of file, text and"),
        (
            f'{HEAD}{END}[[expected.change]]\npath = "/a"\ntext = ""\ndeleted = true\n',
            "t.toml:4: expected.change: exactly one of",
        ),
        (f'{HEAD}{TOOL}kind = "writes"\n{END}', "t.toml:4: tool.kind: Input should be 'reads' or 'changes'"),
        (f"{HEAD}{TOOL}{TOOL}{END}", "t.toml:5: tool.path: /bin/a is there twice"),
        (f'{HEAD}{CHANGES}[[tool.call]]\nfile = "/a"\n{END}', "t.toml:5: tool.call: file and set, or file and"),
        (
            f'{HEAD}{TOOL}[[tool.call]]\nfile = "/a"\nset = {{ b = 1 }}\n{END}',
            't.toml:6: tool.call.set: a tool that changes files says kind = "changes"',
        ),
        (f"{HEAD}{TOOL}[[tool.call]]\nprints = '{{1}}'\n{END}", "t.toml:4: tool.call: {1} is named, but args has 0"),
        (f"{HEAD}{TOOL}[[tool.call]]\nexit_code = 300\n{END}", "t.toml:5: tool.call.exit_code: Input should be less"),
        (f"{HEAD}one = 1\ntwo = 2\n{END}", "t.toml:2: one: there is no such key"),
        (f"{HEAD}one = 1\ntwo = 2\n{END}", "(and 1 more)"),
    ],
)
def test_a_fault_is_told_with_file_line_and_key(text: str, told: str) -> None:
    with pytest.raises(FolderFault) as raised:
        parse_task(text, "t.toml")
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_every_key_is_documented() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    for table in (TaskFile, Tool, ToolCall, Expected, Change, Rows):
        shown = [rf"^{name} =|`{name}( =|`)|[.\[]{name}\]" for name in table.model_fields]
        missing = [each for each in shown if not re.search(each, page, re.MULTILINE)]
        assert missing == [], table
