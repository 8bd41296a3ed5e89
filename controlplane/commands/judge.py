"""`controlplane judge`: judge recorded submissions by today's gates, or recorded
answers by today's grader."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.agent.submission import GateSettings
from controlplane.commands.options import AS_JSON, RUNS_DIR, TRUST, show_status
from controlplane.configuration.recorded_settings import check_own, settings_here
from controlplane.configuration.run_settings import ModelSettings
from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.errors import ControlPlaneError, ReplayDiverged, UsageError
from controlplane.journal.journal_files import newest_first
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.lifecycle.gate_policies import (
    gate_policy,
    rule_set_names,
    rule_sets_here,
)
from controlplane.lifecycle.run_models import opened_model
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.run_spec import RunSpec
from controlplane.replay.judged_submissions import Rejudged, rejudged, tallies
from controlplane.replay.regrading import Rescored, rescored_trials
from controlplane.run_names import find_journal
from controlplane.terminal_text import one_line, say
from controlplane.view.judgement_table import MeanScores, print_graded, print_judged


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
    journals = _named_journals(names, runs_dir)
    if grader:
        problems = _grade(
            journals, everything=everything, is_trusted=is_trusted, as_json=as_json
        )
    else:
        choice = _GateChoice(gates, ",".join(rules), is_trusted)
        with _second_reader(role) as reader:
            problems = _judge(
                journals, choice, reader, everything=everything, as_json=as_json
            )
    if problems:
        raise SystemExit(ReplayDiverged.exit_code)


# --- The journals ---


@dataclass(frozen=True, slots=True)
class _NamedJournal:
    path: Path
    is_of_folder: bool
    """True if the user named its folder. A fault of such a journal does not stop the
    rest."""


def _named_journals(
    names: tuple[str, ...], runs_dir: str | None
) -> list[_NamedJournal]:
    """Return the named journals, each once. Raises `UsageError`."""
    journals: dict[Path, _NamedJournal] = {}
    for name in names:
        if not Path(name).is_dir():
            path = find_journal(name, runs_dir)
            journals[path] = _NamedJournal(path, is_of_folder=False)
            continue
        paths = newest_first(Path(name))
        if not paths:
            msg = f"no journals in {name}"
            raise UsageError(msg)
        for path in paths:
            journals.setdefault(path, _NamedJournal(path, is_of_folder=True))
    return list(journals.values())


@contextmanager
def _left_out_if_faulty(journal: _NamedJournal, problems: list[str]) -> Iterator[None]:
    """Leave out a faulty journal that was found in a folder, and add its fault to
    `problems`.

    Two kinds of errors are raised nevertheless: those of a journal that the user named
    itself, and `UsageError`, because the user has to change the command.
    """
    try:
        yield
    except ControlPlaneError as error:
        if isinstance(error, UsageError) or not journal.is_of_folder:
            raise
        problems.append(str(error))


def _report(problems: Sequence[str]) -> None:
    """Print what was left out, and why."""
    for problem in problems:
        say(f"controlplane: left out: {one_line(problem)}", err=True)


# --- Judging by today's grader ---


def _grade(
    journals: Sequence[_NamedJournal],
    *,
    everything: bool,
    is_trusted: bool,
    as_json: bool,
) -> list[str]:
    """Grade and print the trials of these journals; return why some are left out."""
    trials: list[Rescored] = []
    problems: list[str] = []
    with show_status("grading"):
        for named in journals:
            with (
                _left_out_if_faulty(named, problems),
                open_journal(named.path) as journal,
            ):
                # Grading opens the benchmark that the journal names, which may be any
                # code.
                check_own(journal, is_trusted=is_trusted)
                settings = settings_here(journal, flags={})
                spec = RunSpec(settings, rule_sets=journal.opened.rule_sets)
                # No trial is played here: the recorded ones are only rebuilt.
                with RunResources(spec, works=False) as resources:
                    trials += rescored_trials(journal, resources)
    _report(problems)
    if as_json:
        result: dict[str, object] = asdict(MeanScores.of(trials))
        result["trials"] = [asdict(trial) for trial in trials]
        result["left_out"] = problems
        print(json.dumps(result))
    else:
        print_graded(trials, runs=len(journals), everything=everything)
    return problems


# --- Judging by today's gates ---


@dataclass(frozen=True, slots=True)
class _GateChoice:
    """The gates and rules that the user chose."""

    gates: str
    """The value of `--gates`."""
    rules: str
    """The values of `--rule-sets`, separated by commas; empty for the rule sets of each
    run."""
    is_trusted: bool

    def settings_for(self, journal: Journal) -> GateSettings:
        """Return the gates and rules for a run. Raises `UsageError`."""

        def rule_sets_of_run() -> tuple[str, ...]:
            return self._recorded_rule_sets(journal)

        rule_sets = rule_set_names(self.rules, rule_sets_of_run)
        return GateSettings(gate_policy(self.gates, self.rules, rule_sets), rule_sets)

    def _recorded_rule_sets(self, journal: Journal) -> tuple[str, ...]:
        """Return the rule sets that a run had.

        Raises `UsageError` if somebody else's journal names one that is not the
        product's: a rule set is code, and it would be imported.
        """
        recorded = journal.opened.rule_sets
        may_all_be_imported = rule_sets_here(journal) == recorded
        if not may_all_be_imported:
            check_own(journal, is_trusted=self.is_trusted)
        return recorded


def _judge(
    journals: Sequence[_NamedJournal],
    choice: _GateChoice,
    reader: _SecondReader | None,
    *,
    everything: bool,
    as_json: bool,
) -> list[str]:
    """Judge the answers that scripts submitted in these journals, and print the
    judgements.

    Return why some trials or journals are left out.
    """
    submissions: list[Rejudged] = []
    problems: list[str] = []
    ask_reader = reader.ask if reader is not None else None
    with show_status("judging"):
        for named in journals:
            differing_trials: list[
                ReplayDiverged
            ] = []  # Run again, they differ from the record.
            with (
                _left_out_if_faulty(named, problems),
                open_journal(named.path) as journal,
            ):
                gates = choice.settings_for(journal)
                submissions += rejudged(
                    journal, gates, differing_trials.append, ask=ask_reader
                )
                problems += [f"{journal.run}: {error}" for error in differing_trials]
    _report(problems)

    if as_json:
        result: dict[str, object] = {
            "runs": len(journals),
            "submissions": [
                _submission_object(submission) for submission in submissions
            ],
            "counts": Counter(submission.effect for submission in submissions),
            "gates": [asdict(tally) for tally in tallies(submissions)],
        }
        if reader is not None:
            result["second_reader"] = reader.spent
        result["left_out"] = problems
        print(json.dumps(result))
        return problems

    print_judged(submissions, runs=len(journals), everything=everything)
    if reader is not None:
        figures = [f"{value:,} {name}" for name, value in reader.spent.items()]
        say(f"second reader: {', '.join(figures)}")
    return problems


def _submission_object(submission: Rejudged) -> dict[str, object]:
    result = asdict(submission)
    result["right"] = submission.is_right
    return result


# --- The second reader ---


class _SecondReader:
    """A model that reads accepted answers again, with the tokens, cost and time of its
    requests."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.requests = 0
        self.tokens = 0
        self.cost_usd = 0.0
        self.elapsed_s = 0.0

    def ask(self, request: ModelRequest) -> Reply:
        """Send a request to the model, and add what it took to the sums."""
        started_s = time.monotonic()
        reply = self.model.reply_to(request)
        self.elapsed_s += time.monotonic() - started_s
        self.requests += 1
        self.tokens += reply.usage.prompt_tokens + reply.usage.completion_tokens
        self.cost_usd += reply.cost_usd or 0.0
        return reply

    @property
    def spent(self) -> dict[str, float]:
        """Requests, tokens, cost in US dollars as far as it is known, and seconds."""
        return {
            "requests": self.requests,
            "tokens": self.tokens,
            "usd": round(self.cost_usd, 6),
            "seconds": round(self.elapsed_s, 3),
        }


@contextmanager
def _second_reader(role: str) -> Iterator[_SecondReader | None]:
    """Open the model that `review=MODEL` names; yield None without one. Raises
    `UsageError`."""
    if not role:
        yield None
        return
    role_name, _, model = role.partition("=")
    if role_name != "review" or not model:
        msg = f"--role {role}: give review=MODEL, the profile or the model of a second reader"
        raise UsageError(msg)
    with opened_model(_reader_settings(model)) as opened:
        yield _SecondReader(opened)


def _reader_settings(model: str) -> ModelSettings:
    """Return the settings for requests to a profile of controlplane.toml, or to a
    model's id."""

    def resolved(flags: Mapping[str, object]) -> Resolved:
        return resolve(flags, os.environ, Path.cwd())

    if model in resolved({}).profiles:
        return resolved({"role": {"review": model}}).settings.role["review"]
    return resolved({"model": model}).settings
