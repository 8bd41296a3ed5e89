"""Pages of a run that still plays show when a trial starts, and when it ends.

A test writes events of the trial "a" to the run's journal, as a run does, and looks at the pages that
the server makes of them. Browsers read a stream of events, and load the page again when there is news.
"""

from http.client import HTTPResponse
from pathlib import Path

from tests.controlplane.report.listed_runs import rows_of_runs
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.server.live_pages.live_runs import live_run
from tests.controlplane.report.trial_events import trial_events
from tests.support.command import wait_until


def wait_for_server_event(stream: HTTPResponse) -> None:
    """Read an event stream until the server says that there is news: a line "data: ..."."""
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        if line.startswith(b"data:"):
            return


def test_browsers_are_told_that_a_trial_has_started(tmp_path: Path) -> None:
    """They read a stream of events, and load the page again when there is news."""
    start, *_ = trial_events("a", ReportedTrial("a"))
    with live_run(tmp_path) as (writer, view):
        assert "Running now" not in view.text("/runs/live")

        with view.open_response("/runs/live/events") as stream:
            writer.write(start)
            wait_for_server_event(stream)

        wait_until(lambda: "Running now" in view.text("/runs/live"))


def test_a_trial_that_has_ended_is_counted_and_has_its_score(tmp_path: Path) -> None:
    """The page was shown while the trial still played."""
    start, opening, reply, begun_call, ended_call, *end = trial_events(
        "a", ReportedTrial("a", score=0.5)
    )
    with live_run(tmp_path) as (writer, view):
        for event in (start, opening, reply, begun_call, ended_call):
            writer.write(event)
        wait_until(lambda: "Running now" in view.text("/runs/live"))

        for event in end:
            writer.write(event)
        wait_until(lambda: "1 of 2" in rows_of_runs(view)[0])
        assert view.json("/runs/live/trial-1-1.json")["score"] == 0.5
