"""A benchmark of the user, `shelf.py`, in which one method is broken."""

import sys
from pathlib import Path

from tests.support.command import CommandResult, run_in_process
from tests.support.product_files import ROOT


def run_broken_wordbook(folder: Path, method: str, statement: str) -> CommandResult:
    """Play one trial of the wordbook, with right replies, after this method was broken.

    `run_broken_wordbook(folder, "Wordbook.end_trial", "return 1.0")`: it does only the statement,
    which is in line 2 of the user's `shelf.py`.
    """
    wordbook = (ROOT / "docs/examples/wordbook.py").read_text(encoding="utf-8")
    broken = f"def broken(*arguments):\n    {statement}\n\n"
    source = f"{broken}{wordbook}\n{method} = broken\n"
    (folder / "shelf.py").write_text(source, encoding="utf-8")
    sys.modules.pop("shelf", None)  # the module of another test

    replies = f"scripted:{ROOT}/docs/examples/wordbook.toml"
    command = ("run", "--benchmark", "shelf", "--limit", "1", "--model", replies)
    return run_in_process(*command, "--json", cwd=folder)


def reason_of_trial(result: CommandResult, folder: Path) -> str:
    """Return why the one trial of a run failed: "could not end: TypeError: …".

    Assert that the journal of the run can be shown nevertheless.
    """
    shown = run_in_process("show", "last", "--json", cwd=folder)
    assert shown.json["trials"]
    (trial,) = result.json["trials"]
    return str(trial["reason"])
