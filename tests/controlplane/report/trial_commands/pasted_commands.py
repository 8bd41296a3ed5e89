"""Commands in a report, and a shell into which a user pastes them.

For example:

    rerun, fork, judge, improve, *_ = commands_in_report(journal)
    run_in_shell(rerun, folder).code          ->    0
    run_words_of_shell(fork, folder).code     ->    0
"""

import re
from html import unescape
from pathlib import Path

from controlplane.report.run_report import run_report
from tests.support.command import CommandResult, run_controlplane, run_program

WRONG_ANSWER_SCRIPT = """
scratchpad["answer"] = "It cannot be said."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {}  # no citations
harness.answer(scratchpad, lambda scratchpad: True)
"""
"""A script that answers any task wrong. Its check of its own answer, the function, accepts all.

The test starts a server of models that replies with this script to every request.
"""


def journal_of_wrong_answers(folder: Path, model_url: str) -> Path:
    """Play one task with the model at this address, and return the journal of the run.

    The address is that of a server which replies with `WRONG_ANSWER_SCRIPT`.
    """
    run = run_controlplane(
        "run",
        "sku-lookup.1",
        *("--model", "some/model"),
        *("--base-url", model_url),
        *("--api", "chat"),
        *("--max-steps", "2"),
        "--quiet",
        cwd=folder,
        OPENAI_API_KEY="k",
    )
    assert run.code == 0, run.err
    (journal,) = folder.glob("runs/*.jsonl")
    return journal


def commands_in_report(journal: Path) -> list[str]:
    """Return the different commands on the buttons of a report that copy one, in its order:
    those beside the first failure, `[rerun, fork, judge, improve, ...]`, come first."""
    html = "".join(run_report([journal]).pieces)
    commands: list[str] = []
    for attribute in re.findall(r'data-copy="([^"]+)"', html):
        command = unescape(attribute)
        if command not in commands:
            commands.append(command)
    return commands


def run_in_shell(command: str, folder: Path) -> CommandResult:
    """Run the text of a command as a user does who pastes it."""
    return run_program(["sh", "-c", command], folder, OPENAI_API_KEY="k")


def run_words_of_shell(command: str, folder: Path) -> CommandResult:
    """Run `controlplane` with the words that a shell makes of a command's text.

    This starts no new Python, which `run_in_shell` does.
    """
    printed_words = run_program(["sh", "-c", f"printf '%s\\n' {command}"], folder)
    _program, *arguments = printed_words.out.splitlines()
    return run_controlplane(*arguments, cwd=folder, OPENAI_API_KEY="k")
