"""What the second solver's preflight closes on the embedded benchmark, and how much of it is right. Run it by hand:

    python tests/bench/exoskeleton_preflight.py [--seeds 1,2,5] [--names mixed] [--classifier right|mute|wrong]

Each trial is played up to the model: opening, scripted classifier, checks, gates. Closed trials are graded.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

from agent.evidence import Recorder  # noqa: E402 - behind the path of a script
from agent.exoskeleton import Exoskeleton  # noqa: E402
from agent.loop import TrialContext, TrialSession  # noqa: E402
from agent.model import Message, ModelError, Reply  # noqa: E402
from agent.submission import GateSettings  # noqa: E402
from benchmarks.ecom.identifiers import TrialId  # noqa: E402
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment  # noqa: E402
from benchmarks.ecom.tasks.families import pose_task, task_ids  # noqa: E402
from benchmarks.ecom.tasks.grader import grade  # noqa: E402
from benchmarks.ecom.world.profiles import WorldSettings  # noqa: E402
from benchmarks.shop.solver_bindings import SHOP_BINDINGS  # noqa: E402
from tests.support.shop_classifier import reply_of, right_flags, wrong_in  # noqa: E402


@dataclass
class ClassifierAlone:
    """Plays the classifier; there is no main model."""

    said: str
    name: str = "classifier"

    def complete(self, messages: list[Message], role: str = "solve", *rest: object, **named: object) -> Reply:
        if role == "classify" and self.said:
            return Reply(text=self.said)
        msg = f"nobody plays {role}"
        raise ModelError(msg, retryable=False)


@dataclass
class Played:
    """One trial as far as the preflight took it."""

    task_id: str
    instruction: str
    closed_by: str
    score: float
    details: tuple[str, ...]
    truth: str
    sent_back: str = ""
    changed_wrongly: bool = False


@dataclass
class Totals:
    """Sums over trials."""

    trials: int = 0
    closed: int = 0
    right: float = 0.0
    false_refusals: int = 0
    by_check: Counter[str] = field(default_factory=Counter)
    faults: list[Played] = field(default_factory=list)
    closed_in: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, played: Played) -> None:
        self.trials += 1
        if not played.closed_by:
            if played.sent_back or played.changed_wrongly:
                self.faults.append(played)
            return
        self.closed += 1
        self.right += played.score
        self.by_check[played.closed_by] += 1
        self.closed_in[played.task_id.split(".")[0]] += 1
        self.false_refusals += played.closed_by == "refuse_request" and played.truth != "OUTCOME_DENIED_SECURITY"
        if played.score < 1:
            self.faults.append(played)


def play(task_id: str, number: int, seed: int, settings: WorldSettings, classifier: str) -> Played:
    trial_id = TrialId(task_id, number, seed, settings.profile, "t")
    posed = pose_task(task_id, trial_id.world_seed, settings)
    environment = EcomEnvironment(posed.world.workspace())
    events: list[object] = []
    recorder = Recorder(str(trial_id), environment, events.append)
    is_staff = "customer" not in str(environment.call("exec", {"path": "/bin/id", "args": [], "stdin": ""})["stdout"])
    said = right_flags(task_id.split(".")[0], posed.truth, is_staff)
    if classifier == "wrong":
        said = wrong_in(0.1, said, str(trial_id))
    model = ClassifierAlone("" if classifier == "mute" else reply_of(said))
    now = environment.now()
    assert now
    context = TrialContext(str(trial_id), task_id, posed.instruction, now)
    session = TrialSession(context, recorder, GateSettings(packs=("ecom",)))
    with contextlib.suppress(ModelError):
        Exoskeleton(model, bindings=SHOP_BINDINGS, parts=frozenset({"classifier", "preflight"})).solve(session)
    done = [each for each in events if getattr(each, "type", "") == "step"]
    state = done[0].state if done else ""
    closed_by = state.removeprefix("answered by ") if session.is_over else ""
    sent_back = "; ".join(each.message[:200] for each in done[0].verdicts) if done and not session.is_over else ""
    result = grade(posed.truth, environment)
    return Played(
        task_id,
        posed.instruction,
        closed_by,
        result.score / (posed.truth.reachable or 1) if closed_by else 0.0,
        result.details,
        posed.truth.outcome,
        sent_back,
        bool(environment.changes) and not closed_by,
    )


def trials(seeds: list[int], names: str) -> Iterator[tuple[str, int, int, WorldSettings]]:
    for seed in seeds:
        for task_id in task_ids():
            yield task_id, 0, seed, WorldSettings(names=names)


def main(options: Mapping[str, str]) -> None:
    totals = Totals()
    for task_id, number, seed, settings in trials(
        [int(each) for each in options["seeds"].split(",")], options["names"]
    ):
        totals.add(play(task_id, number, seed, settings, options["classifier"]))
    for each in totals.faults[: int(options["show"])]:
        print(f"- {each.task_id} [{each.closed_by or 'open'}] {each.instruction[:160]!r}")
        print(f"    {each.details} {each.sent_back}")
    share, right = totals.closed / totals.trials, totals.right / (totals.closed or 1)
    print(f"{totals.trials} trials, classifier {options['classifier']}, names {options['names']}")
    print(f"closed {totals.closed} ({share:.1%}), right {right:.2%}, false refusals {totals.false_refusals}")
    print(dict(totals.by_check), dict(totals.closed_in))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1,2,5")
    parser.add_argument("--names", default="mixed")
    parser.add_argument("--classifier", default="right", choices=["right", "mute", "wrong"])
    parser.add_argument("--show", default="20")
    main(vars(parser.parse_args()))
