"""`controlplane benchmarks`, `serve` and `mcp`: list benchmarks, and serve benchmarks and files to agents."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
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
from controlplane.lifecycle.run_resources import RunResources, RunSpec
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
    """Print the names of the registered benchmarks; any importable module can be a benchmark too."""
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
def show(benchmark: str, *, seed: int | None, pairs: dict[str, str], as_json: bool) -> None:
    """Print policy, options and tasks of BENCHMARK (NAME or NAME:ARGUMENT), with previews of a run of that seed."""
    settings = resolve(given_options({"seed": seed}), os.environ, Path.cwd()).settings
    declared = [option for option in options_of(benchmark) if not option.secret_variable]
    opened = open_benchmark(benchmark, pairs, BenchmarkContext()).benchmark
    try:
        description = opened.describe(preview_seed=settings.seed)
    except BenchmarkError as error:
        raise as_command_error(error) from error
    finally:
        opened.close()
    if as_json:
        shown = dataclasses.asdict(description)
        shown["options"] = []
        for option in declared:
            shown["options"].append(
                {
                    "name": option.name,
                    "description": option.description,
                    "choices": option.choices,
                }
            )
        print(json.dumps(shown))
        return
    say(f"{description.name}: {one_line(description.summary)}")
    say(f"policy: {description.policy} · {count_text(len(description.tasks), 'task')}")
    for option in declared:
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        say(f"--set {option.name}=…  {option.description}{choices}")
    for task in description.tasks:
        say(f"  {one_line(task.task_id):<28} {one_line(task.preview)[:90]}")


KEY_VARIABLE = "CONTROLPLANE_SERVE_KEY"


@click.command("serve")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option("--benchmark", default="ecom", help="The benchmark to serve.  [default: ecom]")
@click.option("--host", default="127.0.0.1", help="The address to listen on.  [default: 127.0.0.1]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port; 0 for a free one.  [default: 0]",
)
@click.option(
    "--policy", type=click.Choice(["open", "blind"]), default="open", help="Show or seal scores."
)
@click.option(
    "--api-key",
    default="",
    envvar=KEY_VARIABLE,
    help=f"The key that clients must send; setting {KEY_VARIABLE} hides it from process lists.",
)
@click.option("--seed", type=int, default=0, help="The seed of every run.  [default: 0]")
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
    "--limit", type=click.IntRange(1), default=None, help="Maximum number of tasks in a run."
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
    tasks: tuple[str, ...], benchmark: str, pairs: dict[str, str], **options: Any
) -> None:
    """Serve a benchmark until a signal ends it; runs have the named TASKs (or families), by default all."""
    server = wire_server()
    selection = TaskSelection(
        tasks, options.pop("limit"), options.pop("repeats"), options.pop("worlds")
    )
    opened = open_benchmark(benchmark, pairs, BenchmarkContext())
    served = opened.benchmark
    try:
        selection.task_ids(served.describe())
        choices = server.ServerOptions(
            **options, selection=selection, worker_modules=opened.worker_modules
        )
        server.serve(served, choices, on_listening=lambda url: say(f"listening on {url}"))
    except BenchmarkError as error:
        raise as_command_error(error) from error
    finally:
        served.close()


@dataclasses.dataclass(frozen=True, slots=True)
class _McpClient:
    """Where a program that uses MCP servers is told of them."""

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
"""The clients that `controlplane mcp install` knows, by the names that the user writes."""
SESSION_S: Final = 86_400.0
"""A day: the time limit of a question, whose client may wait for a person between two calls."""
MOST_CLIENT_STEPS: Final = 100_000
"""Calls of a client for one question: in effect without a limit, which models have for their cost."""
SIGNAL_LOOK_S: Final = 0.2


@click.command("mcp")
@click.argument("words", nargs=-1, metavar="[DIR | install CLIENT [DIR] | call TOOL JSON]")
@click.option(
    "--http", metavar="HOST:PORT", help="Serve over HTTP, for the token in CONTROLPLANE_MCP_TOKEN."
)
@tool_options
@settings_options("gates", "rule_sets", "provenance", "reads")
@settings_options("fallback", "isolation", "step_time")
@settings_options("trial_time", default=str(SESSION_S))
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
    """Serve `begin`, `execute_script` and `submit_answer` over the files of DIR (the working folder) to MCP clients.

    It serves on standard input and output until the client leaves, or over HTTP until a signal ends it. Each question
    is a run with one trial: its answer passes the gates, and its journal replays. `controlplane mcp install CLIENT`
    prints the configuration of a client, and `controlplane mcp call TOOL JSON` calls a tool of the server that
    CONTROLPLANE_MCP_URL and CONTROLPLANE_MCP_TOKEN name, and prints the result.
    """
    if words[:1] == ("call",):
        _call(words[1:])
        return
    if words[:1] == ("install",):
        _print_client_configuration(words[1:])
        return

    host, _, port = (http or "").rpartition(":")
    if http and not (host and port.isdecimal()):
        msg = f"--http {http}: write HOST:PORT, such as 127.0.0.1:8765"
        raise UsageError(msg)
    folder = _served_folder(words)
    flags = {
        "max_steps": MOST_CLIENT_STEPS,
        "same_scripts": 0,  # a client may repeat a script any number of times
        "trial_time": SESSION_S,
        **given_options(options),
        "benchmark": f"files:{folder}",
        "agent": "client:http" if http else "client:stdio",
        "model": "",
        "workers": "threads",
    }

    def run_of(question: str, solver: SolverSpec | None = None) -> NewRun:
        """Return the run in which a question is answered, not yet begun."""
        resolved = resolve(
            {**flags, "set": {**pairs, "question": question}}, os.environ, Path.cwd()
        )
        access = tool_access(tools, resolved.mcp)
        return NewRun(RunSpec(resolved.settings, tools=access, solver=solver), resolved.sources)

    def conduct_question(
        question: str, solver: SolverSpec, set_journal: Callable[[Path], None]
    ) -> None:
        with opened_run(run_of(question, solver)) as run:
            set_journal(run.journal.path)
            conduct(run, SILENT)

    extra_module("mcp", "serving tools", "mcp")  # Raises `UsageError` if the extra is missing.
    from controlplane.mcp.question_server import UNSTATED_QUESTION, QuestionServer

    # Scripts may make the same calls for every question.
    tool_schema = _tool_schema_of(run_of(UNSTATED_QUESTION).spec)
    _serve(QuestionServer(tool_schema, folder, conduct_question), http)


def _served_folder(words: tuple[str, ...]) -> Path:
    """Return the folder that the user names, or the working folder. Raises `UsageError`."""
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
    """Print what a client needs to start this server: an entry for its configuration file.

    `words` are the client, and the folder to serve if it is not the working folder. The name of the
    file goes to standard error.
    """
    client_name = words[0] if words else ""
    if client_name not in CLIENTS or len(words) > 2:
        msg = f"controlplane mcp install CLIENT [DIR]: CLIENT is one of {', '.join(CLIENTS)}"
        raise UsageError(msg)
    client = CLIENTS[client_name]
    folder = words[1] if len(words) > 1 else "."
    command, *program_arguments = _program_words()
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


def _program_words() -> list[str]:
    """Return the command that starts this program: its file, or Python and our module's name."""
    program = shutil.which(sys.argv[0])
    if program:
        return [os.path.abspath(program)]  # noqa: PTH100 - a link may belong to a virtual environment
    return [sys.executable, "-P", "-m", "controlplane"]


