"""`python -m gates score`: measures the gates on recorded answers with scores."""

from __future__ import annotations

import json
from pathlib import Path

import click

from gates.rules import REGISTERED, RuleSetError, load_rule_set


def _current_flag(name: str) -> str:
    """Return the name that a flag has today; print it for the flag of an earlier version."""
    if name == "rules":
        click.echo("--rules is now --rule-sets", err=True)
    return "rule-sets" if name == "rules" else name


@click.group(context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": _current_flag})
def main() -> None:
    """Measure the eight gates, outside a run."""


@main.command(short_help="Measure gates and rules on scored answers.")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--rule-sets",
    "names",
    multiple=True,
    metavar="RULE_SET",
    help=f"Rule set: {', '.join(REGISTERED)} or module:ATTRIBUTE.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> None:
    """Measure gates and rules on scored answers: wrong answers caught, right answers held up."""
    from gates.recorded_answers import RecordError, read_scored, report_text, score_report

    try:
        rule_sets = tuple(load_rule_set(name) for name in names)
        answers = [answer for path in files for answer in read_scored(path)]
    except (RuleSetError, RecordError) as fault:
        raise click.UsageError(str(fault)) from None
    report = score_report(answers, rule_sets)
    if not report["right"] + report["wrong"]:
        msg = f"nothing to score: none of {len(answers)} records has a score by its grader (internal errors left out)"
        raise click.UsageError(msg)
    click.echo(json.dumps(report, ensure_ascii=False) if as_json else report_text(report))


if __name__ == "__main__":
    main(prog_name="python -m gates")
