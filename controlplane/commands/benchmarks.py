"""`controlplane benchmarks`, `serve` and `mcp`: list benchmarks, and serve benchmarks
and files to agents."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import shutil
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    TaskSelection,
    start_selected_run,
)
from controlplane.commands.options import (
    AS_JSON,
    BENCHMARK_OPTIONS,
    SOURCE_LIMITS,
    given_options,
    settings_options,
    tool_options,
)
from controlplane.configuration.named_modules import (
    BENCHMARKS,
    as_command_error,
    open_benchmark,
    options_of,
    wire_server,
)
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import (
    Interrupted,
    ServerFailed,
    Unreachable,
    UsageError,
    as_usage_error,
    extra_module,
)
from controlplane.lifecycle.conducting import conduct, stop_on_signals
from controlplane.lifecycle.new_run import NewRun, opened_run
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.run_spec import RunSpec
from controlplane.mcp.server_specs import tool_access
from controlplane.sandbox.interface import CallError, ToolSchema
from controlplane.solver import SolverSpec
from controlplane.terminal_text import count_text, one_line, say
from controlplane.view.run_display import SILENT

if TYPE_CHECKING:
    from controlplane.mcp.question_server import QuestionServer


@click.group("benchmarks")
def benchmarks_command() -> None:
    """List benchmarks, or show one."""


@benchmarks_command.command("list")
def list_benchmarks() -> None:
    """Print the names of the registered benchmarks; any importable module can be a
    benchmark too."""
    for name in BENCHMARKS:
        say(name)


@benchmarks_command.command("show")
@click.argument("benchmark")
@click.option(
    "--seed",
    type=int,
    default=None,
    help="The seed of the run whose worlds are previewed.  [default: 0]",
)
@BENCHMARK_OPTIONS
@AS_JSON
def show(
    benchmark: str, *, seed: int | None, pairs: dict[str, str], as_json: bool
) -> None:
    """Print policy, options and tasks of BENCHMARK (NAME or NAME:ARGUMENT), with
    previews of a run of that seed."""
    settings = resolve(given_options({"seed": seed}), os.environ, Path.cwd()).settings
    # Secret options cannot be given as --set: they come from environment variables.
    options = [option for option in options_of(benchmark) if not option.secret_variable]
    opened = open_benchmark(benchmark, pairs, BenchmarkContext())
    try:
        description = opened.benchmark.describe(preview_seed=settings.seed)
    except BenchmarkError as error:
        raise as_command_error(error) from error
    finally:
        opened.benchmark.close()

    if as_json:
        result = dataclasses.asdict(description)
        result["options"] = []
        for option in options:
            result["options"].append(
                {
                    "name": option.name,
                    "description": option.description,
                    "choices": option.choices,
                }
            )
        print(json.dumps(result))
        return

    say(f"{description.name}: {one_line(description.summary)}")
    say(f"policy: {description.policy} · {count_text(len(description.tasks), 'task')}")
    for option in options:
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        say(f"--set {option.name}=…  {option.description}{choices}")
    for task in description.tasks:
        say(f"  {one_line(task.task_id):<28} {one_line(task.preview)[:90]}")


KEY_VARIABLE = "CONTROLPLANE_SERVE_KEY"


@click.command("serve")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option(
    "--benchmark", default="ecom", help="The benchmark to serve.  [default: ecom]"
)
@click.option(
    "--host",
    default="127.0.0.1",
    help="The address to listen on.  [default: 127.0.0.1]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port; 0 for a free one.  [default: 0]",
)
@click.option(
    "--policy",
    type=click.Choice(["open", "blind"]),
    default="open",
    help="Show or seal scores.",
)
@click.option(
    "--api-key",
    default="",
    envvar=KEY_VARIABLE,
    help=f"The key that clients must send; setting {KEY_VARIABLE} hides it from process lists.",
)
@click.option(
    "--seed", type=int, default=0, help="The seed of every run.  [default: 0]"
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    help="Tries of each task in a world.  [default: 1]",
)
@click.option(
    "--worlds",
    type=click.IntRange(1),
    default=1,
    help="Worlds of each task in a run.  [default: 1]",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=None,
    help="Maximum number of tasks in a run.",
)
@click.option(
    "--reveal-after",
    "reveal_after_s",
    type=click.FloatRange(0),
    default=None,
    help="Seconds until the scores of a submitted run are out.",
)
@BENCHMARK_OPTIONS
def serve_command(
    tasks: tuple[str, ...],
    *,
    benchmark: str,
    pairs: dict[str, str],
    limit: int | None,
    repeats: int,
    worlds: int,
    **server_options: Any,
) -> None:
    """Serve a benchmark until a signal ends it; runs have the named TASKs (or
    families), by default all."""
    server = wire_server()
    selection = TaskSelection(tasks, limit, repeats, worlds)
    opened = open_benchmark(benchmark, pairs, BenchmarkContext())
    served = opened.benchmark
    try:
        selection.task_ids(
            served.describe()
        )  # Raises `BenchmarkError` for an unknown task.
        # `server_options` are host, port, policy, api_key, seed and reveal_after_s.
        serving = server.ServerOptions(
            **server_options, selection=selection, worker_modules=opened.worker_modules
        )
        server.serve(
            served, serving, on_listening=lambda url: say(f"listening on {url}")
        )
    except BenchmarkError as error:
        raise as_command_error(error) from error
    finally:
        served.close()


@dataclasses.dataclass(frozen=True, slots=True)
class _McpClient:
    """A program that uses MCP servers, and the file in which it looks for them."""

    configuration_file: str
    servers_key: str
    """The key of the file below which each server has an entry."""


CLIENTS: Final = {
    "claude-desktop": _McpClient("claude_desktop_config.json", "mcpServers"),
    "claude-code": _McpClient(".mcp.json", "mcpServers"),
    "cursor": _McpClient(".cursor/mcp.json", "mcpServers"),
    "vscode": _McpClient(".vscode/mcp.json", "servers"),
    "codex": _McpClient("~/.codex/config.toml", "mcp_servers"),
}
"""The clients that `controlplane mcp install` knows, by the names that the user
writes."""
SESSION_S: Final = 86_400.0
"""A day: the time limit of a question, whose client may wait for a person between two
calls."""
MOST_CLIENT_STEPS: Final = 100_000
"""The limit of a client's calls for one question: in effect none. Models have a low
limit because they cost money, but the cost of a client is its own user's."""
SIGNAL_LOOK_S: Final = 0.2
"""The pause between two looks for a signal."""


