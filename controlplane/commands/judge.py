"""`controlplane judge`: judges recorded answers again.

The current gates judge submissions, or the current grader grades answers.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.agent.trial_gates import GateSettings
from controlplane.commands.arguments.options import (
    AS_JSON,
    RUNS_DIR,
    TRUST,
    show_status,
)
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.recorded_settings import check_own, settings_here
from controlplane.configuration.run_names import find_journal
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError, ReplayDiverged, UsageError
from controlplane.journal.journal_files import newest_first
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.lifecycle.resources.gate_policies import (
    gate_policy,
    rule_set_names,
    rule_sets_here,
)
from controlplane.lifecycle.resources.models import opened_model
from controlplane.lifecycle.resources.run_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.replay.judged_submissions import Rejudged, rejudged, tallies
from controlplane.replay.regrading import Rescored, rescored_trials
from controlplane.terminal_text import one_line, say
from controlplane.view.answer.value_trace import value_trace
from controlplane.view.tables.judgement_table import (
    MeanScores,
    print_graded,
    print_judged,
)

# The journals that the user names, one by one or by their folder.


def _named_journals(names: tuple[str, ...], runs_dir: str | None) -> dict[Path, bool]:
    """Return the named journals, each once, with True for those of a folder that the user named.

    If such a journal is faulty, the others still count. Raises `UsageError`.
    """
    journals: dict[Path, bool] = {}
    for name in names:
        if not Path(name).is_dir():
            journals[find_journal(name, runs_dir)] = False
            continue
        paths = newest_first(Path(name))
        if not paths:
            msg = f"no journals in {name}"
            raise UsageError(msg)
        for path in paths:
            journals.setdefault(path, True)
    return journals


def _look_into(
    journals: Mapping[Path, bool],
    status: str,
    look: Callable[[Journal, list[str]], None],
) -> list[str]:
    """Call `look` with each journal, and return why journals or trials are left out: one text for each.

    It may add texts to the list that it gets. A faulty journal of a folder is left out. If the user
    named the journal itself, its error is raised. So is `UsageError`, because the user has to change
    the command.
    """
    problems: list[str] = []
    with show_status(status):
        for path, is_of_folder in journals.items():
            try:
                with open_journal(path) as journal:
                    look(journal, problems)
            except ControlPlaneError as error:
                if isinstance(error, UsageError) or not is_of_folder:
                    raise
                problems.append(str(error))
    for problem in problems:
        say(f"controlplane: left out: {one_line(problem)}", err=True)
    return problems


# The second reader of `judge`: a model that reads the answers that the gates accept.
#
# It may find a mistake that no gate finds. The user names it by `--role review=MODEL`.


class _SecondReader:
    """A model that reads accepted answers again, with the tokens, cost and time of its requests."""

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
        """Requests, tokens, known cost in US dollars, and seconds, by the names of `--json`."""
        return {
            "requests": self.requests,
            "tokens": self.tokens,
            "usd": round(self.cost_usd, 6),
            "seconds": round(self.elapsed_s, 3),
        }


@contextmanager
def _second_reader(role_option: str) -> Iterator[_SecondReader | None]:
    """Open the model that `review=MODEL` names; yield None without one. Raises `UsageError`."""
    if not role_option:
        yield None
        return
    role_name, _, model = role_option.partition("=")
    if role_name != "review" or not model:
        msg = f"--role {role_option}: give review=MODEL, the profile or the model of a second reader"
        raise UsageError(msg)
    with opened_model(_reader_settings(model)) as opened:
        yield _SecondReader(opened)


def _reader_settings(model: str) -> ModelSettings:
    """Return the settings for requests to a profile of controlplane.toml, or to a model's id."""
    folder = Path.cwd()
    # Only a first reading of the configuration shows whether it has a profile of this name.
    if model in resolve({}, os.environ, folder).profiles:
        flags = {"role": {"review": model}}
        return resolve(flags, os.environ, folder).settings.role["review"]
    return resolve({"model": model}, os.environ, folder).settings


# Grades the answers of recorded trials by today's grader, for `judge --grader`.
#
# After a change of a benchmark's grader, this tells which scores would be others. No trial is played: the
# worlds are rebuilt by the calls that the trials recorded.


