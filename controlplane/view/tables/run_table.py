"""Prints the result of a run: a table of its trials, totals, and the commands to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console
from rich.text import Text

from controlplane.configuration.run_names import (
    belongs_to_a_program,
    is_played_here,
    resume_text,
    run_argument,
)
from controlplane.facts.run_facts import RunDetails, RunFacts
from controlplane.facts.trial_facts import Row, TrialFacts
from controlplane.gate_texts import cause_of, gates_and_rules_text
from controlplane.journal.totals.trial_summary import WAITING
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import (
    cost_text,
    count_text,
    metrics_text,
    score_style,
    score_text,
    spent_texts,
    unscored_text,
)
from controlplane.sandbox.interface import bounds, error_codes
from controlplane.score_statistics import PassRates
from controlplane.terminal_text import one_line
from controlplane.view.printed_columns import CleanConsole, fitted, print_columns

# The number of trials that fit on a terminal depends on these numbers.
_LINES_OF_TRIAL: Final = 3
"""The lines of a trial's row. Most reasons take two further lines."""
_OTHER_LINES: Final = 9
"""The lines for the title, column heads, journal, next commands, and the shell's prompt."""
_FEWEST_ROWS: Final = 2
"""The number of trials that are shown even if the terminal is too low for them."""

_TRIAL_COLUMN_CHARS: Final = 32
"""The column of trial names is not made narrower than this, even on a small terminal."""
_SHOWN_NOTICES: Final = 3
"""The number of notices of a run that are shown. The most frequent ones come first."""


