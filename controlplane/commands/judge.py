"""`controlplane judge`: judges recorded answers again.

The current gates judge submissions, or the current grader grades answers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import click

from controlplane.agent.submission import GateSettings
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
from controlplane.configuration.recorded_settings import check_own, settings_here
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.lifecycle.resources.gate_policies import gate_policy
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.rule_set_choice import (
    rule_set_names,
    rule_sets_here,
)
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.replay.gate_tallies import tallies
from controlplane.replay.judged_submissions import rejudged
from controlplane.replay.judgement_comparison import Rejudged
from controlplane.replay.regrading import Rescored, rescored_trials
from controlplane.terminal_text import one_line, say
from controlplane.view.tables.grading_table import MeanScores, print_graded
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
    output = _Output(everything, as_json)
    if grader:
        problems = _grade(journals, output, is_trusted=is_trusted)
    else:
        choice = _GateChoice(gates, ",".join(rules), is_trusted)
        with second_reader(role) as reader:
            problems = _judge(journals, choice, reader, output)
    if problems:
        raise SystemExit(ReplayDiverged.exit_code)


@dataclass(frozen=True, slots=True)
class _Output:
    """How judgements are printed."""

    everything: bool
    as_json: bool


def _report(problems: Sequence[str]) -> None:
    """Print what was left out, and why."""
    for problem in problems:
        say(f"controlplane: left out: {one_line(problem)}", err=True)


# --- Judging by today's grader ---


def _grade(
    journals: Sequence[NamedJournal], output: _Output, *, is_trusted: bool
) -> list[str]:
    """Grade and print the trials of these journals; return why some are left out."""
    trials: list[Rescored] = []
    problems: list[str] = []
    with show_status("grading"):
        for named in journals:
            with (
                left_out_if_faulty(named, problems),
                open_journal(named.path) as journal,
            ):
                # Grading imports the benchmark that the journal names, which may be any
                # code. So the journal has to be the user's own, or trusted.
                check_own(journal, is_trusted=is_trusted)
                trials += _graded(journal)
    _report(problems)
    if output.as_json:
        result: dict[str, object] = asdict(MeanScores.of(trials))
        result["trials"] = [asdict(trial) for trial in trials]
        result["left_out"] = problems
        print(json.dumps(result))
    else:
        print_graded(trials, runs=len(journals), everything=output.everything)
    return problems


def _graded(journal: Journal) -> list[Rescored]:
    """Rebuild and grade the trials of a journal. No trial is played."""
    settings = settings_here(journal, flags={})
    spec = RunSpec(settings, rule_sets=journal.opened.rule_sets)
    with open_resources(spec, plays_trials=False) as resources:
        return list(rescored_trials(journal, resources))


# --- Judging by today's gates ---


@dataclass(frozen=True, slots=True)
class _GateChoice:
    """The gates and rules that the user chose."""

    gates: str
    """The value of `--gates`."""
    rule_sets: str
    """The values of `--rule-sets`, separated by commas: `ecom,desk=off`.

    If it names no rule set, those of each run are used.
    """
    is_trusted: bool

    def settings_for(self, journal: Journal) -> GateSettings:
        """Return the gates and rules for a run. Raises `UsageError`."""

        def rule_sets_of_run() -> tuple[str, ...]:
            return self._recorded_rule_sets(journal)

        names = rule_set_names(self.rule_sets, rule_sets_of_run)
        # `--rule-sets` may also say how rules are enforced: `desk=off`.
        policy = gate_policy(self.gates, self.rule_sets, names)
        return GateSettings(policy, names)

    def _recorded_rule_sets(self, journal: Journal) -> tuple[str, ...]:
        """Return the rule sets that a run had.

        A rule set is code that is imported. So if another user's journal names one that
        is not the product's, this raises `UsageError`.
        """
        recorded = journal.opened.rule_sets
        trusted = rule_sets_here(journal)  # of another user's run, only the product's
        if trusted != recorded:
            check_own(journal, is_trusted=self.is_trusted)
        return recorded


def _judge(
    journals: Sequence[NamedJournal],
    choice: _GateChoice,
    reader: SecondReader | None,
    output: _Output,
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
    _report(problems)
    spent = reader.spent if reader is not None else None
    if output.as_json:
        result = _judgement_object(submissions, len(journals), spent)
        print(json.dumps(result | {"left_out": problems}))
        return problems
    print_judged(submissions, runs=len(journals), everything=output.everything)
    if spent is not None:
        figures = [f"{value:,} {name}" for name, value in spent.items()]
        say(f"second reader: {', '.join(figures)}")
    return problems


def _judgement_object(
    submissions: Sequence[Rejudged], runs: int, spent: Mapping[str, float] | None
) -> dict[str, object]:
    result: dict[str, object] = {
        "runs": runs,
        "submissions": [_submission_object(submission) for submission in submissions],
        "counts": Counter(submission.effect for submission in submissions),
        "gates": [asdict(tally) for tally in tallies(submissions)],
    }
    if spent is not None:
        result["second_reader"] = spent
    return result


def _submission_object(submission: Rejudged) -> dict[str, object]:
    result = asdict(submission)
    result["right"] = submission.is_right
    return result
