"""Asks a question in a test, with a model that replies with fixed scripts.

    write_files(folder, {"docs/loans.md": "loan-02: kept until 2026-03-01.\\n"})
    ask(folder, script=ANSWER).out
    # "Until 2026-03-01 [1].\\n\\n  [1] docs/loans.md:1\\n..."

In a script of the model, `harness` has the calls to the files. `scratchpad` keeps values until the
next step. `scratchpad.cite(path, reason, quote)` notes a source, and `harness.answer` submits the
answer, with a function of the model that checks it.
"""

import json
from pathlib import Path

from tests.support.command import CommandResult, run_in_process

QUESTION = "Until when may loan-02 be kept?"

ANSWER = """
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""

ANSWER_THAT_FILES_DO_NOT_SAY = """
harness.search("zeppelin")
scratchpad["answer"] = "The files do not say it."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "not" in sp["answer"])
"""

A_QUESTION_FAILED = 1
"""The exit code if no answer was accepted, or, with `--strict`, if a value is unverified."""


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write texts below the folder: `write_files(folder, {"docs/a.md": "fee: 7"})`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def scripted_model(folder: Path, *scripts: str) -> tuple[str, str]:
    """Return the options for a model that replies with these scripts, one in each step.

    `scripted_model(folder, "print(1)")` -> `("--model", "scripted:replies.toml")`
    """
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
    """Run `controlplane ask QUESTION docs` in the folder; the model replies with `script`."""
    replies = scripted_model(folder, script)
    return run_in_process("ask", question, *sources, *replies, *options, cwd=folder)
