"""`python -m gates`: judges recorded answers and journals, and measures the gates.

A thin shell: each command parses its arguments, calls and prints.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from gates.rules import REGISTERED, Pack, PackError, load_pack

USAGE: Final = 2
OUTPUT_FAILED: Final = 3
DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_rules = click.option(
    "--rules", "names", multiple=True, metavar="PACK", help=f"Rule pack: {', '.join(REGISTERED)} or module:ATTRIBUTE."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")


class UsageFault(click.ClickException):
    """A named file or pack cannot be read or loaded."""

    exit_code = USAGE


def _packs(names: tuple[str, ...]) -> tuple[Pack, ...]:
    try:
        return tuple(load_pack(name) for name in names)
    except PackError as fault:
        raise UsageFault(str(fault)) from None


def _is_journal(path: Path) -> bool:
    """Say whether `path` is a journal. Raises `UsageFault` for a pipe, whose beginning cannot be read twice."""
    if not path.is_file():
        msg = f"{path} can be read only once: write its content to a file, and name that file"
        raise UsageFault(msg)
    with path.open("rb") as file:
        return b'"run_opened"' in file.read(4_096).partition(b"\n")[0]


def _submissions(path: Path, packs: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield a journal's submissions, each named after its task, trial and number, and judged by the rules of `packs`,
    or of its run's packs if none are named. Ends with the message and exit code of the control plane, which reads
    journals, if it fails."""
    homes = ("errors", "replay.judged_submissions")
    errors, reader = (importlib.import_module(f"controlplane.{name}") for name in homes)
    try:
        for found in reader.submissions_of(path, packs):
            task, trial = (re.sub(r"[^\w.-]+", "-", name) for name in (found.task_id, found.trial_id))
            yield f"{trial if trial.startswith(task) else f'{task}-{trial}'}-{found.number}", found
    except errors.ControlPlaneError as fault:
        click.echo(f"Error: {fault}", err=True)
        sys.exit(fault.exit_code)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Judge submissions by the eight gates, outside a run."""


@main.command(short_help="Judge recorded answers, or a journal's submissions.")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_rules
@_json
def check(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> None:
    """Judge recorded answers or a journal's submissions, one per line; exit 0 even if some are rejected."""
    from gates.recorded_answers import RecordError, judge_recorded, read_answers

    packs = _packs(names)
    applied: set[str] = set()
    counts = [0, 0]
    try:
        for path in files:
            if _is_journal(path):
                judged = ((name, found.judgement) for name, found in _submissions(path, names))
            else:
                judged = ((answer.id, judge_recorded(answer, packs)) for answer in read_answers(path))
            for name, judgement in judged:
                counts[not judgement.accepted] += 1
                of_line = [one.key for one in judgement.verdicts if one.result in ("pass", "reject", "protest")]
                applied.update(of_line)
                rejected = [one.key for one in judgement.verdicts if one.result == "reject"]
                if as_json:
                    line = {"id": name, "rejected": not judgement.accepted, "by": rejected}
                    click.echo(
                        json.dumps({**line, "message": judgement.message, "applied": of_line}, ensure_ascii=False)
                    )
                elif judgement.accepted:
                    click.echo(f"{name}  accepted")
                else:
                    click.echo(f"{name}  rejected  {' | '.join(judgement.message.splitlines())}")
    except RecordError as fault:
        raise UsageFault(str(fault)) from None
    if not as_json:
        click.echo(f"{sum(counts)} judged, {counts[1]} rejected; applied: {', '.join(sorted(applied)) or 'nothing'}")


@main.command(short_help="Measure gates and rules on scored answers.")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_rules
@_json
def score(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> None:
    """Measure gates and rules on scored answers: wrong answers caught, right answers held up."""
    from gates.recorded_answers import RecordError, measure, read_scored, report_text, score_report

    packs = _packs(names)
    for path in files:
        if _is_journal(path):
            msg = f"{path} is a journal; `score` takes recorded answers with their scores (`check` judges a journal)"
            raise UsageFault(msg)
    try:
        pairs = [pair for path in files for pair in read_scored(path)]
    except RecordError as fault:
        raise UsageFault(str(fault)) from None
    measured = measure(pairs, packs)
    if not measured:
        msg = f"nothing to score: none of {len(pairs)} records has a score by its grader (internal errors left out)"
        raise UsageFault(msg)
    report = score_report(measured)
    click.echo(json.dumps(report, ensure_ascii=False) if as_json else report_text(report))


def start() -> None:
    """Run the command line; if standard output is full, report it in one line."""
    try:
        main(prog_name="python -m gates")
    except OSError as fault:
        if fault.errno not in DISK_FULL or fault.filename is not None:  # standard output has no file name
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more as it ends
        click.echo(f"Error: the result cannot be printed: {fault.strerror}", err=True)
        sys.exit(OUTPUT_FAILED)


if __name__ == "__main__":
    start()
