"""The page of the library shows modules with tasks, `stock` and `till`, which a program plays here.

The model answers 12 to `stock.1`, A-7 to `stock.2`, which is wrong, and pays in `pay.1`. For each
trial, the program prints its task, its score, and why it is not 1: `["stock.2", 0.0, "it is B-1,
not A-7"]`.
"""

import json
from pathlib import Path

from tests.documentation.pages import LIBRARY_PAGE, code_after
from tests.support.command import run_python

STOCK_AND_TILL_REPLIES = '''
[[reply]]
task = "stock.1"
code = """harness.read('/stock.csv')
scratchpad.cite('/stock.csv', 'A-7 has 12')
scratchpad['answer'], scratchpad['outcome'] = '12', 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: sp['answer'] == '12')"""
[[reply]]
task = "stock.2"
code = """harness.read('/stock.csv')
scratchpad.cite('/stock.csv', 'A-7 has 12')
scratchpad['answer'], scratchpad['outcome'] = 'A-7', 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: sp['answer'] == 'A-7')"""
[[reply]]
task = "pay.1"
code = """harness.pay(2.5)
scratchpad['answer'], scratchpad['outcome'] = 'paid', 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: sp['answer'] == 'paid')"""
'''
"""A model's replies, one for each task of the page. Each is a script that reads the file
`/stock.csv` or pays by the tool `pay`, and answers; the answer to `stock.2` is wrong."""

STOCK_AND_TILL_PROGRAM = """
import controlplane, json, stock, till
run = controlplane.run([*stock.TASKS, *till.TASKS], model="scripted:replies.toml")
for trial in run.trials:
    print(json.dumps([trial.task_id, trial.score, trial.why]))
"""
"""Plays all tasks of both modules, and prints for each trial its task, score and reason."""


def test_the_tasks_of_the_library_page_are_played_and_graded(tmp_path: Path) -> None:
    for name in ("stock.py", "till.py"):
        module = code_after(f"<!-- module: {name} -->", LIBRARY_PAGE)
        (tmp_path / name).write_text(module, "utf-8")
    (tmp_path / "replies.toml").write_text(STOCK_AND_TILL_REPLIES, "utf-8")
    (tmp_path / "program.py").write_text(STOCK_AND_TILL_PROGRAM)

    result = run_python("program.py", cwd=tmp_path)

    trials = [json.loads(line) for line in result.out.splitlines()]
    assert trials == [
        ["stock.1", 1.0, ""],
        ["stock.2", 0.0, "it is B-1, not A-7"],
        ["pay.1", 1.0, ""],
    ], result.err
