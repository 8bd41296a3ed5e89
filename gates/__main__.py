"""`python -m controlplane.gates score`: measures the gates on recorded answers with scores, one JSON object per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import REGISTERED, RuleSet, judge, load_rule_set
from controlplane.gates.submission import INTERNAL, Case, Judgement, Submission


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer with its score."""

    id: str
    task_text: str
    outcome: str | None
    message: str | None
    score: float
    refs: tuple[str, ...] | None = ()
    verdict: str = "grader"
    """`grader` if the score comes from the grader's own record, `note` if it comes from notes."""


def read_scored(path: Path) -> Iterator[RecordedAnswer]:
    """Yield the answers of a file of records. Raises `ValueError` that names file, line and fault."""
    from pydantic import TypeAdapter, ValidationError

    record = TypeAdapter(RecordedAnswer)
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            if line.strip():
                yield record.validate_json(line)
        except ValidationError as fault:
            first = fault.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            msg = f"{path}:{number}: {where}: {first['msg']}"
            raise ValueError(msg) from fault


def judge_recorded(answer: RecordedAnswer, rule_sets: tuple[RuleSet, ...] = ()) -> Judgement:
    """Judge a recorded answer, which has neither trace nor scratchpad, without its score."""
    submission = Submission(
        answer=answer.message or "", outcome=answer.outcome or "", refs=list(answer.refs or ())
    )
    return judge(submission, Evidence(), Case(answer.task_text), rule_sets=rule_sets)


def score_report(
    answers: Iterable[RecordedAnswer], rule_sets: tuple[RuleSet, ...] = ()
) -> dict[str, Any]:
    """Return how many wrong answers were caught and how many right ones were held up, in total and by rule.

    Leaves out internal errors and scores that come from notes. An answer is right if it has the full score.
    """
    right: list[tuple[str, list[str]]] = []
    wrong: list[list[str]] = []
    for answer in answers:
        if answer.verdict == "grader" and answer.outcome != INTERNAL:
            rules = [
                one.key
                for one in judge_recorded(answer, rule_sets).verdicts
                if one.result == "reject"
            ]
            if answer.score < 1.0:
                wrong.append(rules)
            else:
                right.append((answer.id, rules))
    caught = Counter(rule for rules in wrong for rule in rules)
    held_up = Counter(rule for _, rules in right for rule in rules)
    return {
        "wrong": len(wrong),
        "caught": sum(map(bool, wrong)),
        "caught_percent": round(100 * sum(map(bool, wrong)) / max(len(wrong), 1), 2),
        "right": len(right),
        "held_up": sum(bool(rules) for _, rules in right),
        "held_up_ids": [name for name, rules in right if rules],
        "by_rule": {
            name: {"caught": caught[name], "held_up": held_up[name]}
            for name, _ in (caught + held_up).most_common()
        },
    }


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure the eight gates, outside a run."""


@main.command(short_help="Measure gates and rules on scored answers.")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--rule-sets",
    "--rules",
    "names",
    multiple=True,
    metavar="RULE_SET",
    help=f"Rule set: {', '.join(REGISTERED)} or module:ATTRIBUTE.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> None:
    """Measure gates and rules on scored answers: wrong answers caught, right answers held up."""
    try:
        rule_sets = tuple(load_rule_set(name) for name in names)
        answers = [answer for path in files for answer in read_scored(path)]
    except ValueError as fault:
        raise click.UsageError(str(fault)) from None
    report = score_report(answers, rule_sets)
    if not report["right"] + report["wrong"]:
        msg = f"nothing to score: none of {len(answers)} records has a score by its grader (internal errors left out)"
        raise click.UsageError(msg)
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    caught = f"caught {report['caught']} of {report['wrong']} wrong answers ({report['caught_percent']} %)"
    held_up = f"held up {report['held_up']} of {report['right']} right ones {' '.join(report['held_up_ids'][:6])}"
    click.echo(f"{caught}; {held_up}".rstrip() + f"\n\n{'rule':44} {'caught':>7} {'held up':>8}")
    for name, counts in report["by_rule"].items():
        click.echo(f"{name:44} {counts['caught']:7} {counts['held_up']:8}")


if __name__ == "__main__":
    main(prog_name="python -m controlplane.gates")