def print_run_table(
    run: RunDetails, *, everything: bool = False, is_running: bool = False
) -> None:
    """Print the table of trials, the mean score, the journal's path, and the commands to type next.

    Without `everything`, the table has only the worst of the trials that have started: as many as
    fit on the terminal, or a fixed number in a pipe. `is_running`: another process works on it.
    """
    facts = run.facts
    console = CleanConsole(highlight=False)
    if run.opened:
        console.print(run_title(facts), no_wrap=True, overflow="ellipsis")

    # On a terminal, the table gets the height that the lines below it leave free, so
    # these lines are made first and printed last.
    fits_window = console.is_terminal and not everything
    families = _family_lines(facts)
    if fits_window:
        worst = families[: bounds.SHOWN_EXAMPLES]
        families = [fitted(line, console.width) for line in worst]
    rates = rates_lines(run.pass_rates, run.flickers, run.without_score)
    below = [Text(text) for text in (*_total_lines(facts), *families, *rates)]
    below += _notice_lines(run.notices, shows_all=everything)
    max_rows = bounds.SHOWN_ROWS
    if fits_window:
        wrapped = sum(len(line.wrap(console, console.width)) for line in below)
        free = console.height - wrapped - _OTHER_LINES
        max_rows = max(free // _LINES_OF_TRIAL, _FEWEST_ROWS)

    trials = list(run.worst_first)
    started = [trial for trial in trials if trial.state != WAITING]
    shown = trials if everything else started[:max_rows]
    _print_trials(shown, _trial_arguments(trials))
    if len(shown) < len(trials):
        waiting = len(trials) - len(started)
        console.print(Text(_left_out_text(started[max_rows:], waiting), style="dim"))
    for line in below:
        console.print(line)

    journal = Path(facts.journal)
    console.print(f"journal  {journal}", soft_wrap=True, markup=False)
    commands = _next_commands(run, trials, is_running=is_running)
    if len(shown) < len(trials):
        show_all = invocation("show", run_argument(journal), "--all")
        commands.append(NextCommand(show_all, "shows every trial"))
    print_next_commands(console, commands)


def _print_trials(trials: Iterable[TrialFacts], arguments: Mapping[str, str]) -> None:
    """Print a table of trials. Why the score of a trial is low stands below its row."""
    rows = []
    for trial in trials:
        score = Text(score_text(trial.score), style=score_style(trial.score))
        argument = arguments[trial.trial_id]
        outcome = trial.shown_outcome
        rows.append((argument, score, outcome, trial.steps, trial.time_text, trial.why))
    print_columns(
        ("trial", "score", "outcome", "steps", "time"),
        rows,
        narrowest={"trial": _TRIAL_COLUMN_CHARS},
        right_aligned=("score", "steps", "time"),
    )


def _left_out_text(left_out: Sequence[TrialFacts], waiting: int) -> str:
    """Return a line that counts trials: `12 more trials (3 below 1.00), 5 not started`.

    `left_out` are those that have started and are not in the table. `waiting` is the number
    of those that have not started.
    """
    texts = []
    if left_out:
        text = count_text(len(left_out), "more trial")
        wrong = [each for each in left_out if each.score is not None and each.score < 1]
        texts.append(f"{text} ({len(wrong):,} below 1.00)" if wrong else text)
    if waiting:
        texts.append(f"{waiting:,} not started")
    return ", ".join(texts)


def _notice_lines(notices: Iterable[str], *, shows_all: bool) -> list[Text]:
    """Return the notices of a run: `noticed  the endpoint is slow (12 times)`.

    Unless `shows_all`, only the most frequent ones are named, and the others counted.
    """
    texts = []
    causes = Counter(map(cause_of, notices))
    for cause, count in causes.most_common(None if shows_all else _SHOWN_NOTICES):
        times = f" ({count} times)" if count > 1 else ""
        texts.append(f"{one_line(cause)}{times}")
    left_out = len(causes) - len(texts)
    if left_out:
        texts.append(f"{count_text(left_out, 'more cause')}: show --all")
    return [Text(f"noticed  {text}", style="yellow") for text in texts]


def run_title(run: RunFacts) -> Text:
    """Return the title of a run: `monday · ecom · gpt-5-mini  20261127-191130-ecom-ca93`."""
    player = run.model or run.played
    names = [name for name in (run.name, run.benchmark, player) if name]
    title = Text(one_line(" · ".join(names)), style="bold")
    return title.append(f"  {run.run}", style="not bold dim")


# The lines with a run's totals: scores, spending, families and rejections.


def rejections_text(rejections: Mapping[str, int]) -> str:
    """Return how often each gate and rule rejected an answer; empty without a rejection.

    `sent back by gate 8 (literal tokens) ×12, SET/RULE ×1`
    """
    return f"sent back by {_counted(rejections)}" if rejections else ""


def _counted(counts: Mapping[str, int]) -> str:
    """Return gates and rules with their counts: `gate 8 (literal tokens) ×12, SET/RULE ×1`."""
    return gates_and_rules_text({key: f" ×{count}" for key, count in counts.items()})


def objection_lines(run: RunFacts) -> list[str]:
    """Return the objections that answers were sent over, and what happened to calls held back.

    For example:

        accepted over objections: gate 8 (literal tokens) ×2
        pre-call check held 3 calls; done otherwise (mean score 1.00), 1 call; not done

    In the second line, the model did the same as 3 of the calls in another way, and
    those trials have a mean score of 1.00. One call was not made at all.
    """
    texts = {
        "accepted over objections:": _counted(run.overridden),
        # The benchmark judges calls before they are made, and objected to these.
        "pre-call check held": _held_text(run.stopped_calls),
        # An argument is known only from a text that the model read. Such a text may be an attack.
        "held for values from read text alone:": _held_text(run.held_calls),
    }
    return [f"{label} {text}" for label, text in texts.items() if text]


def _held_text(calls: Mapping[str, Row]) -> str:
    """Return what happened to held calls: `1 call; done otherwise (mean score 1.00)`."""
    texts = []
    for what_next, figures in calls.items():
        text = f"{count_text(figures['calls'], 'call')}; {what_next}"
        if figures["mean_score"] is not None:
            unscored = figures["unscored"]
            without = f", {unscored} without a score" if unscored else ""
            text += f" (mean score {score_text(figures['mean_score'])}{without})"
        texts.append(text)
    return ", ".join(texts)


def _total_lines(run: RunFacts) -> list[str]:
    """Return the lines with totals: score, spending, rejections, and remarks on the score."""
    groups = (_score_texts(run), run.spent_texts, _cost_texts(run), _role_texts(run))
    lines = [" · ".join(figures) for figures in groups]
    lines += [rejections_text(run.rejections), *objection_lines(run), run.remark]
    return [line for line in lines if line]


def _score_texts(run: RunFacts) -> list[str]:
    """Return the mean score, the graders' other figures, and the number of trials that went wrong.

    `mean score 0.850 over 18 of 20 trials`, `2 failed to start`
    """
    texts = [_mean_score_text(run)]
    if run.unscored:
        texts.append(unscored_text(run.unscored))
    if run.metrics:
        texts.append(metrics_text(run.metrics))

    # The product sent an answer in place of the solver.
    if run.trials_fallback:
        texts.append(f"{run.trials_fallback} ended by the fallback")
    if run.trials_not_started:
        texts.append(f"{run.trials_not_started} failed to start")
    if run.trials_left and run.submitted:
        texts.append(f"{run.trials_left} cut off")
    elif run.trials_left and run.mean_score is not None:
        texts.append(f"{run.trials_left} unfinished")
    return texts


def _mean_score_text(run: RunFacts) -> str:
    """Return the mean score: `mean score 0.850 over 38 of 40 trials`, or why there is none."""
    if not run.trials_total:
        return "the run has no trials"
    trials = count_text(run.trials_total, "trial")
    if run.mean_score is None:
        scores = "no score" if run.unscored else "no scores yet"
        return f"{run.trials_over} of {trials} over, {scores}"
    text = f"mean score {run.mean_text} over {run.trials_scored} of {trials}"
    if run.tries_differ:
        text += ", each task weighing the same"
    if run.parts:
        text += f", {run.parts}"
    return text


def _cost_texts(run: RunFacts) -> list[str]:
    """Return texts on costs, as far as they are known: `$0.02 a trial`, `$0.03 a right answer`.

    The last one is the share of request tokens that the provider had cached.
    """
    texts = []
    if run.unpriced_replies and run.known_cost_usd:
        known = cost_text(run.known_cost_usd)
        texts.append(f"{known} plus {run.unpriced_replies} replies of unknown price")
    if run.cost_per_trial_usd:
        texts.append(f"{cost_text(run.cost_per_trial_usd)} a trial")
    if run.cost_per_right_usd:
        texts.append(f"{cost_text(run.cost_per_right_usd)} a right answer")
    if run.cached_share:
        texts.append(
            f"{run.cached_share:.0%} of request tokens from the provider's cache"
        )
    return texts


def _role_texts(run: RunFacts) -> list[str]:
    """Return the tokens and cost of each role (a kind of request): `review: 12 replies, 9,000 tokens`.

    The list is empty if all replies have the same role.
    """
    if len(run.roles) < 2:
        return []
    texts = []
    # Roles with the most tokens come first.
    for role, spent in sorted(run.roles.items(), key=lambda role: -role[1]["tokens"]):
        is_estimated = role in run.estimated_roles
        figures = [count_text(spent["replies"], "reply")]
        figures += spent_texts(
            spent["tokens"], spent["cost_usd"], is_estimated=is_estimated
        )
        texts.append(f"{role}: {', '.join(figures)}")
    return texts


def _family_lines(run: RunFacts) -> list[str]:
    """Return a line for each mean score, the lowest first, with the families that have it.

    `0.50  letters ×4, sums`: both families have a mean score of 0.50, and `letters` has
    four trials. The list is empty if there is only one family, or if each family has
    one trial: then the table of trials already shows the scores.
    """
    has_one_trial_each = len(run.family_scores) == run.trials_total
    if len(run.family_scores) < 2 or has_one_trial_each:
        return []
    by_score: dict[str, list[str]] = {}
    for family in run.family_scores:
        if family.mean is not None:
            times = f" ×{family.scored}" if family.scored > 1 else ""
            without = f" ({family.unscored} without a score)" if family.unscored else ""
            name = f"{one_line(family.name)}{times}{without}"
            by_score.setdefault(score_text(family.mean), []).append(name)
    return [f"{score}  {', '.join(names)}" for score, names in by_score.items()]


def rates_lines(
    rates: Sequence[PassRates], flickers: Sequence[str], missing: Sequence[str] = ()
) -> list[str]:
    """Return the pass rates of tasks with several tries, one line for each number k of tries.

    pass@k is the chance that at least one of k tries passes; pass^k is the chance that
    all k pass. A last line names the tasks whose tries differ (`flickers`). `missing`
    names the tasks without a score, which the rates leave out.
    """
    if not rates:
        return []
    without = f"  without {listed(missing)}, which had no score" if missing else ""
    lines = [
        f"pass@{rate.k} {rate.at_least_one}  pass^{rate.k} {rate.every_one}{without}"
        for rate in rates
    ]
    differ = f"tries differ: {listed(flickers, max_names=12)}"
    agree = "the tries of each task agree: all passed, or all failed"
    return [*lines, differ if flickers else agree]


def listed(names: Iterable[str], max_names: int = 6) -> str:
    """Return the first names of a list, and the number of the other names: `a, b and 4 more`."""
    all_names = [one_line(name) for name in names]
    shown = ", ".join(all_names[:max_names])
    more = len(all_names) - max_names
    return f"{shown} and {more} more" if more > 0 else shown


# The commands to suggest after a run, each with its purpose. The most useful one comes first.


class NextCommand(NamedTuple):
    """A command to suggest, with its purpose."""

    line: str
    purpose: str


def print_next_commands(console: Console, commands: Sequence[NextCommand]) -> None:
    """Print the commands to type next, one per line, each with its purpose if the line has room."""
    longest = max((len(command.line) for command in commands), default=0)
    label = "next     "
    for command in commands:
        line = Text(label).append(command.line, style="bold")
        purpose = f"  # {command.purpose}".rjust(
            longest - len(command.line) + len(command.purpose) + 4
        )
        if line.cell_len + len(purpose) <= console.width:
            line.append(purpose, style="dim")
        console.print(line, soft_wrap=True)
        label = " " * len(label)  # Only the first line has the label.


def _next_commands(
    run: RunDetails, worst_first: Sequence[TrialFacts], *, is_running: bool = False
) -> list[NextCommand]:
    """Return the commands to suggest after a run with these trials.

    `is_running` is true if another process works on the run.
    """
    facts = run.facts
    name = run_argument(Path(facts.journal))
    commands = []
    if is_running:
        commands.append(NextCommand(invocation("show", name, "--follow"), "follows it"))
    elif facts.run_id and not facts.submitted:
        commands += _commands_to_finish(facts)
    elif facts.submitted and facts.state != "evaluated":
        commands.append(NextCommand(invocation("poll", name), "asks for the scores"))

    parent = run.opened.parent if run.opened is not None else None
    if parent is not None and parent.how == "rerun":
        compare = invocation("compare", parent.run, f"{parent.run}+{name}")
        # `RUN+RERUN` is the first run with the trials of the second in place of its own.
        commands.append(NextCommand(compare, "replaces their trials by these"))

    for trial in worst_first:
        if trial.steps:  # There is something to look at.
            # If even the worst trial is right, all are.
            which = "a trial" if trial.has_full_score else "the worst trial"
            argument = _trial_arguments(worst_first)[trial.trial_id]
            replay = invocation("replay", name, "--trial", argument)
            commands.append(NextCommand(replay, f"walks through {which}"))
            break
    return commands


def _commands_to_finish(facts: RunFacts) -> list[NextCommand]:
    """Return the commands that finish a run which was not submitted.

    The first line that fits counts:

    | state of the run | commands |
    |---|---|
    | its tasks are in a Python program | `controlplane.run(TASKS, resume=...)` |
    | some trials are unfinished | `resume RUN`, and `submit RUN --force` at a platform |
    | the benchmark refused it, as trials are open there | `submit RUN --force` |
    | some trials could not start | `resume RUN` |
    | all trials have ended | `submit RUN` |
    """
    journal = Path(facts.journal)
    name = run_argument(journal)
    resume = resume_text(journal, facts.benchmark, _higher_limit(facts.error))
    submit_anyway = invocation("submit", name, "--force")

    if belongs_to_a_program(facts.benchmark):
        purpose = "finishes it, in the Python program that has its tasks"
        return [NextCommand(resume, purpose)]
    if facts.trials_left:
        continues = f"continues the {facts.trials_left} unfinished trials"
        commands = [NextCommand(resume, continues)]
        if not is_played_here(facts.benchmark):
            as_it_is = "submits it as it is; open trials score 0"
            commands.append(NextCommand(submit_anyway, as_it_is))
        return commands

    # A benchmark that refuses a run with open trials does so by an error with this code.
    if error_codes.FAILED_PRECONDITION in facts.error:
        return [NextCommand(submit_anyway, "submits it; trials open there score 0")]
    if facts.trials_not_started:
        retry = resume_text(journal, facts.benchmark)
        return [NextCommand(retry, "retries what could not start, and submits it")]
    return [NextCommand(invocation("submit", name), "submits it")]


_LIMITS_OF_RUN = ("--run-cost", "--run-time", "--run-tokens")
"""Limits at which a run stops. Its error then ends with the command that continues it
(`_used_up_text` in `lifecycle.unfinished_run`)."""


def _higher_limit(error: str) -> tuple[str, ...]:
    """Return the higher limit that a run's error recommends, as an option and a value.

    A run that has reached a limit needs a higher one, or it would end again at once.
    Its error ends with one of these texts, and both give ("--run-cost", "4"):

    - `controlplane resume 7b1c --run-cost 4`
    - `controlplane.run(TASKS, resume='7b1c.jsonl', run_cost=4)`

    The journal keeps only this text, so the limit is read from its end. Any other error
    gives an empty tuple.
    """
    words = error.split(" ")
    if len(words) < 2:
        return ()

    last_word = words[-1]
    is_python_call = last_word.endswith(")")
    if is_python_call:  # `run_cost=4)`
        argument, _, value = last_word.removesuffix(")").partition("=")
        option = f"--{argument.replace('_', '-')}"
    else:  # `--run-cost 4`
        option = words[-2]
        value = last_word

    if option in _LIMITS_OF_RUN and value[:1].isdecimal():
        return (option, value)
    return ()


def _trial_arguments(trials: Sequence[TrialFacts]) -> dict[str, str]:
    """Return the `--trial` argument of each trial, by trial id.

    It is the task's id if the task has only one trial, else the trial's id.
    """
    trials_of_task = Counter(trial.task_id for trial in trials)
    arguments = {}
    for trial in trials:
        is_only_trial = trials_of_task[trial.task_id] == 1
        argument = trial.task_id if trial.task_id and is_only_trial else trial.trial_id
        arguments[trial.trial_id] = argument
    return arguments
