"""Runs whose model gives no answer that is accepted, and what is shown of them.

    run_without_accepted_answer(folder)
    only_trial(folder)["state"]    ->    "fallback"

The model looks a number up, gives an answer that is sent back, and then has no reply any more.
"""

from pathlib import Path
from typing import Any

from tests.controlplane.objections.scripted_model import LOOK_UP, run_ada
from tests.support.command import CommandResult, run_in_process

ANSWER_CITING_UNREAD_FILE = """
scratchpad["answer"], scratchpad["outcome"] = "17", "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "it is 17"}
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
"""
"""Gate 4, a group of checks of citations, objects: the model cites a file that it has not read."""


def run_without_accepted_answer(folder: Path, *options: str) -> CommandResult:
    """Run a model that looks the number up, gives an answer that is sent back, and then has no
    reply for a third step. Asserts that the trial ended with a fallback."""
    run = run_ada(folder, LOOK_UP, ANSWER_CITING_UNREAD_FILE, options=options)
    assert "1 ended by the fallback" in run.out
    return run


def only_trial(folder: Path) -> dict[str, Any]:
    """Return what `show` tells about the one trial of the last run: `{"state": "fallback",
    ...}`."""
    shown = run_in_process("show", "last", "--json", cwd=folder).json
    (trial,) = shown["trials"]
    assert isinstance(trial, dict)
    return trial


def replayed_text(folder: Path) -> str:
    """Return what `replay` prints about the last run, in one line."""
    replay = run_in_process("replay", "last", cwd=folder, COLUMNS="200")
    return " ".join(replay.out.split())
