"""Model endpoints that are down, overloaded, or hang during a run.

A run makes a refused request again for as long as `--model-patience` says. Then it pauses, and
`resume` continues it when the endpoint is up again, so that no trial is lost.
"""

import signal
import socket
import time
from pathlib import Path

import pytest

from controlplane.errors import Interrupted, Unreachable
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    A_TRIAL_FAILED,
    OK,
    PHONEBOOK_RUN,
    overloaded,
    phonebook_endpoint,
    responding_until,
    scores_of,
)
from tests.support.command import (
    run_in_process,
    wait_for_exit,
    wait_until,
)
from tests.support.endpoints import ModelHttpRequest, http_response
from tests.support.phonebook_model import respond


def test_an_endpoint_that_is_down_for_a_while_costs_no_trial(
    tmp_path: Path, heavy: bool
) -> None:
    """The endpoint goes away in the middle of the first trials, for longer than a trial may take,
    and comes back. Waiting for it does not count as time of the trial."""
    away_s = 60.0 if heavy else 4.0
    repeats = 34 if heavy else 3
    trials_at_once = 10 if heavy else 4

    with phonebook_endpoint(tmp_path, respond) as endpoint:
        process = endpoint.start_command(
            *PHONEBOOK_RUN,
            "--repeats",
            str(repeats),
            "--concurrency",
            str(trials_at_once),
            "--trial-time",
            "3.5",
            "--json",
        )
        wait_until(lambda: len(endpoint.server.asked) >= 6)
        endpoint.server.close()
        time.sleep(away_s)
        endpoint.server.open()
        result = wait_for_exit(process)

    assert result.code == OK, result.err
    assert scores_of(result) == [1.0] * (3 * repeats)  # each of three tasks
    assert result.json["retries"] > 0


class TestLastingOutages:
    """The endpoint serves some requests of nine trials, and then refuses all: "overloaded".

    A trial makes two requests.
    """

    def test_an_endpoint_that_stays_down_pauses_the_run(self, tmp_path: Path) -> None:
        """It serves nine requests, so that at most four trials can be finished. The run asks again
        for a second (`--model-patience 1`), and pauses, so that the others can still be played."""
        with phonebook_endpoint(
            tmp_path, responding_until(9, failure=overloaded)
        ) as endpoint:
            paused = endpoint.command(
                *PHONEBOOK_RUN, "--repeats", "3", "--json", "--model-patience", "1"
            )

        assert paused.code == Unreachable.exit_code, paused.err
        assert "the run is paused" in paused.err
        assert "503: overloaded" in paused.err
        assert "--model-patience" in paused.err
        assert not paused.json["submitted"]
        open_trials = [
            trial
            for trial in paused.json["trials"]
            if trial["state"] in ("open", "waiting")
        ]
        assert len(open_trials) >= 5
        for trial in open_trials:
            assert trial["score"] is None
            assert not trial["outcome"]

    def test_a_paused_run_is_finished_by_resume_once_the_endpoint_is_up(
        self, tmp_path: Path
    ) -> None:
        with phonebook_endpoint(
            tmp_path, responding_until(9, failure=overloaded)
        ) as endpoint:
            endpoint.command(*PHONEBOOK_RUN, "--repeats", "3", "--model-patience", "1")

            resumed_too_early = endpoint.command("resume", "last")
            assert resumed_too_early.code == Unreachable.exit_code
            assert "503: overloaded" in resumed_too_early.err

            endpoint.recover()
            resumed = endpoint.command("resume", "last", "--json")

        assert resumed.code == OK, resumed.err
        assert scores_of(resumed) == [1.0] * 9
        replayed = run_in_process("replay", "last", "--verify", cwd=tmp_path)
        assert replayed.code == OK, replayed.err

    def test_ctrl_c_while_the_endpoint_is_down_interrupts_the_run(
        self, tmp_path: Path
    ) -> None:
        """The run ends as interrupted and not as paused, and can be resumed."""
        with phonebook_endpoint(
            tmp_path, responding_until(5, failure=overloaded)
        ) as endpoint:
            process = endpoint.start_command(*PHONEBOOK_RUN, "--repeats", "3")
            # After 12 requests, 7 were refused, and the run waits to make them again.
            wait_until(lambda: len(endpoint.server.asked) >= 12)
            process.send_signal(signal.SIGINT)
            interrupted = wait_for_exit(process)
            assert interrupted.code == Interrupted.exit_code, interrupted.err

            endpoint.recover()
            resumed = endpoint.command("resume", "last")

        assert resumed.code == OK


def hang(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Send the beginning of a reply, and then a byte every 0.1 s for more than an hour."""
    pause_s = 0.1
    byte_count = 40_000
    whole_reply = http_response(200, " " * byte_count)
    connection.sendall(whole_reply[:-byte_count])
    for _ in range(byte_count):
        time.sleep(pause_s)
        connection.sendall(b" ")  # Raises `OSError` when the client has left.
    return b""


class TestHangingModels:
    """The endpoint sends a reply so slowly that it takes more than an hour.

    The trial may take 2 s (`--trial-time`), and ends then, without another request.
    """

    @pytest.mark.parametrize(
        "agent_options",
        [
            pytest.param([], id="default agent"),
            pytest.param(["--agent", "exoskeleton"], id="agent with tools"),
            pytest.param(
                ["--agent", "tests.controlplane.model_endpoints.asking_solver"],
                id="agent of a user, which asks the model by itself",
            ),
        ],
    )
    def test_the_time_of_a_trial_bounds_a_request_of_a_run(
        self, tmp_path: Path, agent_options: list[str]
    ) -> None:
        play = [*PHONEBOOK_RUN, "--limit", "1", "--trial-time", "2", "--json"]
        with phonebook_endpoint(tmp_path, hang) as endpoint:
            run = endpoint.command(*play, *agent_options)

        assert run.code in (OK, A_TRIAL_FAILED), run.err
        assert len(endpoint.server.asked) == 1
        (trial,) = run.json["trials"]
        assert (
            "had not answered when the trial's time was over (--trial-time)"
        ) in trial["reason"]

    def test_the_time_of_a_trial_bounds_a_request_of_a_question(
        self, tmp_path: Path
    ) -> None:
        """`controlplane ask` answers a question about files, as a trial of its own."""
        (tmp_path / "a.md").write_text("Nothing.\n")
        ask = ["ask", "What is in it?", ".", "--model", "m", "--trial-time", "2"]

        with phonebook_endpoint(tmp_path, hang) as endpoint:
            asked = endpoint.command(*ask, "--json")

        assert asked.code in (OK, A_TRIAL_FAILED), asked.err
        assert len(endpoint.server.asked) == 1
        assert (
            "had not answered when the trial's time was over (--trial-time)"
        ) in asked.json["reason"]
