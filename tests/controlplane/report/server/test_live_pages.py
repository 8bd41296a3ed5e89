"""Pages of a run that still plays, which follow its journal.

The run has the trials "a" and "b". A test writes events of "a" to the journal, as a run does, and looks
at the pages that the server makes of them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path

from controlplane.agent.events import CallOutput
from controlplane.journal.journal_writer import JournalWriter
from tests.controlplane.report.reported_trial import ReportedTrial, trial_events
from tests.controlplane.report.running_view import RunningView, serving_view
from tests.controlplane.report.unfinished_journal import unfinished_journal
from tests.support.command import wait_until


@contextmanager
def live_run(folder: Path) -> Iterator[tuple[JournalWriter, RunningView]]:
    """Yield the writer of the run's journal, and a server that has noticed that the run plays."""
    with (
        unfinished_journal(folder / "live.jsonl", "a", "b") as writer,
        serving_view(folder) as view,
    ):
        wait_until(lambda: "running" in view.rows()[0])
        yield writer, view


def wait_for_server_event(stream: HTTPResponse) -> None:
    """Read an event stream until the server says that there is news: a line "data: ..."."""
    while True:
        line = stream.readline()
        assert line, "the stream ended"
        if line.startswith(b"data:"):
            return


class TestLivePages:
    """A run of the trials "a" and "b" still plays, and its pages show what happens in "a".

    `live_run(folder)` yields the writer of the journal and the server. A test writes the events
    of a trial: its start, the opening of the conversation, a reply, a call, and so on.
    """

    def test_browsers_are_told_that_a_trial_has_started(self, tmp_path: Path) -> None:
        """They read a stream of events, and load the page again when there is news."""
        start, *_ = trial_events("a", ReportedTrial("a"))
        with live_run(tmp_path) as (writer, view):
            assert "Running now" not in view.text("/runs/live")

            with view.open_response("/runs/live/events") as stream:
                writer.write(start)
                wait_for_server_event(stream)

            wait_until(lambda: "Running now" in view.text("/runs/live"))

    def test_the_last_call_of_a_running_trial_is_shown(self, tmp_path: Path) -> None:
        start, opening, reply, begun_call, ended_call, *_ = trial_events(
            "a", ReportedTrial("a")
        )
        with live_run(tmp_path) as (writer, view):
            writer.write(start)
            wait_until(lambda: "Running now" in view.text("/runs/live"))

            for event in (opening, reply, begun_call, ended_call):
                writer.write(event)
            wait_until(lambda: "read /doc-1.md</td>" in view.text("/runs/live"))

    def test_what_a_call_prints_is_shown_until_the_call_is_over(
        self, tmp_path: Path
    ) -> None:
        """An empty output says that the call is over."""
        start, opening, reply, begun_call, ended_call, *_ = trial_events(
            "a", ReportedTrial("a")
        )
        output = CallOutput(trial_id="a", text="CC main.o\n<b>warning</b>")
        end_of_output = CallOutput(trial_id="a", text="")
        with live_run(tmp_path) as (writer, view):
            for event in (start, opening, reply, begun_call, ended_call, output):
                writer.write(event)
            wait_until(lambda: "CC main.o\n&lt;b&gt;warning" in view.text("/runs/live"))

            writer.write(end_of_output)
            wait_until(lambda: "CC main.o" not in view.text("/runs/live"))

    def test_a_trial_that_has_ended_is_counted_and_has_its_score(
        self, tmp_path: Path
    ) -> None:
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
            wait_until(lambda: "1 of 2" in view.rows()[0])
            assert view.json("/runs/live/trial-1-1.json")["score"] == 0.5
