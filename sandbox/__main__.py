"""`python -m controlplane.sandbox`: run a script against a folder in isolation, or report which layers work."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.host import Layer, Limits, parse_isolation

if TYPE_CHECKING:
    from controlplane.sandbox import IsolationReport

EXIT_BROKEN: Final = 3
FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SECONDS: Final = click.FloatRange(0, bounds.LONGEST_S, min_open=True)
MEBIBYTES: Final = click.IntRange(1, 1_048_576)
"""The system's own limits overflow beyond these, and no script needs that much."""


_NAMESPACES: Final = (
    "allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 (Debian), "
    "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), user.max_user_namespaces above 0; "
    "in a container also --security-opt seccomp=unconfined"
)
HOW: Final = {
    "namespace": _NAMESPACES,
    "empty root": _NAMESPACES,
    "landlock": "a kernel from 5.13 on with landlock in its list of security modules (boot option lsm=landlock,...)",
    "seccomp": "a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64",
    "no_new_privs": "a kernel from 3.5 on",
    "kernel": "run it on Linux, for instance in a container; the first two layers work everywhere",
}
"""Ways to raise a part of the kernel layer, by a word of its name."""
PROMISES: Final = {
    Layer.LANGUAGE: "scripts are compiled under a policy; attributes and modules are reached through guards",
    Layer.PROCESS: "scripts run in a child with limits, no environment and no descriptor but one socket",
    Layer.KERNEL: "the kernel refuses the child files, network, processes and programs",
}


def _current_flag(name: str) -> str:
    """Return the name that a flag has today; print it for the flag of an earlier version."""
    if name == "walls":
        click.echo("--walls is now --isolation", err=True)
    return "isolation" if name == "walls" else name


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": _current_flag}
)
def main() -> None:
    """Run ordinary Python without letting anything out."""


