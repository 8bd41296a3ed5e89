"""Events of a journal, read back for a test.

A journal records a run: it is a file of JSON lines, one for each event, such as `run_opened`, a call
of a trial, or a score. `list(read_events(path))` -> `[RunOpened(...), RunStarted(...), ...]`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from controlplane.agent.events import CallEvent
from controlplane.errors import NotAJournal
from controlplane.journal.journal_reader import Journal
from controlplane.journal.run_events import JournalEvent, RunOpened


def first_line_with(part: bytes, lines: Sequence[bytes]) -> int:
    """Return the index of the first line of a journal with this part, such as `b'"run_started"'`.

    Fails the test if there is none.
    """
    for index, line in enumerate(lines):
        if part in line:
            return index
    raise AssertionError(f"no line with {part!r}")


def read_events(path: Path) -> Iterator[JournalEvent]:
    """Yield every event of a journal in order, with long texts in place of references to them.

    Raises `NotAJournal` at the end of a file without the event that opens a run, and
    `JournalDamaged` at a line that was changed.
    """
    is_opened = False
    for event in Journal(path).read_on():
        if isinstance(event, RunOpened):
            is_opened = True
        yield event
    if not is_opened:
        raise NotAJournal(f"{path} is not a journal: it holds no whole line of one")


def is_announced_call(event: object) -> bool:
    """Return True for the event that announces a call, before the event with its result."""
    return isinstance(event, CallEvent) and event.is_under_way
