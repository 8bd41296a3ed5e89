"""Runs of a phone book with three tasks: the numbers of ada (17), grace (42) and edsger (68)."""

from pathlib import Path

from tests.support.command import CommandResult, run_in_process


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
    """Play the three tasks, with a model that gives these replies in turn.

    `play_phonebook(folder, reply_on("ada", answer="17"))` leaves the other two without an answer.
    """
    (folder / "replies.toml").write_text("".join(replies))
    benchmark = ("--benchmark", "tests.support.phonebook")
    model = ("--model", "scripted:replies.toml")
    return run_in_process("run", *benchmark, *model, *options, cwd=folder)