def _toml_value(value: Sequence[str]) -> str:
    """Return a text, or a list of texts, as TOML writes it.

    Signs that are not printable become escapes, so that the user sees all that he copies.
    """
    json_text = json.dumps(value, ensure_ascii=False)  # TOML writes both as JSON does.
    shown = ""
    for sign in json_text:
        shown += sign if sign.isprintable() else f"\\U{ord(sign):08x}"
    return shown


def _tool_schema_of(spec: RunSpec) -> ToolSchema:
    """Return what the scripts of a question may call.

    To learn it, the question's trial is opened once without being played.
    """
    from controlplane.mcp.tool_environment import with_tools

    with RunResources(spec, works=False) as resources, ExitStack() as stack:
        started = start_selected_run(resources.benchmark, TaskSelection(), name="preview", seed=0)
        environment = resources.benchmark.start_trial(started.trials[0].trial_id).environment
        if spec.tools is not None and spec.tools.servers:
            environment = stack.enter_context(with_tools(environment, spec.tools))
        return environment.tool_schema


def _serve(server: QuestionServer, http: str | None) -> None:
    """Serve until the client leaves or a signal comes."""
    from controlplane.mcp.transports import serve_stdio, served_over_http

    ended = threading.Event()

    def serve_standard_streams() -> None:
        try:
            serve_stdio(server.server, ended.set)
        finally:
            ended.set()

    with stop_on_signals(ended.set):
        with ExitStack() as stack:
            if http:
                host, _, port = http.rpartition(":")
                own_token = os.environ.get("CONTROLPLANE_MCP_TOKEN")
                token = own_token or secrets.token_urlsafe(24)
                with as_usage_error(f"--http {http}", OSError, ValueError, OverflowError):
                    address = stack.enter_context(
                        served_over_http(server.server, token, host, int(port))
                    )
                which = "in CONTROLPLANE_MCP_TOKEN" if own_token else token
                say(f"serving {address} for the token {which}", err=True)
            else:
                thread = threading.Thread(target=serve_standard_streams, name="stdio", daemon=True)
                thread.start()
            # The main thread handles signals between two waits, on every platform.
            while not ended.wait(SIGNAL_LOOK_S):
                pass
        all_runs_ended = server.close()
        if not all_runs_ended:
            # A script is still running. It ends with this process, and the journal is complete.
            os._exit(Interrupted.exit_code)


def _call(words: tuple[str, ...]) -> None:
    """Call a tool of the server that the environment names, print the result, and exit.

    `words` are the tool and its arguments as JSON. The exit code is 1 if the tool failed.
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

    headers = {"Authorization": f"Bearer {os.environ.get('CONTROLPLANE_MCP_TOKEN') or 'none'}"}
    try:
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
    """Return the arguments that a JSON object holds. Raises `UsageError` for anything else."""
    msg = f"controlplane mcp call: the arguments must be a JSON object, not {text!r}"
    try:
        arguments = json.loads(text)
    except ValueError as error:
        raise UsageError(msg) from error
    if not isinstance(arguments, dict):
        raise UsageError(msg)
    return arguments
