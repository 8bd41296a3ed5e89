"""Measures the gates on recorded answers with scores: `python -m controlplane.gates score`.

A gate is useful if it *catches* wrong answers, which it rejects, and *holds up* few right ones.
Each answer is a JSON object on a line of its own:

    {"id": "a1", "task_text": "How many?", "outcome": "OUTCOME_OK", "message": "7", "score": 1.0}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import click

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.rule_set_loading import load_rule_set, product_rule_sets
from controlplane.gates.rules import RuleSet
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
    """The citations; a record may have null for none."""
    verdict: str = "grader"
    """Who gave the score: `grader`, or `note` for somebody's notes, which may be wrong."""

    @property
    def is_graded(self) -> bool:
        return self.verdict == "grader"


def read_scored(path: Path) -> Iterator[RecordedAnswer]:
    """Yield the answers of a file of records.

    Raises `ValueError` that names file, line and fault.
    """
    from pydantic import TypeAdapter, ValidationError

    reader = TypeAdapter(RecordedAnswer)
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            if line.strip():
                yield reader.validate_json(line)
        except ValidationError as fault:
            first_error = fault.errors()[0]
            place = ".".join(str(part) for part in first_error["loc"]) or "the line"
            msg = f"{path}:{number}: {place}: {first_error['msg']}"
            raise ValueError(msg) from fault


def judge_recorded(
    answer: RecordedAnswer, rule_sets: tuple[RuleSet, ...] = ()
) -> Judgement:
    """Judge a recorded answer, which has neither trace nor scratchpad. Its score is not used."""
    submission = Submission(
        answer=answer.message or "",
        outcome=answer.outcome or "",
        refs=list(answer.refs or ()),
    )
    return judge(submission, Evidence(), Case(answer.task_text), rule_sets=rule_sets)


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often one rule rejected."""

    caught: int
    """Wrong answers that it rejected."""
    held_up: int
    """Right answers that it rejected."""


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """How many wrong answers were caught and right ones held up, in total and by rule."""

    wrong: int
    caught: int
    caught_percent: float
    right: int
    held_up: int
    held_up_ids: list[str]
    by_rule: dict[str, RuleCount]
    """Sorted by how often a rule rejects, most often first."""


def score_report(
    answers: Iterable[RecordedAnswer], rule_sets: tuple[RuleSet, ...] = ()
) -> ScoreReport:
    """Judge answers and compare the verdicts with their scores.

    An answer is right if it has the full score, 1. Leaves out answers that gave up
    (`OUTCOME_ERR_INTERNAL`), and scores that come from notes.
    """
    right = 0
    wrong = 0
    caught = 0
    held_up_ids: list[str] = []
    caught_by_rule: Counter[str] = Counter()
    held_up_by_rule: Counter[str] = Counter()
    for answer in answers:
        if not answer.is_graded or answer.outcome == INTERNAL:
            continue
        verdicts = judge_recorded(answer, rule_sets).verdicts
        rejecting_rules = [
            verdict.key for verdict in verdicts if verdict.result == "reject"
        ]
        if answer.score < 1.0:
            wrong += 1
            caught_by_rule.update(rejecting_rules)
            if rejecting_rules:
                caught += 1
        else:
            right += 1
            held_up_by_rule.update(rejecting_rules)
            if rejecting_rules:
                held_up_ids.append(answer.id)
    by_rule: dict[str, RuleCount] = {}
    for key, _ in (caught_by_rule + held_up_by_rule).most_common():
        by_rule[key] = RuleCount(caught_by_rule[key], held_up_by_rule[key])
    return ScoreReport(
        wrong=wrong,
        caught=caught,
        caught_percent=round(100 * caught / max(wrong, 1), 2),
        right=right,
        held_up=len(held_up_ids),
        held_up_ids=held_up_ids,
        by_rule=by_rule,
    )


SHOWN_IDS: Final = 6


def report_text(report: ScoreReport) -> str:
    """Return a report as lines of text: the totals, and a table of the rules."""
    caught = f"caught {report.caught} of {report.wrong} wrong answers ({report.caught_percent} %)"
    ids = " ".join(report.held_up_ids[:SHOWN_IDS])
    held_up = f"held up {report.held_up} of {report.right} right ones {ids}".rstrip()
    lines = [f"{caught}; {held_up}", "", f"{'rule':44} {'caught':>7} {'held up':>8}"]
    for name, count in report.by_rule.items():
        lines.append(f"{name:44} {count.caught:7} {count.held_up:8}")
    return "\n".join(lines)


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
