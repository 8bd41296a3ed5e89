"""Code that plays a trial does not ask whether it is playing it for the first time.

A trial is played anew, or goes on from the record of an earlier attempt, or is replayed from it.
The *tape* gives a recorded result or makes the call, so that all other code need not know. If it
knew, a resumed trial could behave differently. `conditions_on_a_record` finds conditions that name a
record or a field of one, such as `if self.tape.is_replay: ...`, in all modules that play trials.
"""

from pathlib import Path

from tests.support.product_files import ROOT
from tests.support.record_conditions import conditions_on_a_record

PLAYING_PACKAGES = (
    "agent",
    "controlplane/lifecycle",
    "controlplane/mcp",
    "controlplane/workers",
)
"""The packages that play trials. Those left out have the record as their business (`journal` and
`replay`), only show it (views and reports), or never see one (benchmarks, sandbox and gates)."""


def playing_modules() -> list[Path]:
    """Return the files of all modules that play trials."""
    paths: list[Path] = []
    for package in PLAYING_PACKAGES:
        paths += sorted((ROOT / package).rglob("*.py"))
    return paths


def test_only_the_tape_and_the_reader_of_records_ask_whether_there_is_a_record() -> (
    None
):
    """Conditions are collected by module, so that a failure names the place."""
    conditions_of_module: dict[str, list[str]] = {}
    allowed_to_ask = (
        "agent/record",  # reads records
        "agent/evidence/tape.py",
        # Each asks the tape once, in the function that has the order of things: whether a call or
        # an answer is recorded, what the start was, and where the next attempt goes on.
        "agent/evidence/calls.py",
        "agent/evidence/recorder.py",
        "agent/evidence/environment_resume.py",
    )

    for path in playing_modules():
        module = path.relative_to(ROOT).as_posix()
        if module.startswith(allowed_to_ask):
            continue
        found_conditions = conditions_on_a_record(path.read_text(encoding="utf-8"))
        if found_conditions:
            conditions_of_module[module] = found_conditions

    assert conditions_of_module == {}
