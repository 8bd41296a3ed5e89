"""A run from its start to its end: its trials and scores, its journal, and the commands that it prints.

`controlplane run --benchmark tests.support.phonebook --model m` starts the trials of a benchmark,
lets a model play each, submits the answers for scores, and writes every event to a journal, a file
of JSON lines. The phone book has three tasks: the numbers of ada (17), grace (42) and edsger (68).
"""

from pathlib import Path

import pytest

from controlplane.agent.events import StepDone
from controlplane.journal.run_events import (
    RunClosed,
    RunOpened,
    RunPrompts,
    RunSubmitted,
    Scored,
    TrialEnded,
)
from tests.support.command import CommandResult, run_in_process, run_program
from tests.support.journals.read_events import read_events


def reply_on(person: str, answer: str) -> str:
    """Return a reply of the model to the task of a person: a script that submits this answer."""
    return f"""
[[reply]]
when = "number of {person}"
code = '''
scratchpad["answer"], scratchpad["outcome"] = "{answer}", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "{answer}")
'''
"""


def play_phonebook(
    folder: Path, *replies: str, options: tuple[str, ...] = ()
) -> CommandResult:
    """Play the three tasks, with a model that gives these replies in turn."""
    (folder / "replies.toml").write_text("".join(replies))
    benchmark = ("--benchmark", "tests.support.phonebook")
    model = ("--model", "scripted:replies.toml")
    return run_in_process("run", *benchmark, *model, *options, cwd=folder)


def test_a_run_plays_every_trial_and_prints_the_scores(tmp_path: Path) -> None:
    """The model has no reply on edsger. The harness submits a fallback, which is not a failure of
    the run."""
    run = play_phonebook(
        tmp_path,
        reply_on("ada", answer="OUTCOME_OK: 17"),  # rejected, as it names the outcome
        reply_on("ada", answer="17"),
        reply_on("grace", answer="42"),
        options=("--json",),
    )

    assert run.code == 0, run.err
    ada, grace, edsger = run.json["trials"]
    assert (ada["task_id"], ada["score"]) == ("ada", 1.0)
    assert ada["rejections"] == {"6/wording": 1}
    assert (grace["task_id"], grace["score"]) == ("grace", 1.0)
    assert (edsger["task_id"], edsger["score"]) == ("edsger", 0.0)
    assert edsger["state"] == "fallback"
    assert edsger["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert run.json["score"] == pytest.approx(2 / 3)


def test_the_journal_of_a_run_has_its_events_in_order(tmp_path: Path) -> None:
    """The reader of a journal relies on its first two events and on its last one."""
    play_phonebook(tmp_path, reply_on("ada", answer="17"))

    (journal,) = tmp_path.glob("runs/*.jsonl")
    first, second, *between, last = [type(event) for event in read_events(journal)]
    assert first == RunOpened
    assert second == RunPrompts
    assert {StepDone, TrialEnded, Scored, RunSubmitted} <= set(between)
    assert last == RunClosed


def test_the_printed_next_commands_run_in_a_shell(tmp_path: Path) -> None:
    """One shows the steps of the worst trial, and one all trials, as the run has printed 20 of 24:

    next  controlplane replay 2026... --trial ada-0  # walks through the worst trial
          controlplane show 2026... --all
    """
    run = play_phonebook(
        tmp_path,
        reply_on("ada", answer="12"),  # wrong: it is 17
        reply_on("grace", answer="42"),
        reply_on("edsger", answer="68"),
        options=("--repeats", "8"),
    )

    _, _, next_section = run.out.partition("\nnext ")
    commands = [line.partition("  #")[0].strip() for line in next_section.splitlines()]
    assert len(commands) == 2
    for command in commands:
        result = run_program(["sh", "-c", command], tmp_path)
        assert result.code == 0, result.err
        assert result.err == ""
        assert "ada-0" in result.out
