"""Writes the journal of a run whose texts try to break out of an HTML page.

`hostile_journal(path)` writes it. Each text that a model, an environment, a grader or a user may choose
is `HOSTILE_MARKUP`: it ends elements of HTML, and begins scripts. A page that shows the run must show
these texts as texts.
"""

from pathlib import Path
from typing import Any

from controlplane.agent.events import CallEvent, CallFailure, ConversationOpened
from controlplane.journal.run_events import JournalEvent, RunClosed, RunNotice
from tests.controlplane.report.reported_run import (
    ReportedTrial,
    ended_call,
    run_events,
)
from tests.support.scored_journal import write_journal

HOSTILE_MARKUP = "".join(
    [
        # Ends the elements that it may stand in, and begins some that run a script.
        "</script></style></title>",
        "<script>document.title='owned'</script>",
        "<img src=x onerror=\"document.title='owned'\">",
        "<svg onload=alert(1)>",
        # Ends attributes, and means something to templates, comments and links.
        "'\"`{{ 7*7 }}{% raw %}<!--]]>&lt;b&gt;javascript:alert(1)",
        # Turns the direction of the text, and has a null, an escape sequence, and a line end.
        "\u202etxt\x00\x1b[31m\u2028",
    ]
)


def hostile_journal(path: Path) -> Path:
    """Write a journal with `HOSTILE_MARKUP` in all texts from outside, and return its path."""
    hostile_events = []
    for event in events_of_all_kinds(run=path.stem):
        fields = with_hostile_texts(event.model_dump())
        hostile_events.append(type(event).model_validate(fields))
    return write_journal(path, hostile_events)


def events_of_all_kinds(run: str) -> list[JournalEvent]:
    """Return the events of a run with one trial, in which everything happens that a journal can
    tell: a failed call, a rejected and an accepted answer, a fallback, a notice, an error."""
    trial = ReportedTrial(
        "h",
        score=0.5,
        details=("no",),
        steps=1,
        rejected_answers=1,
        how="fallback",
        reason="r",
    )
    events: list[JournalEvent] = []
    for event in run_events(run, "first", [trial]):
        if isinstance(event, ConversationOpened):
            events += failed_call_before_the_first_step("h-r0")
        events.append(event)
    events.append(RunNotice(text="n"))
    events.append(RunClosed(how="failed", exit_code=1, error="e"))
    return events


def failed_call_before_the_first_step(trial_id: str) -> list[JournalEvent]:
    """Return the events of a call that fails, made before the conversation opens."""
    begun_call = CallEvent(
        trial_id=trial_id,
        step=0,
        number=0,
        operation="read",
        arguments={},
        state="under_way",
    )
    error = CallFailure(code="c", message="m")
    return [begun_call, ended_call(begun_call, state="failed", error=error)]


TEXTS_OF_THE_PRODUCT = (
    "type",
    "how",
    "now",
    "python",
    "result",  # of a verdict: "reject"
    "enforcement",
    "state",
)
"""Fields whose texts stay as they are, since only the product writes them: kinds, times, versions."""
DICTS_WITH_FREE_KEYS = (
    "arguments",
    "result",  # of a call: {"content": "seen"}
    "scratchpad",
)
"""Fields with a dict whose keys a model or an environment chooses. It gets a hostile key, too."""


def with_hostile_texts(value: Any) -> Any:
    """Return an event's data with `HOSTILE_MARKUP` in place of each text from outside:

    {"type": "notice", "text": "hello"}   -> {"type": "notice", "text": HOSTILE_MARKUP}
    {"arguments": {"n": 1}}               -> {"arguments": {HOSTILE_MARKUP: HOSTILE_MARKUP, "n": 1}}
    """
    if isinstance(value, str):
        return HOSTILE_MARKUP
    if isinstance(value, list | tuple):
        return [with_hostile_texts(item) for item in value]
    if not isinstance(value, dict):
        return value

    changed = {}
    for name, field in value.items():
        if isinstance(field, str) and name in TEXTS_OF_THE_PRODUCT:
            changed[name] = field
        elif isinstance(field, dict) and name in DICTS_WITH_FREE_KEYS:
            hostile_item = {HOSTILE_MARKUP: HOSTILE_MARKUP}
            changed[name] = hostile_item | with_hostile_texts(field)
        else:
            changed[name] = with_hostile_texts(field)
    return changed
