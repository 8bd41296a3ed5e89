"""The embedded benchmark for the control plane: lists its tasks, and generates and grades their trials."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from agent.model import Model
from benchmarks.ecom.runtime.shop_environment import WORKER_MODULES, EcomEnvironment
from benchmarks.ecom.tasks.generation import FAMILIES, generate_task, is_task_id, task_ids
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.world.company import VOCABULARIES
from benchmarks.ecom.world.generator import PLAYED, PROFILES, WorldSettings
from benchmarks.ecom.world.pages import KNOWN, UNSEEN
from benchmarks.shop.declarations import FUNCTION_MODULES, shop_bindings
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    Description,
    OpenedBenchmark,
    TaskStub,
    TaskTry,
    Trial,
)
from controlplane.local_benchmark import GeneratedTrial, LocalBenchmark
from sandbox.interface import error_codes

WORLD_VERSION: Final = "645d67cd99de"
"""A digest of sampled worlds and truths, checked by a test: another version gives other worlds from the same seed."""
TRIAL: Final = re.compile(
    r"(?P<task>[a-z-]+\.[1-9]\d{0,3})-r(?P<repeat>0|[1-9]\d*)-s(?P<seed>0|-?[1-9]\d*)-(?P<profile>[a-z]+)"
    r"-(?P<token>[0-9a-f]{8})(?:-c(?P<copy>[1-9]\d*))?"
)
NAME: Final = "ecom"
RECORDING: Final = Path(__file__).with_name("recorded.toml")
"""A strong model's replies to tasks of one seed, played by `--model recorded`; record.py makes them anew."""
OPTIONS: Final = (
    BenchmarkOption("policy", "blind seals scores until a submitted run is polled", ("open", "blind")),
    BenchmarkOption(
        "profile",
        "how hard the worlds are: dev has SQL, hard traps and cut listings, expert other tasks",
        tuple(PROFILES),
    ),
    BenchmarkOption(
        "names", "the vocabulary of the worlds; public is that of the public benchmark", ("mixed", *VOCABULARIES)
    ),
    BenchmarkOption(
        "wordings", "requests and pages in sentences held out from all rules, or others", (UNSEEN, KNOWN, "mixed")
    ),
)
INVALID: Final = "invalid_argument"


@dataclass(frozen=True, slots=True)
class TrialId:
    """A trial: its task, the number of its try, the run's seed, its worlds' profile, and the run's random token."""

    task_id: str
    repeat: int
    seed: int
    profile: str
    token: str
    copy: int = 0
    """Number of the trial among several trials of that try."""

    def __str__(self) -> str:
        copy = f"-c{self.copy}" if self.copy else ""
        return f"{self.task_id}-r{self.repeat}-s{self.seed}-{self.profile}-{self.token}{copy}"

    @property
    def world_seed(self) -> str:
        """The seed of the trial's world: neither profile nor token, so that equal seeds ask the same everywhere."""
        return f"{self.seed}|{self.task_id}|{self.repeat}"

    @classmethod
    def parse(cls, text: str) -> TrialId | None:
        """Return the id that the text spells, or None."""
        match = TRIAL.fullmatch(text)
        if match is None:
            return None
        numbers = int(match["repeat"]), int(match["seed"])
        return cls(match["task"], *numbers, match["profile"], match["token"], int(match["copy"] or 0))


def open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark:
    """Open the benchmark. Raises `BenchmarkError` for an argument."""
    if argument:
        raise BenchmarkError(INVALID, f"the embedded benchmark takes no argument, got {NAME}:{argument}")
    chosen = replace(PLAYED, **{key: value for key, value in settings.items() if key != "policy"})
    benchmark = EcomBenchmark(settings.get("policy", "open"), chosen)
    sealed = "its sealed scores stay in the process that ends a trial; add --set policy=open"
    return OpenedBenchmark(
        benchmark,
        worker_modules=WORKER_MODULES,
        function_modules=FUNCTION_MODULES,
        recordings={"recorded": RECORDING},
        bindings=shop_bindings,
        ended_elsewhere=benchmark.take_score,
        stays_here=sealed if benchmark.policy == "blind" else "",
        world_version=WORLD_VERSION,
        rebuilds_trials=True,
    )


class EcomBenchmark(LocalBenchmark):
    """The embedded benchmark. With the policy `blind`, scores stay sealed until `get_run` asks after the submission."""

    def __init__(self, policy: str = "open", settings: WorldSettings = PLAYED) -> None:
        super().__init__(NAME, is_blind=policy == "blind")
        self.policy = policy
        self.settings = settings

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks, with the instruction of each task's first try; blind tasks have no hints."""
        hints = {name: "" if self.policy == "blind" else family.about for name, family in FAMILIES.items()}
        stubs = tuple(
            TaskStub(task_id, self._preview(task_id, preview_seed), hints[task_id.rpartition(".")[0]])
            for task_id in task_ids(self.settings.profile)
        )
        return Description(
            NAME,
            f"a simulated shop: {len(stubs)} tasks in {len(FAMILIES)} families, another world for every trial",
            stubs,
            policy=self.policy,
            rule_sets=("ecom",),
            numbered_families=tuple(FAMILIES),
        )

    def trial_id(self, asked: TaskTry, seed: int, token: str) -> str:
        """Return the id of a try's trial."""
        return str(TrialId(asked.task_id, asked.number, seed, self.settings.profile, token, asked.copy))

    def player(self) -> Model | None:
        """Return the rule-based player that comes with this benchmark."""
        from benchmarks.ecom.player import Player

        return Player()

    def _preview(self, task_id: str, seed: int | None) -> str:
        if seed is None:
            return ""
        return generate_task(task_id, TrialId(task_id, 0, seed, "", "").world_seed, self.settings).instruction

    def token_of(self, trial_id: str) -> str:
        """Return the token of the run that a trial is in. Raises `BenchmarkError` for other texts."""
        return _trial_id(trial_id).token

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Make a trial's world. Raises `BenchmarkError` for other texts."""
        parsed = _trial_id(trial_id)
        generated = generate_task(parsed.task_id, parsed.world_seed, replace(self.settings, profile=parsed.profile))
        environment = EcomEnvironment(generated.world.workspace())
        trial = Trial(trial_id, parsed.task_id, generated.instruction, environment, environment.use_worker)
        return GeneratedTrial(trial, partial(grade, generated.truth, environment), environment.close)


def _trial_id(text: str) -> TrialId:
    parsed = TrialId.parse(text)
    if parsed is None or parsed.profile not in PROFILES or not is_task_id(parsed.task_id):
        raise BenchmarkError(error_codes.NOT_FOUND, f"{text!r} is not a trial of {NAME}")
    return parsed
