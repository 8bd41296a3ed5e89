"""Options and arguments that several commands share, such as RUN, `--json` and `--runs-dir`.

Those that are made from the settings of a run are in `setting_options`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from controlplane.configuration.run_names import find_journal
from controlplane.configuration.run_settings import SERVER_OPTIONS
from controlplane.errors import UsageError

AS_JSON: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text."
)
TRUST: Final = click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Act on a journal that does not have your mark on every line, with all its settings and "
    "modules.",
)
QUIET: Final = click.option("--quiet", is_flag=True, help="Print only the result.")


def _writable_junit(
    ctx: click.Context, option: click.Parameter, file: str | None
) -> Path | None:
    """Return the file of `--junit`. click calls it, so that a wrong one is refused before anything else."""
    del ctx, option
    if file is None:
        return None
    from controlplane.view.junit import check_junit_file  # Few commands write one.

    check_junit_file(Path(file))
    return Path(file)


JUNIT: Final = click.option(
    "--junit",
    metavar="FILE",
    callback=_writable_junit,
    help="Also write the result as JUnit XML.",
)
RUNS_DIR: Final = click.option(
    "--runs-dir", default=None, help="The folder of the journals.  [default: runs]"
)


def refuse_infinite(
    ctx: click.Context, option: click.Parameter, number: float | None
) -> float | None:
    """Return the number of an option. click calls it; `nan` and `inf`, which it takes for numbers, are refused."""
    if number is not None and not math.isfinite(number):
        msg = f"{number} is not a finite number"
        raise click.BadParameter(msg, ctx, option)
    return number


def about_a_run(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the argument RUN, `--runs-dir` and `--json`.

    The command's first argument is the path of RUN's journal.
    """
    return _with_named_path(command, may_be_loop=False)


def about_a_run_or_loop(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the same as `about_a_run`, but RUN may also name a loop of `improve`.

    The command's first argument is then the path of the loop's record.
    """
    return _with_named_path(command, may_be_loop=True)


def _with_named_path(
    command: Callable[..., None], *, may_be_loop: bool
) -> Callable[..., None]:
    """Return `command` with the argument RUN, which becomes a path before the command is called."""

    @click.argument("run", metavar="RUN")
    @RUNS_DIR
    @AS_JSON
    @functools.wraps(command)
    def with_path(run: str, runs_dir: str | None, **options: Any) -> None:
        command(find_journal(run, runs_dir, loops=may_be_loop), **options)

    return with_path


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show a status text on a terminal until the block ends; yield the function that changes it."""
    from controlplane.view.printed_columns import CleanConsole

    console = CleanConsole(stderr=True, highlight=False)
    if not console.is_interactive:
        yield lambda text: None
        return
    with console.status(text) as status:
        yield status.update


# The options about MCP servers: which servers there are, and which tools may be called.
#
# `--mcp "db=uvx mcp-server-sqlite" --allow db.write_query` adds a server, and allows one of its tools.


def tool_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these four options. It gets their values as one mapping, `tools`.

    `{"mcp": ("db=uvx …",), "mcp_config": None, "allow": ("db.write_query",), "deny": ()}`; the
    function `tool_access` makes servers of it.
    """

    @click.option(
        "--mcp",
        multiple=True,
        metavar="NAME=COMMAND|URL",
        help="An MCP server whose tools scripts call.",
    )
    @click.option(
        "--mcp-config",
        type=click.Path(),
        metavar="FILE",
        help="Servers in the usual mcpServers format.",
    )
    @click.option(
        "--allow",
        multiple=True,
        metavar="NAME.TOOL",
        help="Call this tool even if it may change things.",
    )
    @click.option(
        "--deny",
        multiple=True,
        metavar="NAME.TOOL",
        help="Never call this tool of a server.",
    )
    @functools.wraps(command)
    def with_tools(*arguments: Any, **options: Any) -> None:
        tools = {name: options.pop(name) for name in SERVER_OPTIONS}
        command(*arguments, **options, tools=tools)

    return with_tools


# Options whose values are pairs, and which may be repeated: `--set seed=7 --set level=hard`.
#
# A command gets the values of such an option as one mapping: `{"seed": "7", "level": "hard"}`.

PAIR_FORMS: Final = {"set": "KEY=VALUE", "role": "ROLE=PROFILE"}
"""Settings that are mappings of words, and how help shows one pair of each."""


def parse_pairs(
    ctx: click.Context, option: click.Parameter, pairs: Iterable[str]
) -> dict[str, str]:
    """Return the pairs of an option as a mapping: `("a=1", "b=2")` -> `{"a": "1", "b": "2"}`.

    click calls it for each use of the option. Raises `UsageError` for a value that is not a pair.
    """
    del ctx
    mapping = {}
    for text in pairs:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = f"{option.opts[0]} takes {option.metavar}, not {text!r}"
            raise UsageError(msg)
        mapping[key] = value
    return mapping


# Both are named --set: of a command whose benchmark the user names, and of one about files.

BENCHMARK_OPTIONS: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=parse_pairs,
    metavar="KEY=VALUE",
    help="Options of the benchmark.",
)
SOURCE_LIMITS: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=parse_pairs,
    metavar="BOUND=VALUE",
    help="Bound the sources: most_files, total_mb, file_mb.",
)
