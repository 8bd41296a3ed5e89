"""A run of two tasks that is killed while it waits for the model's last reply, and then resumed.

Of the four replies of the model, the killed run has three, so the resumed run should ask for one:

    kill_and_resume(folder)  # ResumedRun(result={"trials": [...]}, requests=[{"input": [...]}])
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.exoskeleton.responses_model import AnswerAllButLast, answer
from tests.exoskeleton.right_calls import TASK_IDS
from tests.support.command import run_in_process, start_controlplane, write_config
from tests.support.endpoints import model_server

CONFIGURATION = """[profiles.big]
model = "m"
base_url = "{url}"
api = "responses"
"""
"""The configuration that makes `--model big` the model of our server."""


def kill_run_at_last_request(model: AnswerAllButLast, folder: Path) -> None:
    """Start a run of both tasks, and kill it while it waits for the last reply."""
    process = start_controlplane(
        "run",
        *TASK_IDS,
        "--agent",
        "exoskeleton",
        "--model",
        "big",
        # These parts of the solver would send requests of their own, or answer before the model.
        "--parts",
        "-classifier,-preflight,-formatter",
        "--concurrency",
        "1",  # The tasks are played one after the other.
        "--quiet",
        cwd=folder,
    )
    try:
        assert model.last_request_came.wait(60)
    finally:
        process.kill()
        process.communicate()
        model.run_is_killed.set()


@dataclass
class ResumedRun:
    """What the killed run did when it was resumed."""

    result: dict[str, Any]
    """What `resume --json` printed."""
    requests: list[dict[str, Any]]
    """The bodies of the requests to the model since the kill."""


def kill_and_resume(folder: Path) -> ResumedRun:
    """Run both tasks, kill the run while it waits for the last reply, and resume it.

    The resumed run gets right answers to all of its requests.
    """
    model = AnswerAllButLast()
    with model_server(model) as server:
        write_config(folder / "controlplane.toml", CONFIGURATION.format(url=server.url))
        kill_run_at_last_request(model, folder)
        requests_before = len(server.asked)

        server.answer = answer
        resumed = run_in_process("resume", "last", "--json", cwd=folder)

    assert resumed.code == 0, resumed.err
    new_requests = server.asked[requests_before:]
    return ResumedRun(resumed.json, [request.body for request in new_requests])