@click.command("mcp")
@click.argument(
    "words", nargs=-1, metavar="[DIR | install CLIENT [DIR] | call TOOL JSON]"
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    help="Serve over HTTP, for the token in CONTROLPLANE_MCP_TOKEN.",
)
@tool_options
@settings_options("gates", "rule_sets", "provenance", "reads")
@settings_options("fallback", "isolation", "step_time")
@settings_options("trial_time", shown_default=str(SESSION_S))
@settings_options("runs_dir", "name")
@SOURCE_LIMITS
def mcp_command(
    words: tuple[str, ...],
    *,
    http: str | None,
    pairs: dict[str, str],
    tools: dict[str, Any],
    **options: Any,
) -> None:
    """Serve `begin`, `execute_script` and `submit_answer` over the files of DIR (the
    working folder) to MCP clients.

    It serves on standard input and output until the client leaves, or over HTTP until a
    signal ends it. Each question is a run with one trial: its answer passes the gates,
    and its journal replays. `controlplane mcp install CLIENT` prints the configuration
    of a client, and `controlplane mcp call TOOL JSON` calls a tool of the server that
    CONTROLPLANE_MCP_URL and CONTROLPLANE_MCP_TOKEN name, and prints the result.
    """
    if words[:1] == ("call",):
        _call(words[1:])
        return
    if words[:1] == ("install",):
        _print_client_configuration(words[1:])
        return

    address = _http_address(http) if http else None
    folder = _served_folder(words)
    runs = _QuestionRuns(
        folder, pairs, tools, given_options(options), is_over_http=bool(http)
    )

    extra_module(
        "mcp", "serving tools", "mcp"
    )  # Raises `UsageError` if the extra is missing.
    from controlplane.mcp.question_server import UNSTATED_QUESTION, QuestionServer

    # Clients are told before the first question what scripts may call. That is the same
    # for every question, so any text serves as the question here.
    tool_schema = _tool_schema_of(runs.new_run(UNSTATED_QUESTION).spec)
    _serve(QuestionServer(tool_schema, folder, runs.conduct), address)


