"""`controlplane serve`: serve a benchmark to other programs."""

from __future__ import annotations

from typing import Any

import click

from controlplane.benchmark import BenchmarkContext, BenchmarkError
from controlplane.commands.arguments.options import BENCHMARK_OPTIONS, refuse_infinite
from controlplane.configuration.named_modules import (
    as_command_error,
    open_benchmark,
    wire_server,
)
from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES
from controlplane.task_selection import TaskSelection
from controlplane.terminal_text import say

_KEY_VARIABLE = "CONTROLPLANE_SERVE_KEY"


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
    envvar=_KEY_VARIABLE,
    help=f"The key that clients must send; setting {_KEY_VARIABLE} hides it from process lists.",
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
    callback=refuse_infinite,
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
        selection.task_ids(served.describe())  # Refuses unknown tasks.
        # `server_options` are host, port, policy, api_key, seed and reveal_after_s.
        serving = server.ServerOptions(
            **server_options,
            selection=selection,
            worker_modules=opened.worker_modules,
            outcomes=opened.outcomes or GENERAL_OUTCOMES,
        )
        server.serve(
            served, serving, on_listening=lambda url: say(f"listening on {url}")
        )
    except BenchmarkError as error:
        raise as_command_error(error) from error
    finally:
        served.close()
