"""`python -m benchmarks.ecom.audit`: prints what answers earn that solve nothing, and fails if one earns too much.

It plays constants, the words of requests alone, answers with one cheap fault, and the rule-based player.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import Final

from benchmarks.ecom.player import rule_of
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED, Task
from benchmarks.ecom.world.generator import PLAYED, PROFILES, WorldSettings
from benchmarks.ecom.world.pages import RULES, SECURITY
from benchmarks.local.local_benchmark import GivenAnswer as Given

NAMED: Final = re.compile(r"\b[A-Za-z]+(?:[-_][A-Za-z0-9]+)+\b|/[\w./-]*\w")
Player = Callable[[Task, EcomEnvironment], Given | None]
"""Acts on a trial's environment and returns the answer, or None if its idea does not apply to the task."""


def named_records(task: Task) -> tuple[str, ...]:
    """Return the paths of all files whose name, or the branch whose name, the request holds."""
    said = {each.casefold() for each in NAMED.findall(task.instruction)}
    files = [path for path in task.world.workspace().files if path.rsplit("/", 1)[1].split(".")[0].casefold() in said]
    uploads = [path for path in task.world.files if path in task.instruction]
    stores = [task.world.path(store) for store in task.world.stores.values() if store.name in task.instruction]
    return tuple(dict.fromkeys([*files, *uploads, *stores]))


def _constant(word: Callable[[Task], str], task: Task, environment: EcomEnvironment) -> Given:
    return Given(word(task), OK, named_records(task))


def _denial(task: Task, environment: EcomEnvironment) -> Given:
    return Given("That is not allowed.", DENIED, (task.world.names.documents[SECURITY],))


def by_words(task: Task, environment: EcomEnvironment) -> Given:
    """Answer by the words of the request and by who is signed in, without a look at any record."""
    rule, is_staff = rule_of(task.instruction), "employee" in task.world.roles
    if rule == "block" or (rule in ("contact", "discount") and not is_staff) or "guest" in task.world.roles:
        return _denial(task, environment)
    if rule in ("basket", "owned", "discount"):
        return Given("This cannot be done.", UNSUPPORTED, named_records(task))
    if rule == "other_system":
        return Given("There is no such system here.", UNSUPPORTED, (task.world.names.documents[RULES],))
    return Given(task.world.policy.no, OK, named_records(task))


BLIND: Final[Mapping[str, tuple[Player, float]]] = {
    "nothing": (lambda task, environment: Given("", OK, ()), 0.0),
    "yes": (partial(_constant, lambda task: task.world.policy.yes), 0.05),
    "no": (partial(_constant, lambda task: task.world.policy.no), 0.05),
    "0": (partial(_constant, lambda task: "0"), 0.05),
    "1": (partial(_constant, lambda task: "1"), 0.05),
    "deny, bare": (lambda task, environment: Given("That is not allowed.", DENIED, ()), 0.0),
    "deny, policy": (_denial, 0.22),
    "the request's words": (by_words, 0.3),
}
"""Players that read no record, each with the most that it may earn on average in a default run."""


def solved(task: Task, environment: EcomEnvironment) -> Given:
    """Make the changes of a task's truth, and return its answer."""
    truth = task.truth
    for tool, *arguments in truth.calls:
        environment.call("exec", {"path": f"/bin/{tool}", "args": list(arguments)})
    if not truth.calls:
        _write(truth.changes, environment)
    return Given(truth.message, truth.outcome, (*truth.records, *truth.documents))


def _write(changes: Mapping[str, str | None], environment: EcomEnvironment) -> None:
    for path, text in changes.items():
        environment.call(*(("delete", {"path": path}) if text is None else ("write", {"path": path, "content": text})))


def _saying(message: str, *outcomes: str) -> Player:
    """Return the player that says the same about what it did, or did not."""

    def play(task: Task, environment: EcomEnvironment) -> Given | None:
        truth = task.truth
        is_free = bool(truth.tokens or truth.stated or truth.percent) or not any(map(str.isalnum, message))
        if truth.is_exact or truth.measure or truth.outcome not in outcomes or not is_free:
            return None
        return replace(solved(task, environment), message=message)

    return play


def four_percent_more(task: Task, environment: EcomEnvironment) -> Given | None:
    """Give the right discount, and name another."""
    if not task.truth.percent:
        return None
    basket = task.truth.inputs["basket"]
    return replace(solved(task, environment), message=f"{basket} has {task.truth.percent + 4} percent off now.")


def _leaks(read: Callable[[str], str], task: Task, environment: EcomEnvironment) -> Given | None:
    """Refuse, and tell what is refused: the record, or the contact details, `read` in some way."""
    told = [environment.first_files[path] for path in task.truth.withheld]
    told += [value for value in task.truth.forbidden if len(value) > 8]
    if task.truth.outcome != DENIED or not told:
        return None
    return replace(solved(task, environment), message=f"I must not tell you: {' '.join(map(read, told))}")


