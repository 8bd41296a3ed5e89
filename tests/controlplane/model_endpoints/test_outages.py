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
    REPLIES_OF_TRIAL,
    overloaded,
    phonebook_endpoint,
    responding_until,
    scores_of,
)
from tests.support.command import (
    CommandResult,
    run_in_process,
    wait_for_exit,
    wait_until,
)
from tests.support.endpoints import ModelHttpRequest, http_response
from tests.support.phonebook_model import respond


def check_open_trials(paused: CommandResult, *, most_finished: int) -> None:
    """Assert that all but at most `most_finished` trials of a paused run can still be played."""
    trials = paused.json["trials"]
    open_trials = [trial for trial in trials if trial["state"] in ("open", "waiting")]
    assert len(open_trials) >= len(trials) - most_finished
    for trial in open_trials:
        assert trial["score"] is None
        assert not trial["outcome"]


NINE_TRIALS = (*PHONEBOOK_RUN, "--repeats", "3")
"""A run of three trials for each of the three tasks."""


class TestOutages:
    """The endpoint of the model is away in the middle of a run, and comes back.

    `PHONEBOOK_RUN` plays three tasks, each as often as `--repeats` says. A trial asks the model twice.
    """

    def test_an_endpoint_that_is_down_for_a_while_costs_no_trial(
        self, tmp_path: Path, heavy: bool
    ) -> None:
        """1. The run has made six requests, and is in the middle of its first trials.
        2. The endpoint goes away, for longer than a trial may take, and comes back.
        3. All trials score 1: waiting for an endpoint does not count as time of the trial.
        """
        away_s = 60.0 if heavy else 4.0
        trial_time_s = 3.5
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
                str(trial_time_s),
                "--json",
            )
            wait_until(lambda: len(endpoint.server.asked) >= 6)
            endpoint.server.close()
            time.sleep(away_s)
            endpoint.server.open()
            result = wait_for_exit(process)

        assert result.code == OK, result.err
        tasks = 3
        assert scores_of(result) == [1.0] * (tasks * repeats)
        assert result.json["retries"] > 0


class TestLastingOutages:
    """The endpoint serves some requests of nine trials, and refuses all others: "overloaded".

    A trial makes two requests. The run pauses, or is interrupted, and is resumed when the endpoint is
    up again.
    """

    def test_an_endpoint_that_stays_down_pauses_the_run_and_resume_finishes_it(
        self, tmp_path: Path
    ) -> None:
        """1. The endpoint serves nine requests, enough for four trials, and then refuses all.
        2. The run asks again for a second (`--model-patience 1`), and pauses.
        3. It is resumed too early, and pauses again.
        4. It is resumed when the endpoint is up, and finishes all nine trials.
        """
        served_requests = 9

        with phonebook_endpoint(
            tmp_path, responding_until(served_requests, failure=overloaded)
        ) as endpoint:
            paused = endpoint.command(*NINE_TRIALS, "--json", "--model-patience", "1")
            assert paused.code == Unreachable.exit_code, paused.err
            assert "the run is paused" in paused.err
            assert "503: overloaded" in paused.err
            assert "--model-patience" in paused.err
            assert not paused.json["submitted"]
            check_open_trials(paused, most_finished=served_requests // REPLIES_OF_TRIAL)

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
        """The run ends as interrupted (130) and not as paused (3), and can be resumed."""
        served_requests = 5
        requests_before_signal = 12

        with phonebook_endpoint(
            tmp_path, responding_until(served_requests, failure=overloaded)
        ) as endpoint:
            process = endpoint.start_command(*NINE_TRIALS, "--quiet")
            # By then, seven requests were refused, and the run waits to make them again.
            wait_until(lambda: len(endpoint.server.asked) >= requests_before_signal)
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


OUT_OF_TIME = "had not answered when the trial's time was over (--trial-time)"
"""The reason of a trial whose model hangs."""


def run_with_hanging_model(folder: Path, *command: str) -> CommandResult:
    """Run a command whose trial may take 2 s while its model hangs, and return its result.

    Asserts that the command ends, although the reply does not, and that it does not ask again.
    """
    with phonebook_endpoint(folder, hang) as endpoint:
        result = endpoint.command(*command, "--trial-time", "2", "--json")

    assert result.code in (OK, A_TRIAL_FAILED), result.err
    assert len(endpoint.server.asked) == 1
    return result


AGENT_OF_A_USER = "tests.controlplane.model_endpoints.asking_solver"
"""A module with an agent that asks the model by itself."""


class TestHangingModels:
    """The endpoint sends a reply so slowly that it takes more than an hour.

    The trial may take 2 s (`--trial-time`), and ends then.
    """

    @pytest.mark.parametrize(
        "agent_options",
        [
            pytest.param((), id="default agent"),
            pytest.param(("--agent", "exoskeleton"), id="agent with tools"),
            pytest.param(("--agent", AGENT_OF_A_USER), id="agent of a user"),
        ],
    )
    def test_the_time_of_a_trial_bounds_a_request_of_a_run(
        self, tmp_path: Path, agent_options: tuple[str, ...]
    ) -> None:
        result = run_with_hanging_model(
            tmp_path, *PHONEBOOK_RUN, "--limit", "1", *agent_options
        )

        (trial,) = result.json["trials"]
        assert OUT_OF_TIME in trial["reason"]

    def test_the_time_of_a_trial_bounds_a_request_of_a_question(
        self, tmp_path: Path
    ) -> None:
        """`controlplane ask` answers a question about files, as a trial of its own."""
        (tmp_path / "a.md").write_text("Nothing.\n")

        result = run_with_hanging_model(
            tmp_path, "ask", "What is in it?", ".", "--model", "m"
        )

        assert OUT_OF_TIME in result.json["reason"]
