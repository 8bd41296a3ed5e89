"""`python -m controlplane.sandbox`: run a script in isolation, or report which layers work.

    python -m controlplane.sandbox run --files FOLDER script.py
    python -m controlplane.sandbox doctor

The isolation has several layers, such as limits of memory and filters of system calls. Not
every machine supports all of them.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

import click

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.limits import (
    BYTES_PER_MIB,
    Layer,
    Limits,
    parse_isolation,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from controlplane.sandbox.parent.fork_server import IsolationReport

_EXIT_BROKEN: Final = 3
"""The exit code if the sandbox does not work, or its result cannot be printed."""

_DISK_IS_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# The system counts the time and the bytes of a process in numbers of limited size. These
# maxima fit, and no script needs more.
_SECONDS: Final = click.FloatRange(0, bounds.LONGEST_S, min_open=True)
_MEBIBYTES: Final = click.IntRange(1, 1_048_576)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Run ordinary Python without letting anything out."""


# python -m controlplane.sandbox run


def _isolation(
    context: click.Context, parameter: click.Parameter, value: str
) -> frozenset[Layer]:
    """Return the layers of the isolation that `--isolation` names, as in `language,kernel`."""
    try:
        return parse_isolation(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _canned_outputs(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """Return what each tool prints, by the tool's path.

    A value such as `/bin/whoami=user.txt` says
    that `/bin/whoami` prints the text of `user.txt`.
    """
    outputs = {}
    for value in values:
        tool, equals, file_name = value.partition("=")
        if not equals or not tool.startswith("/"):
            msg = f"{value!r} is not of the form /bin/tool=FILE"
            raise click.BadParameter(msg)
        try:
            outputs[tool] = Path(file_name).read_text(
                encoding="utf-8", errors="replace"
            )
        except OSError as error:
            msg = f"{file_name}: {error.strerror}"
            raise click.BadParameter(msg) from error
    return outputs


def _instant(
    context: click.Context, parameter: click.Parameter, value: str
) -> datetime:
    """Return the instant of `--now`, such as `2026-01-01T12:00:00Z`; without a time zone, in UTC."""
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        msg = f"{value!r} is not an ISO date and time such as 2026-01-01T12:00:00Z"
        raise click.BadParameter(msg) from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


@main.command()
@click.argument("file", type=click.File("r", encoding="utf-8-sig"), default="-")
@click.option(
    "--files",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder to show as /.",
)
@click.option(
    "--timeout",
    type=_SECONDS,
    default=Limits().step_wall_s,
    help="Seconds for the script.",
)
@click.option(
    "--memory",
    type=_MEBIBYTES,
    default=Limits().memory_bytes // BYTES_PER_MIB,
    help="MiB a script may add.",
)
@click.option(
    "--exec",
    "canned_outputs",  # the name of the parameter, which differs from that of the option
    multiple=True,
    callback=_canned_outputs,
    help="/bin/tool=FILE: canned output of a tool.",
)
@click.option("--write", is_flag=True, help="Let writes and deletes reach the folder.")
@click.option(
    "--isolation",
    callback=_isolation,
    default="all",
    help=f"{','.join(Layer)}, or all, or none; refused unless they work.",
)
@click.option(
    "--now", callback=_instant, default="2026-01-01T12:00:00Z", help="The pinned clock."
)
@click.option("--seed", type=int, default=0, help="The pinned randomness.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run(file: TextIO, as_json: bool, **options: Any) -> None:
    """Run a script (default: standard input) against a folder in isolation."""
    try:
        source = file.read()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the script cannot be read: {error}"
        raise click.UsageError(msg) from error

    with _exit_if_broken():
        outcome = _run_script(source, **options)

    if as_json:
        click.echo(json.dumps(outcome, ensure_ascii=False))
        return
    click.echo(_text_for(sys.stdout, outcome["output"]), nl=False)
    if outcome["error"]:
        click.echo(_text_for(sys.stderr, outcome["error"]), err=True)


_CONTROLS: Final = {
    # control characters, without tab and line feed
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    **dict.fromkeys(range(0x7F, 0xA0), "\N{REPLACEMENT CHARACTER}"),
    # marks that turn the direction of writing
    **dict.fromkeys(range(0x202A, 0x202F), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys(range(0x2066, 0x206A), "\N{REPLACEMENT CHARACTER}"),
}
"""What a terminal is shown in place of characters that control it, as `␛` of `\\x1b[2J`."""


def _text_for(stream: TextIO, text: str) -> str:
    """Return a text of a script as it is; for a terminal, with visible control characters.

    A script must not write into the user's clipboard or change what stands on the screen.
    """
    return text.translate(_CONTROLS) if stream.isatty() else text


def _run_script(  # noqa: PLR0913 - the options of `run`, which `click` passes by name
    source: str,
    *,
    files: Path | None,
    timeout: float,
    memory: int,
    canned_outputs: dict[str, str],
    write: bool,
    isolation: frozenset[Layer],
    now: datetime,
    seed: int,
) -> dict[str, Any]:
    """Run a script, and return its outcome as `--json` prints it.

    `{"output": "2\\n", "error": None, "calls": 0, ...}`. The script sees the folder `files` as `/`;
    None for an empty one. `timeout` is in seconds, `memory` in MiB. `canned_outputs` has what each
    tool prints, by its path. Raises `SandboxBroken` if the sandbox, or a layer that `isolation`
    demands, does not work.
    """
    # Imported here, so that `--help` is quick
    from tempfile import TemporaryDirectory

    from controlplane.sandbox import ForkServer, Sandbox, SandboxBroken, missing_layer
    from controlplane.sandbox.files.folder_host import FolderHost
    from controlplane.sandbox.interface.tagged_values import flatten

    # `--timeout nan` (not a number) becomes the longest time: no comparison with `nan` is
    # true, so `min` returns its first argument.
    seconds = min(bounds.LONGEST_S, timeout)
    memory_bytes = memory * BYTES_PER_MIB
    limits = Limits(step_wall_s=seconds, step_cpu_s=seconds, memory_bytes=memory_bytes)

    with TemporaryDirectory() as empty_folder, ForkServer() as server:
        folder = files or Path(empty_folder)
        host = FolderHost(folder, now, canned=canned_outputs, writes=write)
        sandbox = Sandbox(
            host.tool_schema,
            host,
            now=now,
            seed=seed,
            limits=limits,
            isolation=isolation,
            server=server,
        )
        with sandbox:
            # 1. Run nothing if a layer that the user demands does not work.
            missing = missing_layer(server, isolation)
            if missing:
                raise SandboxBroken(missing)

            # 2. Start the process before the script, whose reported time begins with `run`.
            sandbox.ready_child()
            result = sandbox.run(source)

    return {
        "output": result.output,
        "error": result.error or None,
        "calls": result.calls,
        "answered": host.submitted,  # the answer that the script submitted, or None
        "scratchpad": flatten(result.scratchpad),
        "elapsed_ms": round(result.elapsed_ms, 3),
    }


# What `doctor` says: which isolation layers work, why one does not, and how to repair it.

_EFFECTS_OF_LAYERS: Final = {
    Layer.LANGUAGE: "scripts are compiled under a policy; attributes and modules are reached through guards",
    Layer.PROCESS: "scripts run in a child with limits, no environment and no descriptor but one socket",
    Layer.KERNEL: "the kernel refuses the child files, network, processes and programs",
}
"""What each layer does, in the words of `doctor`."""


def _advice(part: str) -> str:
    """Return how to repair a part of the kernel layer; empty if unknown."""
    if "namespace" in part or part == "empty root":
        return (
            "allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 "
            "(Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), "
            "user.max_user_namespaces above 0; in a container also --security-opt seccomp=unconfined"
        )
    if part == "landlock":
        return (
            "a kernel from 5.13 on with landlock in its list of security modules "
            "(boot option lsm=landlock,...)"
        )
    if part == "seccomp":
        return "a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64"
    if part == "no_new_privs":
        return "a kernel from 3.5 on"
    if part == "kernel":
        return "run it on Linux, for instance in a container; the first two layers work everywhere"
    return ""


def report_lines(report: IsolationReport) -> list[str]:
    """Return the report as lines of text: the layers, the parts of the kernel layer, and advice."""
    rows = []
    for layer in Layer:
        state = "works" if layer in report.working else "DOWN  "
        rows.append(f"{layer.value:<9}{state}  {_EFFECTS_OF_LAYERS[layer]}")

    # Several parts may be repaired in the same way, which is then said once for all of them.
    parts_by_advice: dict[str, list[str]] = {}
    for part, reason in report.parts.items():
        state = f"down: {reason}" if reason else "works"
        rows.append(f"  {part:<18}{state}")
        if reason and _advice(part):
            parts_by_advice.setdefault(_advice(part), []).append(part)

    if Layer.KERNEL not in report.working:
        rows.append(
            "untrusted scripts need the kernel layer: without it they run only with `--isolation`"
        )
    for text, parts in parts_by_advice.items():
        rows.append(f"to raise {', '.join(parts)}: {text}")
    return rows


# python -m controlplane.sandbox doctor


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(as_json: bool) -> None:
    """Say which isolation layers work, why one does not, and how to repair it."""
    from controlplane.sandbox import ForkServer, working_layers

    with _exit_if_broken(), ForkServer() as server:
        report = working_layers(server)
    if as_json:
        parts = {}
        for part, reason in report.parts.items():
            parts[part] = {
                "works": reason == "",  # Otherwise it says why the part does not work.
                "reason": reason,
                "how": _advice(part) if reason else "",
            }
        layers = {layer.value: layer in report.working for layer in Layer}
        click.echo(json.dumps({"isolation": layers, "kernel": parts}))
        return
    for line in report_lines(report):
        click.echo(line)


@contextmanager
def _exit_if_broken() -> Iterator[None]:
    """End the command with one line if the sandbox does not work."""
    from controlplane.sandbox import SandboxBroken

    try:
        yield
    except SandboxBroken as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(_EXIT_BROKEN)


def start() -> None:
    """Run the command line. If its output cannot be written to a full disk, say so in one line."""
    try:
        main(prog_name="python -m controlplane.sandbox")
    except OSError as error:
        is_about_output = error.filename is None  # Standard output has no file name.
        if error.errno not in _DISK_IS_FULL or not is_about_output:
            raise
        # Python flushes standard output once more as it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo(f"Error: the result cannot be printed: {error.strerror}", err=True)
        sys.exit(_EXIT_BROKEN)


if __name__ == "__main__":
    start()