@dataclasses.dataclass(frozen=True, slots=True)
class _HttpAddress:
    host: str
    port: int


def _http_address(text: str) -> _HttpAddress:
    """Return the address in `HOST:PORT`. Raises `UsageError`."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        msg = f"--http {text}: write HOST:PORT, such as 127.0.0.1:8765"
        raise UsageError(msg)
    with as_usage_error(
        f"--http {text}", ValueError
    ):  # `int` refuses thousands of digits.
        return _HttpAddress(host, int(port))


@dataclasses.dataclass(frozen=True, slots=True)
class _QuestionRuns:
    """Makes and conducts the runs in which the questions of clients are answered."""

    folder: Path
    source_limits: Mapping[str, str]
    """The values of `--set`, such as `most_files`."""
    tools: Mapping[str, Any]
    """The values of the options that name MCP servers."""
    flags: Mapping[str, object]
    """The settings that the user gave."""
    is_over_http: bool

    def new_run(self, question: str, solver: SolverSpec | None = None) -> NewRun:
        """Return the run for a question, not yet begun."""
        flags = {
            "max_steps": MOST_CLIENT_STEPS,
            "same_scripts": 0,  # a client may repeat a script any number of times
            "trial_time": SESSION_S,
            **self.flags,
            "benchmark": f"files:{self.folder}",
            "agent": "client:http" if self.is_over_http else "client:stdio",
            "model": "",
            "workers": "threads",
            "set": {**self.source_limits, "question": question},
        }
        resolved = resolve(flags, os.environ, Path.cwd())
        access = tool_access(dict(self.tools), resolved.mcp)
        return NewRun(
            RunSpec(resolved.settings, tools=access, solver=solver), resolved.sources
        )

    def conduct(
        self, question: str, solver: SolverSpec, set_journal: Callable[[Path], None]
    ) -> None:
        """Conduct the run of a question to its end; first tell the path of its
        journal."""
        with opened_run(self.new_run(question, solver)) as run:
            set_journal(run.journal.path)
            conduct(run, SILENT)


def _served_folder(words: tuple[str, ...]) -> Path:
    """Return the folder that the user names, or the working folder. Raises
    `UsageError`."""
    if len(words) > 1:
        msg = f"controlplane mcp takes one folder, not {' '.join(words)!r}"
        raise UsageError(msg)
    named_folder = words[0] if words else "."
    folder = Path(os.path.realpath(Path(named_folder).expanduser()))
    if not folder.is_dir():
        msg = f"{folder}: there is no such folder"
        raise UsageError(msg)
    return folder


def _print_client_configuration(words: tuple[str, ...]) -> None:
    """Print what a client needs to start this server: an entry for its configuration
    file.

    `words` are the client, and the folder to serve if it is not the working folder. The
    name of the file goes to standard error.
    """
    client_name = words[0] if words else ""
    if client_name not in CLIENTS or len(words) > 2:
        msg = f"controlplane mcp install CLIENT [DIR]: CLIENT is one of {', '.join(CLIENTS)}"
        raise UsageError(msg)
    client = CLIENTS[client_name]
    folder = words[1] if len(words) > 1 else "."
    command, *program_arguments = _own_command_line()
    entry = {
        "command": command,
        "args": [*program_arguments, "mcp", os.path.realpath(folder)],
    }

    say(f"add this to {client.configuration_file}:", err=True)
    if client.configuration_file.endswith(".toml"):
        lines = [f"[{client.servers_key}.controlplane]"]
        for name, value in entry.items():
            lines.append(f"{name} = {_toml_value(value)}")
        say("\n".join(lines))
    else:
        say(json.dumps({client.servers_key: {"controlplane": entry}}, indent=2))


def _own_command_line() -> list[str]:
    """Return the words that start this program: its file, or Python and our module's
    name."""
    program = shutil.which(sys.argv[0])
    if program:
        return [os.path.abspath(program)]  # noqa: PTH100 - a link may belong to a virtual environment
    return [sys.executable, "-P", "-m", "controlplane"]


def _toml_value(value: Sequence[str]) -> str:
    """Return a text, or a list of texts, as TOML writes it.

    Characters that are not printable become escapes, so that the user sees all that he
    copies.
    """
    json_text = json.dumps(value, ensure_ascii=False)  # TOML writes both as JSON does.
    toml_text = ""
    for character in json_text:
        toml_text += (
            character if character.isprintable() else f"\\U{ord(character):08x}"
        )
    return toml_text


def _tool_schema_of(spec: RunSpec) -> ToolSchema:
    """Return what the scripts of a question may call.

    Only a started trial knows that. So one is started, without a journal and without an
    agent that works on it.
    """
    from controlplane.mcp.tool_environment import with_tools

    with RunResources(spec, works=False) as resources, ExitStack() as stack:
        started = start_selected_run(
            resources.benchmark, TaskSelection(), name="preview", seed=0
        )
        (stub,) = started.trials
        environment = resources.benchmark.start_trial(stub.trial_id).environment
        if spec.tools is not None and spec.tools.servers:
            environment = stack.enter_context(with_tools(environment, spec.tools))
        return environment.tool_schema


def _serve(question_server: QuestionServer, http: _HttpAddress | None) -> None:
    """Serve over HTTP, or on standard input and output, until the client leaves or a
    signal comes."""
    from controlplane.mcp.transports import serve_stdio, served_over_http

    ended = threading.Event()
    mcp_server = question_server.server

    def serve_standard_streams() -> None:
        try:
            serve_stdio(mcp_server, ended.set)
        finally:
            ended.set()  # After an error, too; otherwise the main thread would wait for ever.

    with stop_on_signals(ended.set):
        with ExitStack() as stack:
            if http is not None:
                own_token = os.environ.get("CONTROLPLANE_MCP_TOKEN")
                token = own_token or secrets.token_urlsafe(24)
                option = f"--http {http.host}:{http.port}"
                with as_usage_error(option, OSError, ValueError, OverflowError):
                    url = stack.enter_context(
                        served_over_http(mcp_server, token, http.host, http.port)
                    )
                token_text = "in CONTROLPLANE_MCP_TOKEN" if own_token else token
                say(f"serving {url} for the token {token_text}", err=True)
            else:
                thread = threading.Thread(
                    target=serve_standard_streams, name="stdio", daemon=True
                )
                thread.start()
            # On some platforms, a signal is not handled during a wait. So the wait is a
            # short one, again and again.
            while not ended.wait(SIGNAL_LOOK_S):
                pass
        all_runs_ended = question_server.close()
        if not all_runs_ended:
            # A script is still running. It ends with this process, and the journal is
            # complete.
            os._exit(Interrupted.exit_code)


def _call(words: tuple[str, ...]) -> None:
    """Call a tool of the server that the environment names, print the result, and exit.

    `words` are the tool and its arguments as JSON. The exit code is 1 if the tool
    failed.
    """
    address = os.environ.get("CONTROLPLANE_MCP_URL", "")
    if len(words) not in (1, 2) or not address:
        msg = (
            "controlplane mcp call TOOL JSON needs a server in CONTROLPLANE_MCP_URL, "
            "as in a program of --agent"
        )
        raise UsageError(msg)
    tool = words[0]
    arguments = _arguments_from(words[1]) if len(words) > 1 else {}

    # This module imports asyncio, which other commands do not need.
    from controlplane.mcp.server_specs import ServerSpec
    from controlplane.mcp.tool_server import running

    headers = {
        "Authorization": f"Bearer {os.environ.get('CONTROLPLANE_MCP_TOKEN') or 'none'}"
    }
    try:
        # `trial` is only the server's name in error messages.
        with running("trial", ServerSpec(url=address, headers=headers)) as server:
            result = server.call(tool, arguments)
    except (ServerFailed, CallError) as error:
        msg = (
            f"the server at {address} does not answer, or its token is not "
            f"CONTROLPLANE_MCP_TOKEN ({error})"
        )
        raise Unreachable(msg) from error
    say("\n".join(getattr(block, "text", "") for block in result.content))
    raise SystemExit(1 if result.is_error else 0)


def _arguments_from(text: str) -> dict[str, Any]:
    """Return the arguments that a JSON object holds. Raises `UsageError` for anything
    else."""
    msg = f"controlplane mcp call: the arguments must be a JSON object, not {text!r}"
    try:
        arguments = json.loads(text)
    except ValueError as error:
        raise UsageError(msg) from error
    if not isinstance(arguments, dict):
        raise UsageError(msg)
    return arguments
