"""Pages of a run that still plays show the last call of a trial, and what the call prints.

A test writes events of the trial "a" to the run's journal, as a run does: the start, the opening of
the conversation, a reply of the model, and the two events of a call that reads /doc-1.md.
"""

from pathlib import Path

from controlplane.agent.events import CallOutput
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.server.live_pages.live_runs import live_run
from tests.controlplane.report.trial_events import trial_events
from tests.support.command import wait_until


def test_the_last_call_of_a_running_trial_is_shown(tmp_path: Path) -> None:
    start, opening, reply, begun_call, ended_call, *_ = trial_events(
        "a", ReportedTrial("a")
    )
    with live_run(tmp_path) as (writer, view):
        writer.write(start)
        wait_until(lambda: "Running now" in view.text("/runs/live"))

        for event in (opening, reply, begun_call, ended_call):
            writer.write(event)
        wait_until(lambda: "read /doc-1.md</td>" in view.text("/runs/live"))


def test_what_a_call_prints_is_shown_until_the_call_is_over(tmp_path: Path) -> None:
    start, opening, reply, begun_call, *_ = trial_events("a", ReportedTrial("a"))
    output = CallOutput(trial_id="a", text="CC main.o\n<b>warning</b>")
    # An empty output says that the call is over.
    end_of_output = CallOutput(trial_id="a", text="")
    with live_run(tmp_path) as (writer, view):
        for event in (start, opening, reply, begun_call, output):
            writer.write(event)
        wait_until(lambda: "CC main.o\n&lt;b&gt;warning" in view.text("/runs/live"))

        writer.write(end_of_output)
        wait_until(lambda: "CC main.o" not in view.text("/runs/live"))
