"""Options of commands: those made from the settings, shared ones, the journal that RUN names, a status.

The sentence under a setting is its option's help, and each default is written once. `last` means the journal that
this user wrote last.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import sys
import threading
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from controlplane.configuration.run_settings import run_argument, runs_folder
from controlplane.errors import UsageError, did_you_mean, invocation
from controlplane.journal.journal_lines import (
    LOOP_FILE,
    PLAIN,
    is_being_written,
    journal_id,
    newest_first,
)
from controlplane.journal.journal_reader import ends_with_mark, name_in
from controlplane.terminal_text import one_line, say

AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
TRUST: Final = click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Act on a journal that does not have your mark on every line, with all its settings and modules.",
)
QUIET: Final = click.option("--quiet", is_flag=True, help="Print only the result.")
JUNIT: Final = click.option(
    "--junit", default=None, metavar="FILE", help="Also write the result as JUnit XML."
)
RUNS_DIR: Final = click.option(
    "--runs-dir", default=None, help="The folder of the journals.  [default: runs]"
)


def about_a_run(command: Callable[..., None], *, loops: bool = False) -> Callable[..., None]:
    """Give `command` the argument RUN, `--runs-dir` and `--json`; its first argument is RUN's journal.

    With `loops` RUN may also name a loop, and the argument is the loop's record.
    """

    @click.argument("run", metavar="RUN")
    @RUNS_DIR
    @AS_JSON
    @functools.wraps(command)
    def with_journal(run: str, runs_dir: str | None, **options: Any) -> None:
        command(find_journal(run, runs_dir, loops=loops), **options)

    return with_journal


def find_journal(run: str, runs_dir: str | None, *, runs: bool = True, loops: bool = False) -> Path:
    """Return the journal that RUN names: a path, an id, a run's name, a unique beginning of an id, or `last`.

    It is looked for among the journals of `runs`, the records of `loops`, or both. Raises `UsageError`.
    """
    path = Path(run)
    if path.suffix == PLAIN:
        return path
    with contextlib.suppress(OSError):  # a name that is too long for a file can still be a run's
        if loops and (path / LOOP_FILE).is_file():
            return path / LOOP_FILE
    folder = runs_folder(runs_dir)
    journals = newest_first(folder, runs=runs, loops=loops)
    if run == "last" and journals:
        last = last_journal(folder, journals)
        if sys.stderr.isatty():
            say(f"last is {journal_id(last)}", err=True)
        return last
    fitting = [journal for journal in journals if journal_id(journal) == run] or _named(
        run, journals
    )
    # Names of runs take precedence, so that a command's output can be saved under a run's name.
    with contextlib.suppress(OSError):  # a name that is too long for a file can still be a run's
        if not fitting and path.is_file():
            return path
    if not journals:
        msg = f"no journals in {folder}; start a run first, or name the folder with --runs-dir"
        raise UsageError(msg)
    fitting = fitting or [journal for journal in journals if journal_id(journal).startswith(run)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        msg = f"{run!r} fits several runs, the newest first: {', '.join(map(journal_id, fitting[:5]))}"
        raise UsageError(msg)
    names = [
        one_line(name)
        for path in journals[:20]
        for name in (name_in(path) or journal_id(path), journal_id(path))
    ]
    msg = f"no run {run!r} in {folder}{did_you_mean(run, names, most=5)}"
    raise UsageError(msg)


def _named(name: str, journals: Sequence[Path]) -> list[Path]:
    return [journal for journal in journals if name_in(journal) == name]


def refuse_known_name(name: str, runs_dir: str) -> None:
    """Raise `UsageError` if a run of the folder has this name: a second run would make it ambiguous."""
    if name and (named := _named(name, newest_first(Path(runs_dir)))):
        msg = f"--name: the run {journal_id(named[0])} already has the name {name!r}; give another name"
        raise UsageError(msg)


def refuse_if_running(path: Path) -> None:
    """Raise `UsageError` if another process conducts the run of the journal at `path`."""
    if is_being_written(path):
        follow = invocation("show", run_argument(path), "--follow")
        msg = f"another process is conducting the run {journal_id(path)}; wait for it, or follow it with: {follow}"
        raise UsageError(msg)


def last_journal(folder: Path, newest_first: Sequence[Path]) -> Path:
    """Return the latest written journal among those given whose last line has the user's mark. Raises `UsageError`."""
    for journal in newest_first:
        if ends_with_mark(journal):
            return journal
    msg = f"last: you wrote none of the journals in {folder}; name the one to read"
    raise UsageError(msg)


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal, until the block ends, what takes time; yield the function that changes the text."""
    from controlplane.view.clean_console import CleanConsole

    console = CleanConsole(stderr=True, highlight=False)
    if not console.is_interactive:
        yield lambda text: None
        return
    with console.status(text) as status:
        yield status.update


PAIRS: Final = {"set": "KEY=VALUE", "role": "ROLE=PROFILE"}
"""Settings that are mappings of words, given one pair at a time."""
Command = TypeVar("Command", bound=Callable[..., Any])


def _mapping(ctx: click.Context, option: click.Parameter, pairs: Iterable[str]) -> dict[str, str]:
    """Return the pairs of an option as a mapping. Raises `UsageError` for a value that is not a pair."""
    del ctx
    mapping = {}
    for text in pairs:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = f"{option.opts[0]} takes {option.metavar}, not {text!r}"
            raise UsageError(msg)
        mapping[key] = value
    return mapping


_pair_option: Final = functools.partial(click.option, multiple=True, callback=_mapping)
SET: Final = _pair_option("--set", "pairs", metavar="KEY=VALUE", help="Options of the benchmark.")
SET_BOUND: Final = _pair_option(
    *("--set", "pairs"),
    metavar="BOUND=VALUE",
    help="Bound the sources: most_files, total_mb, file_mb.",
)

WITHOUT_OPTION: Final = frozenset(
    {"api_key_env", "top_p", "sampling_seed", "model_headers", "model_body", "thinking_back"}
)
"""Settings that only controlplane.toml and the environment set."""


CAPS: Final = ("run_cost", "trial_cost", "run_time", "max_tokens_run")
"""Settings that limit the spending of a run."""
OF_THE_RUN: Final = "that of the run"


PROMPT: Final = threading.Lock()
"""Held while a prompt waits for the user: nothing else is drawn then."""


def approve_on_terminal(message: str) -> bool:
    """Ask the user about a call; no, if there is no terminal. Trials ask one after the other."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    with PROMPT, contextlib.suppress(click.Abort):
        click.echo("\r\x1b[K", nl=False, err=True)
        say(message, err=True)
        return click.confirm("Send it?", default=False, err=True)
    return False


