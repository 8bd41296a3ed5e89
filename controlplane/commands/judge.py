"""`controlplane judge`: judge recorded submissions by today's gates, or recorded answers by today's grader."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean

import click
from rich.text import Text

from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.agent.submission import GateSettings
from controlplane.commands.options import AS_JSON, RUNS_DIR, TRUST, show_status
from controlplane.configuration.recorded_settings import check_own, settings_here
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError, ReplayDiverged, UsageError
from controlplane.journal.journal_lines import newest_first
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.lifecycle.run_resources import (
    RunResources,
    RunSpec,
    gate_policy,
    opened_model,
    rule_set_names,
    rule_sets_here,
)
from controlplane.replay.forking import Rescored, rescored_trials
from controlplane.replay.judged_submissions import Rejudged, rejudged, tallies, verdict_name
from controlplane.run_names import find_journal
from controlplane.terminal_text import count_text, one_line, say, score_style, score_text
from controlplane.view.clean_console import CleanConsole, print_columns


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
    "--all", "everything", is_flag=True, help="List everything, not only changed judgements."
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
    """Judge the submissions of each RUN by today's gates: which right answers they stop, which wrong ones they catch.

    With --role review=MODEL, a model reads each accepted answer as a second reader does in a run: the table reports
    the wrong answers it would have stopped and the right ones it would have held up; its last line has the cost.

    RUN may also be a folder of journals. The scripts run again on the recorded results, in the isolation of your
    settings, so that every gate has its evidence; no world and no model is needed. Journals stay unchanged.

    With --grader, today's grader grades the recorded answers and end states. This requires a benchmark that can rebuild
    trials, with the version of the worlds that RUN played in: the calls that changed something are made again.

    Unreadable journals, and trials that differ from their record, are named on standard error and left out; the exit
    code is then 5.
    """
    if grader and (gates != "all" or rules or role):
        msg = "with --grader no gate judges; leave out --gates, --rule-sets and --role"
        raise UsageError(msg)
    judged: list[Rejudged] = []
    graded: list[Rescored] = []
    problems: list[str] = []
    paths, of_folders = _journals(names, runs_dir)
    with show_status("judging"), _second_reader(role) as reader:
        for path in paths:
            try:
                with open_journal(path) as journal:
                    if grader:
                        check_own(journal, is_trusted=is_trusted)
                        spec = RunSpec(
                            settings_here(journal, {}), rule_sets=journal.opened.rule_sets
                        )
                        with RunResources(spec, works=False) as resources:
                            graded += rescored_trials(journal, resources)
                    else:
                        rule_sets = rule_set_names(
                            ",".join(rules), partial(_rule_sets_of, journal, is_trusted=is_trusted)
                        )
                        settings = GateSettings(
                            gate_policy(gates, ",".join(rules), rule_sets), rule_sets
                        )
                        diverged = list[ReplayDiverged]()
                        judged += rejudged(
                            journal, settings, diverged.append, ask=reader.ask if reader else None
                        )
                        problems += (f"{journal.run}: {error}" for error in diverged)
            except ControlPlaneError as error:
                if path not in of_folders or isinstance(error, UsageError):
                    raise
                problems.append(str(error))
    for problem in problems:
        say(f"controlplane: left out: {one_line(problem)}", err=True)
    if as_json:
        result: dict[str, object] = {
            "runs": len(paths),
            "submissions": [
                {**dataclasses.asdict(submission), "right": submission.is_right}
                for submission in judged
            ],
            "counts": dict(Counter(submission.effect for submission in judged)),
            "gates": [dataclasses.asdict(tally) for tally in tallies(judged)],
            **({"second_reader": reader.spent} if reader else {}),
        }
        if grader:
            before, after = _means(graded)
            result = {
                "before": before,
                "after": after,
                "trials": [dataclasses.asdict(trial) for trial in graded],
            }
        print(json.dumps({**result, "left_out": problems}))
    elif grader:
        _print_graded(graded, runs=len(paths), everything=everything)
    else:
        _print_judged(judged, runs=len(paths), everything=everything)
        if reader:
            say(
                f"second reader: {', '.join(f'{value:,} {name}' for name, value in reader.spent.items())}"
            )
    if problems:
        raise SystemExit(5)


@dataclasses.dataclass(slots=True)
class _Reader:
    """The model of a second reader, and what its requests took."""

    model: Model
    requests: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0

    def ask(self, request: ModelRequest) -> Reply:
        began = time.monotonic()
        reply = self.model.reply_to(request)
        self.requests += 1
        self.seconds += time.monotonic() - began
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
            "seconds": round(self.seconds, 3),
        }


@contextmanager
def _second_reader(role: str) -> Iterator[_Reader | None]:
    """Open the model that `review=MODEL` names; yield None without one. Raises `UsageError`."""
    name, _, model = role.partition("=")
    if not role:
        yield None
        return
    if name != "review" or not model:
        msg = f"--role {role}: give review=MODEL, the profile or the model of a second reader"
        raise UsageError(msg)
    given = resolve({}, os.environ, Path.cwd())
    named: dict[str, object] = (
        {"role": {"review": model}} if model in given.profiles else {"model": model}
    )
    settings = resolve(named, os.environ, Path.cwd()).settings
    own = settings.role["review"] if "role" in named else settings
    with opened_model(own) as reader:
        yield _Reader(reader)


def _rule_sets_of(journal: Journal, *, is_trusted: bool) -> tuple[str, ...]:
    """Return the rule sets of a journal's run. Raises `UsageError` for modules that somebody else's journal names."""
    if rule_sets_here(journal) != journal.opened.rule_sets:
        check_own(journal, is_trusted=is_trusted)
    return journal.opened.rule_sets


def _journals(names: tuple[str, ...], runs_dir: str | None) -> tuple[list[Path], frozenset[Path]]:
    """Return the named journals, each once, and the subset that came from folders. Raises `UsageError`."""
    paths: dict[Path, bool] = {}
    for name in names:
        if not Path(name).is_dir():
            paths[find_journal(name, runs_dir)] = False
            continue
        inside = newest_first(Path(name))
        if not inside:
            msg = f"no journals in {name}"
            raise UsageError(msg)
        for path in inside:
            paths.setdefault(path, True)
    return list(paths), frozenset(path for path, is_inside in paths.items() if is_inside)


def _print_judged(judged: Sequence[Rejudged], *, runs: int, everything: bool) -> None:
    console = CleanConsole(highlight=False)
    shown = [submission for submission in judged if everything or submission.effect != "as before"]
    names_run = slice(0 if runs > 1 else 1, None)
    columns = ("run", "trial", "step", "score", "today")
    rows = []
    for one in shown:
        score = Text(score_text(one.score), style=score_style(one.score))
        effect = Text(
            one.effect, style={"stopped": "red", "let through": "yellow"}.get(one.effect, "")
        )
        row: tuple[object, ...] = (one.run, one.trial_id, one.step, score, effect, _why(one))
        rows.append(row[names_run])
    print_columns(columns[names_run], rows, least={"trial": 16}, right=("step", "score"))
    _, *counts = heads = (
        "gate",
        "stops right",
        "stops wrong",
        "stops unscored",
        "no longer rejects",
    )
    print_columns(heads, [dataclasses.astuple(tally) for tally in tallies(judged)], right=counts)
    console.print(Text(_sums_text(judged, runs)))


def _sums_text(submissions: Sequence[Rejudged], runs: int) -> str:
    trials = len({(submission.run, submission.trial_id) for submission in submissions})
    named = {True: "right", False: "wrong", None: "without a score"}
    parts = []
    for effect in dict.fromkeys(submission.effect for submission in submissions):
        group = Counter(
            submission.is_right for submission in submissions if submission.effect == effect
        )
        shares = ", ".join(
            f"{group[is_right]} {text}" for is_right, text in named.items() if group[is_right]
        )
        parts.append(f"{group.total()} {effect} ({shares})")
    counts = f"{count_text(len(submissions), 'submission')} of {count_text(trials, 'trial')} in {count_text(runs, 'run')}"
    return f"{counts} judged: {', '.join(parts)}"


def _why(submission: Rejudged) -> str:
    if submission.changes:
        return "; ".join(
            f"{verdict_name(one)}: {one.before} → {one.after}" for one in submission.changes
        )
    names = submission.rejected_after or submission.rejected_before
    switched = "on" if submission.effect == "stopped" else "off"
    return "" if submission.effect == "as before" else f"switched {switched}: {'; '.join(names)}"


def _print_graded(trials: Sequence[Rescored], *, runs: int, everything: bool) -> None:
    console = CleanConsole(highlight=False)
    names_run = slice(0 if runs > 1 else 1, None)
    rows = [
        (
            one.run,
            one.trial_id,
            *map(score_text, (one.before, one.after)),
            one.problem or "; ".join(one.details),
        )
        for one in trials
        if everything or one.problem or one.before != one.after
    ]
    heads = ("run", "trial", "before", "after")
    shown = [row[names_run] for row in rows]
    print_columns(heads[names_run], shown, least={"trial": 16}, right=("before", "after"))
    changed = sum(trial.before != trial.after for trial in trials if not trial.problem)
    left = sum(bool(trial.problem) for trial in trials)
    before, after = _means(trials)
    text = f"{count_text(len(trials), 'trial')} graded again, {changed} changed"
    text += f", {left} not graded" if left else ""
    console.print(
        Text(f"{text} · mean score {score_text(before, 3)} before, {score_text(after, 3)} after")
    )


def _means(trials: Sequence[Rescored]) -> tuple[float | None, float | None]:
    before = [trial.before for trial in trials if trial.before is not None]
    after = [trial.after for trial in trials if trial.after is not None]
    return fmean(before) if before else None, fmean(after) if after else None
