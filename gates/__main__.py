"""`python -m gates`: judge answers from files, measure the gates on scored ones, explain a contract, keep cases.

A thin shell: every command parses, calls and prints.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

import click

from gates.packs import REGISTERED, Pack, PackError, load_pack

USAGE: Final = 2
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_rules = click.option(
    "--rules", "names", multiple=True, metavar="PACK", help=f"Rule pack: {', '.join(REGISTERED)} or module:ATTRIBUTE."
)
_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


class UsageFault(click.ClickException):
    """What was asked for cannot be read or loaded."""

    exit_code = USAGE


def _packs(names: tuple[str, ...]) -> tuple[Pack, ...]:
    try:
        return tuple(load_pack(name) for name in names)
    except PackError as fault:
        raise UsageFault(str(fault)) from None


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Judge submissions by the eight gates, outside of a run."""


@main.command()
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_rules
@_json
def check(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> None:
    """Judge recorded answers or a journal's submissions, one verdict a line; exit 0 also where some are rejected."""
    from gates.checking import check_file
    from gates.recorded import RecordError

    packs = _packs(names)
    applied: set[str] = set()
    counts = [0, 0]
    try:
        for path in files:
            for line in check_file(path, packs):
                counts[line.rejected] += 1
                applied.update(line.applied)
                click.echo(json.dumps(line.as_json(), ensure_ascii=False) if as_json else line.as_text())
    except RecordError as fault:
        raise UsageFault(str(fault)) from None
    if not as_json:
        click.echo(f"{sum(counts)} judged, {counts[1]} rejected; applied: {', '.join(sorted(applied)) or 'nothing'}")


@main.command()
@click.argument("files", nargs=-1, required=True, type=_FILE)
@_rules
@_json
@click.option("--cross-validate", is_flag=True, help="Choose rules on four fifths of the runs, measure on the fifth.")
@click.option("--verdicts", default="grader", show_default=True, help="Whose scores count: grader or note.")
def score(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool, cross_validate: bool, verdicts: str) -> None:
    """Measure gates and rules on scored answers: caught of the wrong, held up of the right."""
    from gates.recorded import RecordError, read_answers, read_scores
    from gates.score_report import report_json, report_text
    from gates.scoring import judge_scored

    packs = _packs(names)
    try:
        answers = [answer for path in files for answer in read_answers(path)]
        scores = [each for path in files for each in read_scores(path)]
    except RecordError as fault:
        raise UsageFault(str(fault)) from None
    judged = judge_scored(answers, scores, packs, verdicts)
    report = report_json(judged, with_folds=cross_validate)
    click.echo(json.dumps(report, ensure_ascii=False) if as_json else report_text(report))


@main.command()
@click.option("--instruction-file", required=True, type=_FILE, help="The instruction, as text.")
@click.option("--rules-file", type=_FILE, help="The workspace's rules, as text.")
@_json
def explain(instruction_file: Path, rules_file: Path | None, as_json: bool) -> None:
    """Print the answer contract of an instruction, and from which words it came."""
    from gates.contract import derive_contract

    try:
        instruction = instruction_file.read_text(encoding="utf-8")
        rules = rules_file.read_text(encoding="utf-8") if rules_file else ""
    except UnicodeDecodeError as fault:
        msg = f"{instruction_file if not rules_file else 'a given file'} is not UTF-8 text: {fault.reason}"
        raise UsageFault(msg) from None
    contract = derive_contract(instruction, rules)
    if as_json:
        clauses = [{"kind": each.kind, "demand": each.demand, "words": each.words} for each in contract.clauses]
        found = {"clauses": clauses, "conflict": contract.conflict, "enforced": contract.is_enforced}
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    if not contract.clauses:
        click.echo("No contract can be derived with certainty; gate 8 asks for declared tokens alone.")
    for clause in contract.clauses:
        click.echo(f"{clause.kind}: an OK answer must be {clause.demand}\n    from: {' '.join(clause.words.split())}")
    if contract.conflict:
        click.echo(f"Not enforced: {contract.conflict}")


if __name__ == "__main__":
    sys.exit(main(prog_name="python -m gates"))
