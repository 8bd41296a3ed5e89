"""A run over the Responses API of OpenAI that is killed while it waits for a reply, and resumed.

killed = kill_and_resume(folder, [first_reply, second_reply], "--benchmark", "folder:tasks")
killed.requests_before_kill     # 2 requests: the run was killed before it got the second reply
killed.requests_after_kill      # 1 request: the resumed run has asked for the second reply again
killed.resumed.code             # 0
"""

import socket
import threading
from dataclasses import dataclass
from pathlib import Path

from tests.support.command import (
    CommandResult,
    run_in_process,
    start_controlplane,
    write_config,
)
from tests.support.endpoints import ModelHttpRequest, model_server


@dataclass(frozen=True)
class KilledRun:
    """What a run has asked the model, before and after it was killed."""

    requests_before_kill: list[ModelHttpRequest]
    requests_after_kill: list[ModelHttpRequest]
    resumed: CommandResult
    """How the resumed run ended."""


def kill_and_resume(folder: Path, replies: list[bytes], *words: str) -> KilledRun:
    """Start `controlplane run` with these words, kill it at the last reply, and resume it.

    The model gives the replies in turn, and the last one to all further requests, too.
    """
    last_request_came = threading.Event()
    run_is_killed = threading.Event()

    def reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        number = len(server.asked)
        if number < len(replies):
            return replies[number - 1]
        last_request_came.set()
        run_is_killed.wait(60)
        return replies[-1]

    with model_server(reply) as server:
        write_config(
            folder / "controlplane.toml",
            f'[profiles.big]\nmodel = "m"\nbase_url = "{server.url}"\napi = "responses"\n',
        )
        options = ("--agent", "exoskeleton", "--model", "big", "--quiet")
        process = start_controlplane("run", *words, *options, cwd=folder)
        try:
            assert last_request_came.wait(60)
        finally:
            process.kill()
            process.communicate()
            run_is_killed.set()
        requests_before_kill = list(server.asked)
        resumed = run_in_process("resume", "last", "--json", cwd=folder)
        requests_after_kill = server.asked[len(requests_before_kill) :]
    return KilledRun(requests_before_kill, requests_after_kill, resumed)