def _grade_journals(
    journals: Mapping[Path, bool], *, is_trusted: bool, everything: bool, as_json: bool
) -> list[str]:
    """Grade the trials of these journals, and print the old and the new scores.

    Returns why trials or journals are left out, such as an unreadable journal: one text for each.
    """
    trials: list[Rescored] = []

    def grade(journal: Journal, problems: list[str]) -> None:
        # Grading imports the benchmark that the journal names, which may be any
        # code. So the journal has to be the user's own, or trusted.
        check_own(journal, is_trusted=is_trusted)
        settings = settings_here(journal, flags={})
        spec = RunSpec(settings, rule_sets=journal.opened.rule_sets)
        with open_resources(spec, plays_trials=False) as resources:
            # No trial is played: they are rebuilt.
            trials.extend(rescored_trials(journal, resources))

    problems = _look_into(journals, "grading", grade)
    if as_json:
        result: dict[str, object] = asdict(MeanScores.of(trials))
        result["trials"] = [asdict(trial) for trial in trials]
        result["left_out"] = problems
        print(json.dumps(result))
    else:
        print_graded(trials, runs=len(journals), everything=everything)
    return problems


def _explain_value(
    journals: Mapping[Path, bool], value: str, *, as_json: bool
) -> list[str]:
    """Print how a value was judged in each trial of these journals, in a few lines for each.

    Returns why journals are left out.
    """
    traces: dict[str, list[str]] = {}

    def trace(journal: Journal, problems: list[str]) -> None:
        for trial_id, trial in journal.trials.items():
            lines = value_trace(trial.record, trial.summary, value)
            traces[f"{journal.run} {trial_id}"] = lines

    problems = _look_into(journals, "reading the journals", trace)
    if as_json:
        print(json.dumps({"why": traces, "left_out": problems}))
        return problems
    for place, lines in traces.items():
        say("\n  ".join([one_line(place), *lines]))
    return problems


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
    "--why",
    default="",
    metavar="VALUE",
    help="Say how VALUE was judged in each trial: where it was found, cited, or from; no gate judges.",
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
    why: str,
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
    if why:
        problems = _explain_value(journals, why, as_json=as_json)
    elif grader:
        problems = _grade_journals(
            journals, is_trusted=is_trusted, everything=everything, as_json=as_json
        )
    else:

        def gates_for(journal: Journal) -> GateSettings:
            return _gates_for(journal, gates, ",".join(rules), is_trusted=is_trusted)

        with _second_reader(role) as reader:
            problems = _judge(
                journals, gates_for, reader, everything=everything, as_json=as_json
            )
    if problems:
        raise SystemExit(ReplayDiverged.exit_code)


def _gates_for(
    journal: Journal, gates: str, rules: str, *, is_trusted: bool
) -> GateSettings:
    """Return the gates and rules that judge the answers of a run. Raises `UsageError`.

    `gates` and `rules` are the values of `--gates` and `--rule-sets`. If the latter names no rule
    set, those of the run are used. A rule set is code that is imported: that of another user's
    journal is, if it is the product's own, or if the user accepts the journal (`is_trusted`).
    """

    def rule_sets_of_run() -> tuple[str, ...]:
        recorded = journal.opened.rule_sets
        may_be_imported = rule_sets_here(journal)
        if may_be_imported != recorded:
            check_own(journal, is_trusted=is_trusted)
        return recorded

    names = rule_set_names(rules, rule_sets_of_run)
    # `--rule-sets` may also say how rules are enforced: `desk=off`.
    return GateSettings(gate_policy(gates, rules, names), names)


def _judge(
    journals: Mapping[Path, bool],
    gates_for: Callable[[Journal], GateSettings],
    reader: _SecondReader | None,
    *,
    everything: bool,
    as_json: bool,
) -> list[str]:
    """Judge the answers that scripts submitted in these journals, and print the judgements.

    Return why some trials or journals are left out.
    """
    submissions: list[Rejudged] = []
    ask_reader = reader.ask if reader is not None else None

    def judge(journal: Journal, problems: list[str]) -> None:
        differing: list[ReplayDiverged] = []  # trials that differ from the record
        submissions.extend(
            rejudged(journal, gates_for(journal), differing.append, ask=ask_reader)
        )
        problems += [f"{journal.run}: {error}" for error in differing]

    problems = _look_into(journals, "judging", judge)
    spent = reader.spent if reader is not None else None
    if as_json:
        rows = [asdict(item) | {"right": item.is_right} for item in submissions]
        result: dict[str, object] = {
            "runs": len(journals),
            "submissions": rows,
            "counts": Counter(submission.effect for submission in submissions),
            "gates": [asdict(tally) for tally in tallies(submissions)],
        }
        if spent is not None:
            result["second_reader"] = spent
        print(json.dumps(result | {"left_out": problems}))
        return problems
    print_judged(submissions, runs=len(journals), everything=everything)
    if spent is not None:
        figures = [f"{value:,} {name}" for name, value in spent.items()]
        say(f"second reader: {', '.join(figures)}")
    return problems
