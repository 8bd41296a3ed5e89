"""`controlplane report`: write one HTML file about one run or several."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import click

from controlplane.commands.compared_runs import paths_of
from controlplane.commands.options import AS_JSON, RUNS_DIR
from controlplane.commands.shell_words import complete_run
from controlplane.errors import UsageError
from controlplane.journal.journal_file import journal_id
from controlplane.report.report_file import report_html
from controlplane.view.display_text import count_text
from controlplane.view.progress_bar import progress_bar

SUFFIXES = (".html", ".htm")


@click.command("report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_run)
@click.option("-o", "--output", "output", required=True, metavar="FILE.html", help="The file to write.")
@RUNS_DIR
@AS_JSON
def command(runs: tuple[str, ...], output: str, runs_dir: str | None, as_json: bool) -> None:
    """Write an HTML report of RUN, or of several side by side, in one file that opens offline.

    Of one run it shows the sum, why trials failed, what gates sent back, tokens and time by step, and a page for each
    trial. Of several it also shows the heat map of tasks and runs. RUN+RERUN takes the trials of a rerun in place of
    those of its run.
    """
    target = _checked(Path(output))
    paths = [paths_of(each, runs_dir) for each in runs]
    firsts = [each[0] for each in paths]
    for place, path in enumerate(firsts):
        if any(_is_same(path, other) and paths[place] == paths[at] for at, other in enumerate(firsts[:place])):
            msg = f"{runs[place]!r} names the run {journal_id(path)} a second time; name each run once"
            raise UsageError(msg)
    with progress_bar("reading the trials") as on_progress:
        report = report_html(paths, on_progress)
    size = _write(target, report.html)
    if as_json:
        print(json.dumps({"file": str(target), "bytes": size, "runs": report.runs, "trials": report.trials}))
        return
    held = f"{count_text(report.trials, 'trial')} of {count_text(report.runs, 'run')}"
    click.echo(f"report   {target} ({size / 1_000_000:.1f} MB, {held})")


def _checked(target: Path) -> Path:
    if target.suffix.lower() not in SUFFIXES:
        msg = f"-o takes the name of an HTML file, as report.html, not {str(target)!r}"
        raise UsageError(msg)
    if target.is_dir():
        msg = f"{target} is a directory; name a file in it, as {target / 'report.html'}"
        raise UsageError(msg)
    if not target.parent.is_dir():
        msg = f"there is no directory {target.parent} to write {target.name} to; make it first"
        raise UsageError(msg)
    return target


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return path == other


def _write(target: Path, html: str) -> int:
    """Write the file as a whole or not at all; return its bytes. Raises `UsageError` if that fails."""
    data = html.encode()
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            part = Path(file.name)
            try:
                file.write(data)
                file.flush()
                part.chmod(0o666 & ~_umask())
                part.replace(target)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        msg = f"cannot write {target}: {error.strerror}"
        raise UsageError(msg) from error
    return len(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
