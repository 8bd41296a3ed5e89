"""The runs in which `controlplane mcp` answers the questions of clients, and the server of these clients."""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controlplane.configuration.setting_sources import resolve
from controlplane.errors import Interrupted, UsageError, as_usage_error
from controlplane.lifecycle.conducting import conduct, stop_on_signals
from controlplane.lifecycle.resources.run_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_beginnings import opened_run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.mcp.tool_access import tool_access
from controlplane.sandbox.interface import ToolSchema
from controlplane.solver import SolverSpec
from controlplane.task_selection import TaskSelection, start_selected_run
from controlplane.terminal_text import say
from controlplane.view.progress import SILENT

if TYPE_CHECKING:
    from controlplane.mcp.questions import QuestionServer

_MOST_CLIENT_STEPS: Final = 100_000
"""The most calls of a client for one question: more than any client makes.
Models have a low limit because they cost money. The user pays for the client anyway."""


@dataclass(frozen=True, slots=True)
class QuestionRuns:
    """Makes and conducts the runs in which the questions of clients are answered.

    Each question is a run with one trial. Its solver is the client, which calls tools.
    """

    folder: Path
    """The folder that all questions are about."""
    source_limits: Mapping[str, str]
    """The values of `--set`, such as `most_files`."""
    tools: Mapping[str, Any]
    """The values of the options that name MCP servers."""
    flags: Mapping[str, object]
    """The settings that the user gave, and the time limit of a question."""
    is_over_http: bool

    def new_run(self, question: str, solver: SolverSpec | None = None) -> RunPlan:
        """Return the plan of the run for a question. Raises `UsageError` for an invalid setting.

        `solver` passes the client's calls on to the trial; None if no trial will be played.
        """
        flags = {
            # 1. What the user may set otherwise
            "max_steps": _MOST_CLIENT_STEPS,
            "same_scripts": 0,  # a client may repeat a script any number of times
            # 2. What the user has set
            **self.flags,
            # 3. What makes it a question
            "benchmark": f"files:{self.folder}",
            "agent": "client:http" if self.is_over_http else "client:stdio",
            "model": "",
            "workers": "threads",
            "set": {
                **self.source_limits,
                "question": question,
                "outcomes": "platform",  # what is served keeps those of the platform
            },
        }
        resolved = resolve(flags, os.environ, Path.cwd())
        tools = tool_access(dict(self.tools), resolved.mcp)
        spec = RunSpec(resolved.settings, tools=tools, solver=solver)
        return RunPlan(spec, resolved.sources)

    def conduct(
        self, question: str, solver: SolverSpec, set_journal: Callable[[Path], None]
    ) -> None:
        """Conduct the run of a question to its end. First pass its journal to `set_journal`."""
        with opened_run(self.new_run(question, solver)) as run:
            set_journal(run.journal.path)
            conduct(run, SILENT)

    def tool_schema(self) -> ToolSchema:
        """Return what the scripts of a question may call.

        It is the same for every question, so it is known before the first one.
        """
        from controlplane.mcp.questions import UNSTATED_QUESTION

        # What the scripts of a run may call.
        spec = self.new_run(UNSTATED_QUESTION).spec
        from controlplane.mcp.tool_environment import with_tools

        with (
            open_resources(spec, plays_trials=False) as resources,
            ExitStack() as stack,
        ):
            benchmark = resources.benchmark
            started = start_selected_run(
                benchmark, TaskSelection(), name="preview", seed=0
            )
            (planned_trial,) = started.trials
            environment = benchmark.start_trial(planned_trial.trial_id).environment
            if spec.tools is not None and spec.tools.servers:
                environment = stack.enter_context(with_tools(environment, spec.tools))
            return environment.tool_schema


# Serves `controlplane mcp` to its clients: on standard input and output, or over HTTP.
#
# The server runs until its client leaves, or a signal comes. Then the open questions are ended.

_SIGNAL_LOOK_S: Final = 0.2
"""The pause between two looks for a signal."""


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """The address that `--http` names."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> HttpAddress:
        """Return the address in `HOST:PORT`. Raises `UsageError`."""
        host, _, port = text.rpartition(":")
        if not host or not port.isdecimal():
            msg = f"--http {text}: write HOST:PORT, such as 127.0.0.1:8765"
            raise UsageError(msg)
        # `int` refuses thousands of digits.
        with as_usage_error(f"--http {text}", ValueError):
            return cls(host, int(port))


def serve_questions(server: QuestionServer, address: HttpAddress | None) -> None:
    """Serve over HTTP or on standard streams, until the client leaves or a signal comes.

    Then the open questions are ended, each with its fallback answer. If one of them takes too long,
    the process ends at once.
    """
    ended = threading.Event()
    with stop_on_signals(ended.set):
        with _listening(server, address, ended):
            # On some platforms, a signal is not handled during a wait, so many short waits
            # replace a long one.
            while not ended.wait(_SIGNAL_LOOK_S):
                pass
        all_runs_ended = server.close()
        if not all_runs_ended:
            # A script is still running. It ends with this process, and the journal is complete.
            os._exit(Interrupted.exit_code)
    if address is None:
        # Threads may still write replies that nobody reads. Python may abort if it ends beside them.
        sys.stderr.flush()
        os._exit(0)


@contextmanager
def _listening(
    server: QuestionServer, address: HttpAddress | None, ended: threading.Event
) -> Iterator[None]:
    """Serve until the block ends. `ended` is set if a client on standard input leaves.

    Without an `address`, serve on standard streams. Over HTTP, the token is that of the variable
    CONTROLPLANE_MCP_TOKEN, or a new one, which is printed. Raises `UsageError` for a taken port.
    """
    from controlplane.mcp.serving.http_serving import serve_stdio, served_over_http

    def end_questions() -> None:
        # Before the server ends, which cancels its calls. So the journals say that the client left,
        # and not that it cancelled a call.
        server.close()
        ended.set()

    def serve_streams() -> None:
        try:
            serve_stdio(server.server, end_questions)
        finally:
            ended.set()  # After an error, too.

    if address is None:
        threading.Thread(target=serve_streams, name="stdio", daemon=True).start()
        yield
        return
    host, port = address.host, address.port
    own_token = os.environ.get("CONTROLPLANE_MCP_TOKEN")
    token = own_token or secrets.token_urlsafe(24)
    with ExitStack() as stack:
        with as_usage_error(
            f"--http {host}:{port}", OSError, ValueError, OverflowError
        ):
            served = served_over_http(server.server, token, host, port)
            url = stack.enter_context(served)
        shown = "in CONTROLPLANE_MCP_TOKEN" if own_token else token
        say(f"serving {url} for the token {shown}", err=True)
        yield
