"""`python -m gates`: judges recorded answers, measures the gates, compares runs, records cases, explains contracts.

A thin shell: each command parses its arguments, calls and prints.
"""

from __future__ import annotations

import dataclasses
import errno
import importlib
import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import click

from gates.rule_packs import REGISTERED, Pack, PackError, load_pack

USAGE: Final = 2
OUTPUT_FAILED: Final = 3
DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_rules = click.option(
    "--rules", "names", multiple=True, metavar="PACK", help=f"Rule pack: {', '.join(REGISTERED)} or module:ATTRIBUTE."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
_runs_dir = click.option(
    "--runs-dir", default=None, help="The folder of the journals.  [default: where the control plane writes them]"
)


class UsageFault(click.ClickException):
    """A named file or pack cannot be read or loaded."""

    exit_code = USAGE


def _packs(names: tuple[str, ...]) -> tuple[Pack, ...]:
    try:
        return tuple(load_pack(name) for name in names)
    except PackError as fault:
        raise UsageFault(str(fault)) from None


def _control_plane(name: str) -> Any:
    """Return a module of the control plane, which reads journals; only commands on journals import it."""
    return importlib.import_module(f"controlplane.{name}")


def _is_journal(path: Path) -> bool:
    """Say whether `path` is a journal. Raises `UsageFault` for a pipe, whose beginning cannot be read twice."""
    if not path.is_file():
        msg = f"{path} can be read only once; write what comes from it into a file, and name that"
        raise UsageFault(msg)
    with path.open("rb") as file:
        return b'"run_opened"' in file.read(4_096).partition(b"\n")[0]


@contextmanager
def _control_plane_faults() -> Iterator[None]:
    """End the command with the control plane's own message and exit code if it fails."""
    errors = _control_plane("errors")
    try:
        yield
    except errors.ControlPlaneError as fault:
        click.echo(f"Error: {fault}", err=True)
        sys.exit(fault.exit_code)


def _submissions(path: Path, packs: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the submissions of a journal, each with a name made of task, trial and number; judged by the rules of
    `packs`, or of its run's packs if none are named."""
    with _control_plane_faults():
        for each in _control_plane("replay.judged_submissions").submissions_of(path, packs):
            task, trial = (re.sub(r"[^\w.-]+", "-", name) for name in (each.task_id, each.trial_id))
            yield f"{trial if trial.startswith(task) else f'{task}-{trial}'}-{each.number}", each


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        msg = f"{path} is not UTF-8 text: {fault.reason}"
        raise UsageFault(msg) from None


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Judge submissions by the eight gates, outside a run."""


@main.command(short_help="Judge recorded answers, or a journal's submissions.")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_rules
@_json
def check(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> None:
    """Judge recorded answers or a journal's submissions, one verdict per line; exit 0 even if some are rejected."""
    from gates.evaluation.check_report import CheckLine, check_file, line_of
    from gates.evaluation.recorded_answers import RecordError

    packs = _packs(names)
    applied: set[str] = set()
    counts = [0, 0]
    try:
        for path in files:
            lines: Iterable[CheckLine] = check_file(path, packs)
            if _is_journal(path):
                lines = (line_of(name, each.judgement) for name, each in _submissions(path, names))
            for line in lines:
                counts[line.rejected] += 1
                applied.update(line.applied)
                click.echo(json.dumps(dataclasses.asdict(line), ensure_ascii=False) if as_json else line.as_text())
    except RecordError as fault:
        raise UsageFault(str(fault)) from None
    if not as_json:
        click.echo(f"{sum(counts)} judged, {counts[1]} rejected; applied: {', '.join(sorted(applied)) or 'nothing'}")


@main.command(short_help="Measure gates and rules on scored answers.")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_rules
@_json
@click.option(
    "--cross-validate",
    is_flag=True,
    help="Also choose rules on four fifths of the runs and measure on the fifth, and likewise with each run, "
    "instruction, task, model, family and benchmark left out.",
)
@click.option(
    "--verdicts",
    type=click.Choice(("grader", "note")),
    default="grader",
    show_default=True,
    help="Which scores count: the grader's own record, or notes.",
)
@click.option("--runs", "only", type=_FILE, help="Measure the runs alone that this file lists: source, tab, run.")
@click.option("--without-runs", "without", type=_FILE, help="Measure all runs but those that this file lists.")
def score(  # noqa: PLR0913 - one parameter for each option
    files: tuple[Path, ...],
    names: tuple[str, ...],
    as_json: bool,
    cross_validate: bool,
    verdicts: str,
    only: Path | None,
    without: Path | None,
) -> None:
    """Measure gates and rules on scored answers: wrong answers caught, right answers held up."""
    from gates.evaluation.gate_scoring import judge_scored
    from gates.evaluation.recorded_answers import RecordError, read_answers, read_runs, read_scores
    from gates.evaluation.score_report import report_json, report_text

    packs = _packs(names)
    for path in files:
        if _is_journal(path):
            msg = (
                f"{path} is a journal; `score` takes recorded answers with their scores, one JSON object a line "
                "(`check` judges a journal's submissions, `compare` two runs)"
            )
            raise UsageFault(msg)
    try:
        answers = [answer for path in files for answer in read_answers(path)]
        scores = [each for path in files for each in read_scores(path)]
        wanted = read_runs(only) if only is not None else None
        unwanted = read_runs(without) if without is not None else frozenset()
    except RecordError as fault:
        raise UsageFault(str(fault)) from None
    pairs = [
        (answer, each)
        for answer, each in zip(answers, scores, strict=True)
        if (wanted is None or (each.source, each.run) in wanted) and (each.source, each.run) not in unwanted
    ]
    judged = judge_scored([answer for answer, _ in pairs], [each for _, each in pairs], packs, verdicts)
    if not judged:
        msg = f"nothing to score: of {len(scores)} records none has a score by {verdicts!r} (internal errors left out)"
        raise UsageFault(msg)
    report = report_json(judged, with_folds=cross_validate)
    click.echo(json.dumps(report, ensure_ascii=False) if as_json else report_text(report))


@main.command(short_help="Keep a journal's submissions as test cases.")
@click.argument("run", metavar="RUN")
@click.option(
    "--out", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder to write to."
)
@_runs_dir
def record(run: str, folder: Path, runs_dir: str | None) -> None:
    """Turn the submissions of a journal into a folder of cases for `pytest --gate-cases DIR`.

    RUN is a path, an id, a unique prefix of one, or `last`. A case expects the verdicts that today's gates give.
    """
    from gates.evaluation.gate_cases import case_of, expected_of, verify_data, write_case

    with _control_plane_faults():
        path = _control_plane("commands.options").find_journal(run, runs_dir)
    count = 0
    for name, each in _submissions(path):
        case = case_of(name, each.submission, each.evidence, each.case)
        update = {
            "packs": each.packs,
            "verify": verify_data(each.submission.probe, each.replies),
            "expected": expected_of(each.judgement),
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_case(folder / f"{name}.json", case.model_copy(update=update))
        except OSError as fault:
            msg = f"{folder} cannot be written: {fault.strerror}"
            raise UsageFault(msg) from None
        count += 1
    click.echo(f"{count} cases in {folder}; judge them with: pytest --gate-cases {folder}")


@main.command(short_help="Compare a run with gates to one without.")
@click.argument("with_gates", metavar="RUN")
@click.argument("without", metavar="RUN_WITHOUT_GATES")
@_runs_dir
@_json
def compare(with_gates: str, without: str, runs_dir: str | None, as_json: bool) -> None:
    """Compare the scores of a run with gates to those of one with `--gates none`, over the same seed.

    Shows for every gate its rejections, and how many of those trials ended with a better, a worse or an equal score.
    """
    with _control_plane_faults():
        read = _control_plane("commands.compared_runs").read_run
        effects = _control_plane("comparison.gate_effects")
        found = effects.gate_effects(read(with_gates, runs_dir), read(without, runs_dir))
        if as_json:
            click.echo(json.dumps(dataclasses.asdict(found), ensure_ascii=False))
        else:
            _control_plane("view.comparison_text").print_comparison(found.comparison)
            click.echo(f"\n{effects.effects_text(found)}")


@main.command(short_help="Print the answer contract of an instruction.")
@click.option("--instruction-file", required=True, type=_FILE, help="The instruction, as text.")
@click.option("--rules-file", type=_FILE, help="The workspace's rules, as text.")
@_json
def explain(instruction_file: Path, rules_file: Path | None, as_json: bool) -> None:
    """Print the answer contract of an instruction, the words it comes from, and those that bind nothing."""
    from gates.language.answer_contract import derive_contract
    from gates.language.format_words import unread_words
    from gates.language.text_normalization import normalize_text

    instruction, rules = _text(instruction_file), _text(rules_file) if rules_file else ""
    contract, text = derive_contract(instruction, rules), normalize_text(instruction)
    unread = list(unread_words(instruction, rules))
    if as_json:
        clauses = [
            {"kind": each.kind, "demand": each.demand, "words": each.words, "spans": each.spans}
            for each in contract.clauses
        ]
        found = {
            "text": text,
            "clauses": clauses,
            "conflict": contract.conflict,
            "enforced": contract.is_enforced,
            "unread": [dataclasses.asdict(each) for each in unread],
        }
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    if not contract.clauses:
        click.echo(
            "No contract: nothing demands a form of the answer with certainty. Gate 8 checks `tokens` alone, the "
            "strings that a script itself declares."
        )
    for clause in contract.clauses:
        click.echo(f"{clause.kind}: an OK answer must be {clause.demand}")
        source = "instruction" if clause.spans else "rules"
        click.echo(_folded(f"from the {source}: ", " ".join(clause.words.split())))
        if clause.spans:
            click.echo(
                _folded("understood: ", ", ".join(f"`{text[start:end].strip()}`" for start, end in clause.spans))
            )
    if contract.conflict:
        click.echo(f"Not enforced: {contract.conflict}. Any answer passes, as far as its form is concerned.")
    for each in unread:
        click.echo(_folded(f"`{each.words}` binds nothing, {each.reason}: ", " ".join(each.sentence.split())))


def _folded(label: str, text: str) -> str:
    """Return a labelled text, indented, in lines of at most 80 columns."""
    return textwrap.fill(label + text, 80, initial_indent="    ", subsequent_indent="        ")


def _search_working_folder_last() -> None:
    """Let no module beside the user hide ours: `python -m` searches the working directory first."""
    ours = str(Path(__file__).resolve().parents[1])
    with suppress(OSError):  # a working directory that is gone hides nothing
        if sys.path[0] != ours and sys.path[0] == str(Path.cwd()):
            sys.path.append(sys.path.pop(0))


def start() -> None:
    """Run the command line; if standard output is full, report it in one line."""
    _search_working_folder_last()
    try:
        main(prog_name="python -m gates")
    except OSError as fault:
        if fault.errno not in DISK_FULL or fault.filename is not None:  # standard output has no file name
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would flush once more as it ends
        click.echo(f"Error: the result cannot be printed: {fault.strerror}", err=True)
        sys.exit(OUTPUT_FAILED)


if __name__ == "__main__":
    start()
