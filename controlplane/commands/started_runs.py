"""Remembers who started which run of a folder, so that `last` means the latest one of the user at this terminal.

A terminal is known by its session, which every shell and all that it starts has in common. What cannot be written or
read here is no fault: `last` then falls back to the journal that was written to last.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.events import now_ms
from controlplane.journal.journal_file import journal_id

STARTED_FILE: Final = ".started-runs"
"""Beside the journals: one line of JSON for each run that was started or resumed, in their order."""


class StartedRun(BaseModel):
    """Who started a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    user: int
    session: int
    at_ms: int


def remember_start(journal: Path) -> None:
    """Note that this process conducts the run of `journal`."""
    started = StartedRun(run=journal_id(journal), user=os.getuid(), session=os.getsid(0), at_ms=now_ms())
    with (
        contextlib.suppress(OSError),
        (journal.parent / STARTED_FILE).open("a", encoding="utf-8") as file,
    ):
        file.write(f"{started.model_dump_json()}\n")


def last_run(folder: Path, newest_first: Sequence[Path]) -> tuple[Path, str]:
    """Return the journal that `last` means, of those given, and why it is that one.

    It is the latest that was started from this terminal; else the latest of this user; else the one written to last.
    """
    journals = {journal_id(each): each for each in reversed(newest_first)}
    started = [each for each in _started(folder) if each.run in journals]
    own = [each for each in started if each.user == os.getuid()]
    here = [each for each in own if each.session == os.getsid(0)]
    if here:
        return journals[here[-1].run], "the last run that this terminal started"
    if own:
        return journals[own[-1].run], "your last run; this terminal started none"
    return newest_first[0], "the journal written to last; you started none of them"


def _started(folder: Path) -> list[StartedRun]:
    try:
        lines = (folder / STARTED_FILE).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for each in lines:
        with contextlib.suppress(ValidationError):  # a line that was cut off
            found.append(StartedRun.model_validate_json(each))
    return found
