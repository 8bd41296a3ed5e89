"""Code that plays a trial does not ask whether it is playing it for the first time.

A trial is played anew, or goes on from the record of an earlier attempt, or is replayed from it.
The *tape* gives a recorded result or makes the call, so that all other code need not know. If it
knew, a resumed trial could behave differently. So a condition such as `if self.tape.is_replay: ...`
is looked for in all modules that play trials.
"""

from pathlib import Path

from tests.support.product.record_conditions import conditions_on_a_record
from tests.support.product_files import ROOT

PLAYING_PACKAGES = (
    "agent",
    "controlplane/lifecycle",
    "controlplane/mcp",
    "controlplane/workers",
)
"""The packages that play trials. Views and reports only show records; benchmarks, sandbox and
gates never see one."""


def playing_modules() -> list[Path]:
    """Return the files of all modules that play trials."""
    paths: list[Path] = []
    for package in PLAYING_PACKAGES:
        paths += sorted((ROOT / package).rglob("*.py"))
    return paths


def test_only_tape_readers_and_replays_ask_whether_there_is_a_record() -> None:
    """Conditions are collected by module, so that a failure names the place."""
    conditions_of_module: dict[str, list[str]] = {}
    tape = "agent/evidence/tape"
    readers_of_journals = ("agent/record", "controlplane/journal")
    replays = "controlplane/replay"
    # The modules whose business is the record.
    allowed_to_ask = (tape, *readers_of_journals, replays)

    for path in playing_modules():
        module = path.relative_to(ROOT).as_posix()
        if module.startswith(allowed_to_ask):
            continue
        found_conditions = conditions_on_a_record(path.read_text(encoding="utf-8"))
        if found_conditions:
            conditions_of_module[module] = found_conditions

    assert conditions_of_module == {}
