"""`export last --to run.eval` writes a log for Inspect, a framework for evaluations of models.

In such a log, a trial is called a sample. Inspect reads the log from Python, and shows it as web
pages.
"""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.errors import UsageError
from tests.support.browser import Browser
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    clean_environment,
    wait_until,
)

SAMPLE = str(ROOT / "runs/sample.jsonl")
"""A journal in the repository: one trial of the task calendar-date.1, which has three steps."""


def free_port() -> int:
    """Return a port at which no server listens at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.fixture
def address_of_inspect_view(
    run_command_here: CommandRunner, tmp_path: Path
) -> Iterator[str]:
    """The address of `inspect view`, a server of Inspect that shows the log of the sample."""
    pytest.importorskip("inspect_ai")
    assert run_command_here("export", SAMPLE, "--to", "logs/run.eval").code == 0

    port = free_port()
    inspect = Path(sys.executable).with_name("inspect")
    output = tmp_path / "output"
    with output.open("wb") as output_file:
        server = subprocess.Popen(
            [inspect, "view", "--log-dir", "logs", "--port", str(port)],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=output_file,
            stderr=output_file,
        )
        try:
            wait_until(lambda: b"Running on" in output.read_bytes())
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(20)


PAGES_OF_INSPECT_VIEW = {
    "": ["calendar-date.1", "24-11-2027", "MEAN", "1.0"],
    "/samples/sample/calendar-date.1/1/messages": [
        "SYSTEM",
        "USER",
        "ASSISTANT",
        "datetime.timedelta(days=7)",
    ],
    "/samples/sample/calendar-date.1/1/scoring": ["grader", "24-11-2027", "SCORE"],
}
"""The pages about the log of the sample, each with words that it shows."""


class TestInspectLog:
    """The log of one run is read by Inspect, from Python and as web pages.

    The sample has one trial of the task calendar-date.1, with the answer "24-11-2027".
    """

    def test_inspect_reads_the_log_of_a_run(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """`inspect_ai.log` is the module of Inspect that reads its logs."""
        inspect_log = pytest.importorskip("inspect_ai.log")
        assert run_command_here("export", SAMPLE, "--to", "run.eval").code == 0

        log = inspect_log.read_eval_log(str(tmp_path / "run.eval"))

        (trial,) = open_journal(Path(SAMPLE)).trials.values()
        (logged_trial,) = log.samples
        assert logged_trial.id == trial.task_id
        assert logged_trial.scores["grader"].value == trial.score
        assert logged_trial.output.completion == trial.summary.answer
        first_roles = [message.role for message in logged_trial.messages[:3]]
        assert first_roles == ["system", "user", "assistant"]
        kinds_of_events = {event.event for event in logged_trial.events}
        assert kinds_of_events == {"model", "tool", "score"}

    def test_two_runs_do_not_fit_into_one_log_of_inspect(
        self, run_command_here: CommandRunner
    ) -> None:
        """The sample is named twice."""
        pytest.importorskip("inspect_ai.log")
        refused = run_command_here("export", SAMPLE, SAMPLE, "--to", "two.eval")

        check_error_line(refused, UsageError.exit_code, "holds one run")

    @pytest.mark.second_tier
    def test_inspect_view_shows_samples_messages_and_scores(
        self, address_of_inspect_view: str, browser: Browser
    ) -> None:
        """A browser without a window opens each page and waits until it shows all of its words."""
        browser.size(1280)
        for page, words in PAGES_OF_INSPECT_VIEW.items():
            browser.send("Page.navigate", url="about:blank")
            url = f"{address_of_inspect_view}/#/tasks/run.eval{page}"
            browser.send("Page.navigate", url=url)
            shows_word = "word => document.body?.innerText.includes(word)"
            browser.wait(f"{json.dumps(words)}.every({shows_word})")