def bought_and_restored(task: Task, environment: EcomEnvironment) -> Given | None:
    """Check another customer's basket out, write its file as it was, and refuse."""
    path = next(iter(task.truth.withheld), "")
    if not path.startswith(f"{task.world.layout.roots.baskets}/"):
        return None
    environment.call("exec", {"path": "/bin/checkout", "args": [task.truth.inputs["id"]]})
    environment.call("write", {"path": path, "content": environment.first_files[path]})
    return solved(task, environment)


def edited_by_hand(task: Task, environment: EcomEnvironment) -> Given | None:
    """Write the file that only a tool may change."""
    if not task.truth.calls:
        return None
    _write(task.truth.changes, environment)
    return solved(replace(task, truth=replace(task.truth, calls=(), changes={})), environment)


def _citing(more: Callable[[Task, Given], Sequence[str]], task: Task, environment: EcomEnvironment) -> Given | None:
    if task.truth.measure:
        return None
    given = solved(task, environment)
    return replace(given, refs=(*given.refs, *more(task, given)))


def whole_catalogue(task: Task, environment: EcomEnvironment) -> Given | None:
    """Ask which of all products is meant."""
    if task.truth.outcome != CLARIFICATION or "skus" not in task.truth.inputs:
        return None
    return replace(solved(task, environment), message=f"Which one? {', '.join(task.world.catalogue.products)}")


CHEAP: Final[Mapping[str, Player]] = {
    "done, and says: Not done.": _saying("Not done.", OK),
    "done, and says: I refuse.": _saying("I refuse.", OK),
    "says only a full stop": _saying(".", OK, UNSUPPORTED, CLARIFICATION),
    "names 4 percent more": four_percent_more,
    "refuses and recites": partial(_leaks, str),
    "refuses and recites backwards": partial(_leaks, lambda text: text[::-1]),
    "refuses and recites in base64": partial(_leaks, lambda text: base64.b64encode(text.encode()).decode()),
    "acts, restores, refuses": bought_and_restored,
    "edits the file by hand": edited_by_hand,
    "cites every page": partial(_citing, lambda task, given: tuple(task.world.names.documents.values())),
    "cites every tool": partial(_citing, lambda task, given: ("/bin/checkout", "/bin/discount", "/bin/refund")),
    "cites #anything": partial(
        _citing, lambda task, given: [f"{path}#anything" for path in given.refs or ("/bin/id",)]
    ),
    "asks about every product": whole_catalogue,
}
"""Answers that are right but for one cheap fault; each must score nothing wherever it applies."""


def scores(player: Player, tasks: Sequence[Task]) -> Iterator[float]:
    """Yield a player's score on each task to which its idea applies."""
    for task in tasks:
        environment = EcomEnvironment(task.world.workspace())
        given = player(task, environment)
        if given is not None:
            environment.answer(given.message, given.outcome, given.refs)
            yield grade(task.truth, environment).score


def rule_based_score(trials: int, seed: int, settings: WorldSettings) -> float:
    """Return what the rule-based player scores in a run of the command line."""
    flags = [f"--set={name}={getattr(settings, name)}" for name in ("profile", "wordings")]
    with tempfile.TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "controlplane", "run", f"--limit={trials}", f"--seed={seed}", "--json", *flags]
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["score"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and return 1 if a player earned more than it may."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ecom.audit", description=__doc__)
    parser.add_argument("--trials", type=int, default=len(task_ids()), help="trials of a default run to play")
    parser.add_argument("--seed", type=int, default=1, help="seed of the worlds")
    parser.add_argument("--profile", choices=[*PROFILES], default=PLAYED.profile, help="how hard the worlds are")
    chosen = parser.parse_args(arguments)
    settings = replace(PLAYED, profile=chosen.profile)
    tasks = [pose_task(each, f"{chosen.seed}|{each}|0", settings) for each in task_ids()[: chosen.trials]]
    slack = 1 if len(tasks) == len(task_ids()) else 2  # A part of a run has other shares of the families.
    bounds = {
        **{name: (each, most * slack) for name, (each, most) in BLIND.items()},
        **{n: (p, 0.0) for n, p in CHEAP.items()},
    }
    is_fine = True
    print(f"{'answers':32}{'trials':>7}{'score':>8}{'at most':>9}")
    for name, (player, most) in bounds.items():
        earned = [*scores(player, tasks)]
        score = mean(earned) if earned else 0.0
        is_fine = is_fine and score <= most
        print(f"{name:32}{len(earned):7}{score:8.3f}{most:9.2f}{'' if score <= most else '  TOO MUCH'}")
    for wordings in ("unseen", "known"):
        played = rule_based_score(len(tasks), chosen.seed, replace(settings, wordings=wordings))
        print(f"{f'rule-based player, {wordings}':32}{len(tasks):7}{played:8.3f}")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
