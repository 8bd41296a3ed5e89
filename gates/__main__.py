"""Measures the gates on recorded answers with scores: `python -m controlplane.gates score`.

It prints how many wrong answers the gates catch, and how many right ones they hold up:

    caught 12 of 40 wrong answers (30.0 %); held up 1 of 60 right ones a17

`a17` is the id of the right answer that was held up.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from controlplane.gates.recorded_answers import read_scored, report_text, score_report
from controlplane.gates.rule_set_loading import load_rule_set, product_rule_sets


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure the eight gates, outside a run."""


@main.command(short_help="Measure gates and rules on scored answers.")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--rule-sets",
    "--rules",  # a shorter name for the same
    "names",
    multiple=True,
    metavar="RULE_SET",
    help=f"Rule set: {', '.join(product_rule_sets())} or module:ATTRIBUTE.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> None:
    """Measure gates and rules on scored answers: wrong answers caught, right answers
    held up."""
    try:
        rule_sets = tuple(load_rule_set(name) for name in names)
        answers = [answer for path in files for answer in read_scored(path)]
    except ValueError as fault:
        raise click.UsageError(str(fault)) from None
    report = score_report(answers, rule_sets)
    if report.right + report.wrong == 0:
        # Internal errors are answers with which a trial gave up.
        msg = f"nothing to score: none of {len(answers)} records has a score by its grader (internal errors left out)"
        raise click.UsageError(msg)
    if as_json:
        click.echo(json.dumps(asdict(report), ensure_ascii=False))
    else:
        click.echo(report_text(report))


if __name__ == "__main__":
    main(prog_name="python -m controlplane.gates")
