"""The examples on the pages of benchmarks, the library and gates can be played, and are solved.

Benchmarks of files and of tools, tasks of a program, a solver, a file of replies and a rule set are
taken from the pages, and do what the pages say.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane import open_journal
from controlplane.agent.events import ConversationOpened, StepDone
from tests.documentation.pages import (
    BENCHMARKS_PAGE,
    EXAMPLES,
    GATES_PAGE,
    LIBRARY_PAGE,
    SCRIPTED_REPLIES_SECTION,
    WORDBOOK_BENCHMARK,
    blocks,
    code_after,
)
from tests.support.command import CommandResult, run_controlplane, run_python

# A run of the benchmark `lending`, and what its journal has of its only trial.


def lending_command() -> list[str]:
    """Return the words behind `controlplane` that run the benchmark `lending` on the page.

    `["run", "--benchmark", "lending", …]`
    """
    (command,) = re.findall(
        r"^controlplane (run --benchmark lending .*)$", BENCHMARKS_PAGE, re.MULTILINE
    )
    return str(command).split()


class LendingRun(NamedTuple):
    """A run of the benchmark `lending`, and what the journal has of its only trial."""

    result: CommandResult
    initial_prompt: ConversationOpened | None
    steps: tuple[StepDone, ...]


@pytest.fixture(scope="session")
def lending_run(tmp_path_factory: pytest.TempPathFactory) -> LendingRun:
    """The run of `lending` with the command on the page of benchmarks."""
    folder = tmp_path_factory.mktemp("lending")
    for name in ("lending.py", "lending.toml"):
        (folder / name).write_bytes((EXAMPLES / name).read_bytes())

    result = run_controlplane(*lending_command(), "--json", cwd=folder)

    with open_journal(folder / result.json["journal"]) as journal:
        (trial,) = journal.trials.values()
        return LendingRun(result, trial.initial_prompt, trial.steps)


# The page of benchmarks shows `lending.py`, a benchmark of files, and a command that plays it.
#
# Its task is to lend the book otter. The replies of the model are those of `lending.toml`: the first
# step answers that the book is lent, without lending it. Gate 6, a check of answers, rejects that.
# The second step lends the book and answers, and the answer is accepted.


def test_the_command_of_the_page_solves_the_task(lending_run: LendingRun) -> None:
    assert lending_run.result.code == 0, lending_run.result.err
    assert lending_run.result.json["score"] == 1.0


def test_the_initial_prompt_shows_the_files_that_the_benchmark_names(
    lending_run: LendingRun,
) -> None:
    """The benchmark names calls whose results are shown before the first step. The record of the book
    otter, which the task names, is shown, too, and that of heron, since there is room."""
    assert lending_run.initial_prompt is not None
    shown: list[object] = []
    for call in lending_run.initial_prompt.calls:
        # A call of `tree` has no path.
        shown.append(call.arguments.get("path", call.operation))

    assert sorted(shown) == [
        "/AGENTS.md",
        "/bin/lend",
        "/books/heron.json",
        "/books/otter.json",
        "tree",
    ]


def test_the_answer_that_claims_a_change_too_early_is_rejected_by_gate_6(
    lending_run: LendingRun,
) -> None:
    first_step, _ = lending_run.steps

    (rejection,) = first_step.verdicts[0].rejections
    assert rejection.gate == 6


def test_the_answer_after_the_change_cites_the_record_of_the_book(
    lending_run: LendingRun,
) -> None:
    _, second_step = lending_run.steps

    assert second_step.verdicts[0].refs == ("/books/otter.json",)


# The page of benchmarks shows `shopkeeper.py`, a benchmark of tools, which is played here.
#
# Its two tasks are to refund the orders o1 and o2, by the tools `get_order` and `refund`. The model
# refunds the order o1 in both tasks, so that the second one is not done.

REFUNDING_REPLY = """
[[reply]]
code = '''
order = harness.get_order("o1")
for amount in (order.paid + 1, order.paid):
    try:
        print(harness.refund(order.id, amount).value)
    except HarnessError as error:
        print(error)
scratchpad["answer"], scratchpad["outcome"] = "", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
'''
"""
"""A model's reply. Its script tries to refund too much for the order o1, and then what was paid.
`harness` has the tools of the benchmark, `scratchpad` the answer."""


def test_the_benchmark_of_tools_is_played(tmp_path: Path) -> None:
    module = code_after("<!-- module: shopkeeper.py", BENCHMARKS_PAGE)
    (tmp_path / "shopkeeper.py").write_text(module, "utf-8")
    (tmp_path / "replies.toml").write_text(REFUNDING_REPLY, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "shopkeeper",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    refunded, not_refunded = result.json["trials"]
    assert refunded["score"] == 1.0, result.err
    assert refunded["details"] == []
    assert refunded["answer"] == ""
    assert not_refunded["score"] == 0.0
    assert not_refunded["details"] == ["order o2 has 35.5 left"]
    assert not_refunded["answer"] == ""


# The page of the library shows modules with tasks, `stock` and `till`, which a program plays here.
#
# The model answers 12 to `stock.1`, A-7 to `stock.2`, which is wrong, and pays in `pay.1`. For each
# trial, the program prints its task, its score, and why it is not 1: `["stock.2", 0.0, "it is B-1,
# not A-7"]`.

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


# The pages show a solver and a file of replies for `wordbook.py`, a benchmark with two tasks.
#
# What do the words heron and otter mean? The solver `dictionary` needs no model: it looks each word
# up. The replies are a model's, one for each task.


def test_the_solver_of_the_page_solves_the_wordbook(tmp_path: Path) -> None:
    module = code_after("<!-- module: dictionary.py", BENCHMARKS_PAGE)
    (tmp_path / "dictionary.py").write_text(module, "utf-8")
    (tmp_path / "wordbook.py").write_text(WORDBOOK_BENCHMARK, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--agent",
        "dictionary",
        "--json",
        cwd=tmp_path,
    )

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0


def test_the_replies_of_the_page_solve_the_wordbook(tmp_path: Path) -> None:
    replies = blocks(SCRIPTED_REPLIES_SECTION, "toml")[0]
    (tmp_path / "wordbook.py").write_text(WORDBOOK_BENCHMARK, "utf-8")
    (tmp_path / "replies.toml").write_text(replies, "utf-8")

    result = run_controlplane(
        "run",
        "--benchmark",
        "wordbook",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0
    assert result.json["trials_scored"] == 2


# The page of gates shows a rule set for a library, `loans.py`, by which a task is judged here.
#
# Its rule due-date rejects an answer that does not say until when a book may be kept. The task is
# to renew a loan. The model answers "It is renewed; you may keep it until", and the date.


@pytest.fixture
def folder_with_rule_set(tmp_path: Path) -> Path:
    """A folder with the rule set of the page in the module `loans`.

    On the page, the comment `<!-- module: loans.py ...` stands before the code of the module.
    """
    module = code_after("<!-- module: loans.py", GATES_PAGE)
    (tmp_path / "loans.py").write_text(module, "utf-8")
    return tmp_path


def run_renewed_loan(folder: Path, replies: str) -> CommandResult:
    """Run a task of the example `library`, to renew a loan, with the rule set of a folder.

    `replies` is the file with the replies of the model.
    """
    return run_controlplane(
        "run",
        "renewed-loan",
        "--benchmark",
        f"folder:{EXAMPLES / 'library'}",
        "--rule-sets",
        "loans:RULE_SET",
        "--json",
        "--model",
        f"scripted:{replies}",
        cwd=folder,
    )


def test_the_rule_set_of_the_page_accepts_an_answer_with_the_date(
    folder_with_rule_set: Path,
) -> None:
    result = run_renewed_loan(folder_with_rule_set, f"{EXAMPLES}/library.toml")

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0
    assert result.json["rejections"] == {}


def test_the_rule_set_of_the_page_rejects_an_answer_without_the_date(
    folder_with_rule_set: Path,
) -> None:
    """The model's script is the same, but its answer leaves out the date."""
    changes = {
        'answer"] = f"It is renewed; you may keep it until {due}."': 'answer"] = "It is renewed."',
        # The script checks its own answer before it submits it; this check has to pass, too.
        'return due in sp["answer"]': 'return "renewed" in sp["answer"]',
    }
    replies = (EXAMPLES / "library.toml").read_text("utf-8")
    for old_code, new_code in changes.items():
        assert replies.count(old_code) == 1
        replies = replies.replace(old_code, new_code)
    (folder_with_rule_set / "dateless.toml").write_text(replies, "utf-8")

    result = run_renewed_loan(folder_with_rule_set, "dateless.toml")

    assert "loans/due-date" in result.json["rejections"]
