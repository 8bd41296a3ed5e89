"""`controlplane judge`: judges recorded answers again.

The current gates judge submissions, or the current grader grades answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from controlplane.commands.arguments.gate_choice import GateChoice
from controlplane.commands.arguments.named_journals import (
    NamedJournal,
    left_out_if_faulty,
    named_journals,
)
from controlplane.commands.arguments.options import (
    AS_JSON,
    RUNS_DIR,
    TRUST,
    show_status,
)
from controlplane.commands.arguments.second_reader import SecondReader, second_reader
from controlplane.commands.output.graded_journals import grade_journals
from controlplane.commands.output.judgement_output import (
    JudgementOutput,
    judgement_object,
    report_left_out,
)
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.judged_submissions import rejudged
from controlplane.replay.judgement_comparison import Rejudged
from controlplane.terminal_text import say
from controlplane.view.tables.judgement_table import print_judged


@click.command("judge")
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--gates",
    default="all",
    show_default=True,
    help="Gates, as `run` takes them: all, none, 1,4,8 or 6=off.",
)
@click.option(
    "--rule-sets",
    "rules",
    multiple=True,
    metavar="RULE_SET",
    help="A rule set: a name or module:ATTRIBUTE, or none; default: those of each run. Also NAME=ask, =block or =off.",
)
@click.option(
    "--role",
    metavar="review=MODEL",
    default="",
    help="Have a second reader read accepted answers: a profile or a model.",
)
@click.option(
    "--grader",
    is_flag=True,
    help="Grade recorded answers and end states by today's grader; no gate judges.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List everything, not only changed judgements.",
)
@TRUST
@RUNS_DIR
@AS_JSON
def judge_command(
    names: tuple[str, ...],
    *,
    gates: str,
    rules: tuple[str, ...],
    role: str,
    grader: bool,
    everything: bool,
    is_trusted: bool,
    runs_dir: str | None,
    as_json: bool,
) -> None:
    """Judge the submissions of each RUN by today's gates: which right answers they
    stop, which wrong ones they catch.

    With --role review=MODEL, a model reads each accepted answer as a second reader does
    in a run: the table reports the wrong answers it would have stopped and the right
    ones it would have held up; its last line has the cost.

    RUN may also be a folder of journals. The scripts run again on the recorded results,
    in the isolation of your settings, so that every gate has its evidence; no world and
    no model is needed. Journals stay unchanged.

    With --grader, today's grader grades the recorded answers and end states. This
    requires a benchmark that can rebuild trials, with the version of the worlds that
    RUN played in: the calls that changed something are made again.

    Unreadable journals, and trials that differ from their record, are named on standard
    error and left out; the exit code is then 5.
    """
    if grader and (gates != "all" or rules or role):
        msg = "with --grader no gate judges; leave out --gates, --rule-sets and --role"
        raise UsageError(msg)
    journals = named_journals(names, runs_dir)
    output = JudgementOutput(everything, as_json)
    if grader:
        problems = grade_journals(journals, output, is_trusted=is_trusted)
    else:
        choice = GateChoice(gates, ",".join(rules), is_trusted)
        with second_reader(role) as reader:
            problems = _judge(journals, choice, reader, output)
    if problems:
        raise SystemExit(ReplayDiverged.exit_code)


def _judge(
    journals: Sequence[NamedJournal],
    choice: GateChoice,
    reader: SecondReader | None,
    output: JudgementOutput,
) -> list[str]:
    """Judge the answers that scripts submitted in these journals, and print the judgements.

    Return why some trials or journals are left out.
    """
    submissions: list[Rejudged] = []
    problems: list[str] = []
    ask_reader = reader.ask if reader is not None else None
    with show_status("judging"):
        for named in journals:
            differing: list[ReplayDiverged] = []  # trials that differ from the record
            with (
                left_out_if_faulty(named, problems),
                open_journal(named.path) as journal,
            ):
                gates = choice.settings_for(journal)
                submissions += rejudged(
                    journal, gates, differing.append, ask=ask_reader
                )
                problems += [f"{journal.run}: {error}" for error in differing]
    report_left_out(problems)
    spent = reader.spent if reader is not None else None
    if output.as_json:
        result = judgement_object(submissions, len(journals), spent)
        print(json.dumps(result | {"left_out": problems}))
        return problems
    print_judged(submissions, runs=len(journals), everything=output.everything)
    if spent is not None:
        figures = [f"{value:,} {name}" for name, value in spent.items()]
        say(f"second reader: {', '.join(figures)}")
    return problems