def _isolation(context: click.Context, parameter: click.Parameter, value: str) -> frozenset[Layer]:
    try:
        return parse_isolation(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _canned(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    canned = {}
    for value in values:
        path, equals, name = value.partition("=")
        if not equals or not path.startswith("/"):
            msg = f"{value!r} is not of the form /bin/tool=FILE"
            raise click.BadParameter(msg)
        try:
            canned[path] = Path(name).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            msg = f"{name}: {error.strerror}"
            raise click.BadParameter(msg) from error
    return canned


def _instant(context: click.Context, parameter: click.Parameter, value: str) -> datetime:
    try:
        given = datetime.fromisoformat(value)
    except ValueError:
        msg = f"{value!r} is not an ISO date and time such as 2026-01-01T12:00:00Z"
        raise click.BadParameter(msg) from None
    return given if given.tzinfo else given.replace(tzinfo=UTC)


@main.command()
@click.argument("file", type=click.File("r", encoding="utf-8-sig"), default="-")
@click.option(
    "--files",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder to show as /.",
)
@click.option(
    "--timeout", type=SECONDS, default=Limits().step_wall_s, help="Seconds for the script."
)
@click.option("--memory", type=MEBIBYTES, default=Limits().memory_mb, help="MiB a script may add.")
@click.option(
    "--exec",
    "canned",
    multiple=True,
    callback=_canned,
    help="/bin/tool=FILE: canned output of a tool.",
)
@click.option("--write", is_flag=True, help="Let writes and deletes reach the folder.")
@click.option(
    "--isolation",
    callback=_isolation,
    default="all",
    help=f"{','.join(Layer)}, or all, or none; refused unless they work.",
)
@click.option("--now", callback=_instant, default="2026-01-01T12:00:00Z", help="The pinned clock.")
@click.option("--seed", type=int, default=0, help="The pinned randomness.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run(as_json: bool, **options: Any) -> None:
    """Run a script (default: standard input) against a folder in isolation."""
    try:
        source = options["file"].read()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the script cannot be read: {error}"
        raise click.UsageError(msg) from error
    outcome = _or_broken(lambda: _run(source, options))
    if as_json:
        click.echo(json.dumps(outcome, ensure_ascii=False))
        return
    click.echo(outcome["output"], nl=False)
    if outcome["error"]:
        click.echo(outcome["error"], err=True)


def _run(source: str, options: dict[str, Any]) -> dict[str, Any]:
    from tempfile import TemporaryDirectory

    from controlplane.sandbox import ForkServer, Sandbox, SandboxBroken, missing_layer
    from controlplane.sandbox.files.disk_files import FolderHost
    from controlplane.sandbox.interface.tagged_values import flatten

    now, seconds = (
        options["now"],
        min(bounds.LONGEST_S, options["timeout"]),
    )  # In this order, `nan` is the most.
    limits = Limits(step_wall_s=seconds, step_cpu_s=seconds, memory_mb=int(options["memory"]))
    with TemporaryDirectory() as empty, ForkServer() as server:
        isolation: frozenset[Layer] = options["isolation"]
        host = FolderHost(
            options["files"] or Path(empty), now, canned=options["canned"], writes=options["write"]
        )
        settings = {
            "now": now,
            "seed": options["seed"],
            "limits": limits,
            "isolation": isolation,
            "server": server,
        }
        with Sandbox(host.tool_schema, host, **settings) as box:
            if missing := missing_layer(server, isolation):
                raise SandboxBroken(missing)
            box.ready_child()
            result = box.run(source)
    return {
        "output": result.output,
        "error": result.error or None,
        "calls": result.calls,
        "answered": host.submitted,
        "scratchpad": flatten(result.scratchpad),
        "elapsed_ms": round(result.elapsed_ms, 3),
    }


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(as_json: bool) -> None:
    """Say which isolation layers work, why one does not, and how to repair it."""
    from controlplane.sandbox import ForkServer, working_layers

    with ForkServer() as server:
        report = _or_broken(lambda: working_layers(server))
    if as_json:
        parts = {
            part: {"works": not reason, "reason": reason, "how": advice(part) if reason else ""}
            for part, reason in report.parts.items()
        }
        click.echo(
            json.dumps(
                {
                    "isolation": {layer.value: layer in report.working for layer in Layer},
                    "kernel": parts,
                }
            )
        )
        return
    for line in lines(report):
        click.echo(line)


def advice(part: str) -> str:
    """Return how to raise a part of the kernel layer; empty if unknown."""
    return next((text for word, text in HOW.items() if word in part), "")


def lines(report: IsolationReport) -> list[str]:
    """Return the report as lines of text."""
    rows = [
        f"{layer.value:<9}{'works' if layer in report.working else 'DOWN  '}  {PROMISES[layer]}"
        for layer in Layer
    ]
    down: dict[str, list[str]] = {}
    for part, reason in report.parts.items():
        rows.append(f"  {part:<18}{'works' if not reason else 'down: ' + reason}")
        if reason and advice(part):
            down.setdefault(advice(part), []).append(part)
    if Layer.KERNEL not in report.working:
        rows.append(
            "untrusted scripts need the kernel layer: without it they run only with `--isolation`"
        )
    rows += [f"to raise {', '.join(parts)}: {text}" for text, parts in down.items()]
    return rows


def _or_broken(action: Callable[[], Any]) -> Any:
    from controlplane.sandbox import SandboxBroken

    try:
        return action()
    except SandboxBroken as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(EXIT_BROKEN)


def start() -> None:
    """Run the command line; if standard output is full, report it in one line."""
    try:
        main(prog_name="python -m controlplane.sandbox")
    except OSError as error:
        if (
            error.errno not in FULL or error.filename is not None
        ):  # standard output has no file name
            raise
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # Python flushes once more as it ends
        click.echo(f"Error: the result cannot be printed: {error.strerror}", err=True)
        sys.exit(EXIT_BROKEN)


if __name__ == "__main__":
    start()