def settings_options(*names: str, default: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each of these settings; options not given arrive as None.

    `default` describes the default in help.
    """
    from controlplane.configuration.run_settings import (
        RunSettings,
    )  # Looking at a run needs no settings.

    def with_options(command: Command) -> Command:
        for name in reversed(names):
            command = _option(name, RunSettings.model_fields[name], default)(command)
        return command

    return with_options


class _SettingOption(click.Option):
    """The option of a setting, whose sentence is read only for help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from controlplane.configuration.run_settings import RunSettings

        record = super().get_help_record(ctx)
        return record and (
            record[0],
            f"{field_texts(RunSettings)[self.name or '']}  {record[1]}".rstrip(),
        )


def _option(name: str, field: FieldInfo, own_default: str) -> Callable[[Command], Command]:
    flag = f"--{name.replace('_', '-')}"
    if name in PAIRS:
        return _pair_option(flag, name, cls=_SettingOption, metavar=PAIRS[name])
    if field.annotation is bool:
        return click.option(
            f"{flag}/--no-{name.replace('_', '-')}", name, cls=_SettingOption, default=None
        )
    default = own_default or field.get_default(call_default_factory=True)
    return click.option(
        flag,
        name,
        cls=_SettingOption,
        type=_click_type(field),
        default=None,
        help="" if default in (None, "", False, {}) else f"[default: {default}]",
    )


def _click_type(field: FieldInfo) -> click.ParamType[Any]:
    choices = [choice for choice in typing.get_args(field.annotation) if isinstance(choice, str)]
    if choices:
        return click.Choice(choices)
    kinds = typing.get_args(field.annotation) or (field.annotation,)
    if int in kinds:
        return click.INT
    return click.FLOAT if float in kinds else click.STRING


def given(options: dict[str, Any]) -> dict[str, object]:
    """Return the given options."""
    return {name: value for name, value in options.items() if value not in (None, (), {})}


def tool_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name servers and allowed tools; it gets their values as `tools`."""

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
        "--deny", multiple=True, metavar="NAME.TOOL", help="Never call this tool of a server."
    )
    @functools.wraps(command)
    def with_tools(
        *arguments: Any,
        mcp: object,
        mcp_config: object,
        allow: object,
        deny: object,
        **options: Any,
    ) -> None:
        command(
            *arguments,
            **options,
            tools={"mcp": mcp, "mcp_config": mcp_config, "allow": allow, "deny": deny},
        )

    return with_tools


@functools.cache
def field_texts(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the sentence under each field of a model and its bases, by field, on one line.

    They are read from the source on request: as part of the model (`use_attribute_docstrings`), they would take a tenth
    of a run's start time.
    """
    texts: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base is BaseModel or not issubclass(base, BaseModel):
            continue
        (definition,) = ast.parse(inspect.getsource(base)).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in pairwise(definition.body):
            match field, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    texts[name] = " ".join(text.split())
    return texts
