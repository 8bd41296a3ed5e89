"""Events of every form, and a journal that holds them."""

from pathlib import Path

from agent.events import Noticed
from agent.events.trial_events import CallDone
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunClosed, RunOpened, Versions

VERSIONS = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
OPENED = RunOpened(run="r", name="n", benchmark="b", model="m", settings=(), versions=VERSIONS)
LONG = "a long text " * 17
EVENTS: list[JournalEvent] = [
    OPENED,
    Noticed(trial_id="t1", text=LONG),
    CallDone(trial_id="t1", step=1, number=0, result={"content": LONG, "lines": [LONG, {"a": "@text:fake"}]}),
    Noticed(trial_id="t2", text="lone surrogate \ud800 and @text:"),
    Noticed(trial_id="t2", text="@text:0123"),
    CallDone(trial_id="t2", step=1, number=1, result={"path": "/a", "hash": "sha1:zz", "prev": "0" * 32}),
    CallDone(
        trial_id="t2", step=1, number=2, result={"of": [{"prev": "p"}, {"a": [], "hash": "0" * 32}], "hash": "f" * 32}
    ),
    Noticed(trial_id="t2", text=',"hash":"0123456789abcdef0123456789abcdef"}'),
    CallDone(trial_id="t2", step=1, number=3, result={"n": [-1.5e-09, 1e22, 0, True, None, {}, [[]]], "hash": None}),
    RunClosed(how="finished", exit_code=0),
]


def written(path: Path, events: list[JournalEvent]) -> Path:
    with JournalWriter(path, create=True) as journal:
        for event in events:
            journal.write(event)
    return path
