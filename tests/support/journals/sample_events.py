"""Events for journals that a test writes itself, and what writes them.

write_journal(tmp_path / "r.jsonl", [RUN_OPENED, Noticed(trial_id="t1", text="a notice")])
"""

from pathlib import Path
from typing import Any

from controlplane.agent.events import CallEvent, Noticed
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunClosed, RunOpened, Versions

VERSIONS = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
"""The versions of the program and its parts, as the start of a run records them."""
RUN_OPENED = RunOpened(
    run="r", name="n", benchmark="b", model="m", settings=(), versions=VERSIONS
)
"""The first event of every journal."""
LONG_TEXT = "a long text " * 17
"""Long enough that the journal writes it once, as a text of its own, and then refers to it."""


def _read_event(trial_id: str, number: int, result: dict[str, Any]) -> CallEvent:
    """Return the event of a read with this result."""
    return CallEvent(
        operation="read",
        arguments={},
        trial_id=trial_id,
        step=1,
        number=number,
        result=result,
    )


TWO_TRIALS_EVENTS: list[JournalEvent] = [
    RUN_OPENED,
    Noticed(trial_id="t1", text=LONG_TEXT),
    # A result with the long text twice, and with a text that looks like a reference to one.
    _read_event(
        "t1", 0, {"content": LONG_TEXT, "lines": [LONG_TEXT, {"a": "@text:fake"}]}
    ),
    Noticed(trial_id="t2", text="not a lone surrogate \ufffd and @text:"),
    Noticed(trial_id="t2", text="@text:0123"),
    # Results with the fields `prev` and `hash`, which also end each line.
    _read_event("t2", 1, {"path": "/a", "hash": "sha1:zz", "prev": "0" * 32}),
    _read_event(
        "t2",
        2,
        {"of": [{"prev": "p"}, {"a": [], "hash": "0" * 32}], "hash": "f" * 32},
    ),
    # A text that looks like the end of a line.
    Noticed(trial_id="t2", text=',"hash":"0123456789abcdef0123456789abcdef"}'),
    # Numbers in all notations, and values that JSON writes in words.
    _read_event(
        "t2", 3, {"n": [-1.5e-09, 1e22, 0, True, None, {}, [[]]], "hash": None}
    ),
    RunClosed(how="finished", exit_code=0),
]
"""The events of a short run of two trials, whose texts and results look like parts of a journal.

A journal writes a long text once, as a line with a key, and refers to it by `@text:KEY`. Each
line ends with the hash of the line before it (`prev`) and its own (`hash`). A reader must not
mistake the texts and results here for any of that."""


def write_journal(path: Path, events: list[JournalEvent]) -> Path:
    """Write a journal of these events, and return its path."""
    with JournalWriter(path, create=True) as journal:
        for event in events:
            journal.write(event)
    return path
