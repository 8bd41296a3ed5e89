"""Runs `ask` in a test, with a model that replies with fixed scripts.

`ask(folder, "--json")` asks "Until when may loan-02 be kept?" about the files of `folder/docs`. The
model replies with a script, `ANSWER`, which finds these lines of docs/loans.md and cites them:

    3   - loan-02: kept
    4     until 2026-03-01.
"""

import json
from pathlib import Path

from tests.support.command import CommandResult, run_in_process

QUESTION = "Until when may loan-02 be kept?"


# Scripts of the model. `harness` has the calls to the files. `scratchpad` keeps values until the
# next step; `scratchpad.cite(path, reason, quote)` notes a source. `harness.answer` submits what
# the scratchpad has, with a function of the model that checks it.
ANSWER = """
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Finds the line on loan-02, cites it, and answers "Until 2026-03-01.".

The quote has another capital letter and other blanks than the file, as those of models do. A
question that continues this one gets the scratchpad with "seen".
"""
PRINTED_ANSWER = """\
Until 2026-03-01 [1].

  [1] docs/loans.md:4

  docs/loans.md:3
    > Kept  until 2026-03-01
"""
"""What `ask` prints for `ANSWER`: the line of the date, and the quoted passage with its first line."""
ANSWER_THAT_FILES_DO_NOT_SAY = """
from datetime import date
harness.search("zeppelin")
scratchpad["answer"] = f"The files of {date.today()} do not say it. \\x1b[31m"
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "not" in sp["answer"])
"""
"""Searches in vain, and says so, with an escape sequence at the end that would turn a terminal's
text red."""
A_QUESTION_FAILED = 1
"""The exit code if no answer was accepted, or, with `--strict`, if a value is unverified."""


def scripted_model(folder: Path, *scripts: str) -> tuple[str, str]:
    """Return the options for a model that replies with these scripts, one in each step."""
    replies = [f"[[reply]]\ncode = {json.dumps(script)}\n" for script in scripts]
    (folder / "replies.toml").write_text("".join(replies), encoding="utf-8")
    return "--model", "scripted:replies.toml"


def ask(
    folder: Path,
    *options: str,
    script: str = ANSWER,
    question: str = QUESTION,
    sources: tuple[str, ...] = ("docs",),
) -> CommandResult:
    """Run `ask` about the files of `docs`, with a model that replies with `script`."""
    replies = scripted_model(folder, script)
    return run_in_process("ask", question, *sources, *replies, *options, cwd=folder)
