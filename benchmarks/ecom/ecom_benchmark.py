"""The embedded benchmark `ecom`: a simulated shop, in which an agent works for customers and staff.

A trial is one request in a shop that is generated for it, such as "Please check out basket
`basket-0012`". The agent reads the shop's files, runs its tools and answers; then the trial
is graded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    Description,
    ListedTask,
    OpenedBenchmark,
    TaskTry,
    Trial,
)
from controlplane.benchmarks.ecom.player import FAMILIES_WITH_RULES, Player
from controlplane.benchmarks.ecom.shop_environment import (
    TOOL_SCHEMA,
    WORKER_MODULES,
    EcomEnvironment,
)
from controlplane.benchmarks.ecom.tasks.families import (
    FAMILIES,
    generate_task,
    is_task_id,
    task_ids,
)
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.world.names import (
    KNOWN,
    PLAYED,
    PROFILES,
    UNSEEN,
    VOCABULARIES,
    WorldSettings,
)
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.benchmarks.shop.shop_schema import FUNCTION_MODULES, shop_bindings
from controlplane.sandbox.interface import error_codes
from controlplane.task_selection import family_of
from controlplane.tool_benchmark.local_runs import GeneratedTrial, LocalBenchmark

# The ids of trials, such as `sku-lookup.3-r0-s7-prod-00c0ffee`.
#
# An id has all that is needed to generate the trial's world again, in another process or a
# later run: the task, its try, the run's seed and the profile. The last part names the run.

_TRIAL_ID: Final = re.compile(
    r"(?P<task>[a-z-]+\.[1-9]\d{0,3})"  # `sku-lookup.3`
    r"-r(?P<repeat>0|[1-9]\d*)"  # `-r0`: the first try of the task
    r"-s(?P<seed>0|-?[1-9]\d*)"  # `-s7`: the run's seed
    r"-(?P<profile>[a-z]+)"  # `-prod`: how hard the world is
    r"-(?P<token>[0-9a-f]{8})"  # `-00c0ffee`: the run's random token
    r"(?:-c(?P<copy>[1-9]\d*))?"  # `-c1`: a second trial of the same try
)
"""The id of a trial, such as `sku-lookup.3-r0-s7-prod-00c0ffee`."""


@dataclass(frozen=True, slots=True)
class EcomTrialId:
    """A trial's id. It has everything that a new process needs to generate the trial again."""

    task_id: str
    repeat: int
    """The number of the task's try, from 0."""
    seed: int
    """The run's seed."""
    profile: str
    """The profile of the run's worlds."""
    token: str
    """The run's random token."""
    copy: int = 0
    """The number of the trial among those of one try, from 0. They have the same world."""

    def __str__(self) -> str:
        text = f"{self.task_id}-r{self.repeat}-s{self.seed}-{self.profile}-{self.token}"
        if self.copy:
            text += f"-c{self.copy}"
        return text

    @property
    def world_seed(self) -> str:
        """The seed of the trial's world.

        It has no profile and no token, so that runs
        with equal seeds have the same tasks.
        """
        return f"{self.seed}|{self.task_id}|{self.repeat}"

    @classmethod
    def parse(cls, text: str) -> EcomTrialId | None:
        """Return the trial id that a text represents; None if the text is not a trial id."""
        match = _TRIAL_ID.fullmatch(text)
        if match is None:
            return None
        return cls(
            task_id=match["task"],
            repeat=int(match["repeat"]),
            seed=int(match["seed"]),
            profile=match["profile"],
            token=match["token"],
            copy=int(match["copy"] or 0),
        )


WORLD_VERSION: Final = "645d67cd99de"
"""The version of the worlds. A seed gives other worlds in another version.

A commit that changes the worlds sets another value, so that older runs are not resumed.
"""
NAME: Final = "ecom"
RECORDING: Final = Path(__file__).with_name("recorded.toml")
"""A strong model's replies to tasks of one seed, played by `--model recorded`.

`record.py` creates the file.
"""
OPTIONS: Final = (
    BenchmarkOption(
        "policy",
        "blind hides scores until the run is submitted and its result is fetched",
        ("open", "blind"),
    ),
    BenchmarkOption(
        "profile",
        "how hard the worlds are: dev has SQL, hard traps and cut listings",
        tuple(PROFILES),
    ),
    BenchmarkOption(
        "names",
        "the vocabulary of the worlds; public is that of the public benchmark",
        ("mixed", *VOCABULARIES),
    ),
    BenchmarkOption(
        "wordings",
        "unseen: sentences for which no rule was written; known: those that rules may know",
        (UNSEEN, KNOWN, "mixed"),
    ),
)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the benchmark. Raises `BenchmarkError` if there is an argument."""
    if argument:
        msg = f"the embedded benchmark takes no argument, got {NAME}:{argument}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    world_settings = {
        name: value for name, value in settings.items() if name != "policy"
    }
    policy = settings.get("policy", "open")
    benchmark = EcomBenchmark(policy, replace(PLAYED, **world_settings))
    # The reason why other machines cannot run the trials; empty if they can
    stays_here = ""
    if policy == "blind":
        stays_here = "its sealed scores stay in the process that ends a trial; add --set policy=open"
    return OpenedBenchmark(
        benchmark,
        # How its worlds can be opened again: a trial's id has the seed of its world.
        world_version=WORLD_VERSION,
        rebuilds_trials=True,
        # What it offers to agents
        tool_schemas=lambda task_ids: [TOOL_SCHEMA],
        bindings=shop_bindings,
        # What plays in place of a model: recorded replies, or a player with a rule for
        # some families
        recordings={"recorded": RECORDING},
        player_families=FAMILIES_WITH_RULES,
        # The modules that a trial's processes import
        worker_modules=WORKER_MODULES,
        function_modules=FUNCTION_MODULES,
        # Trials that other machines run: why they cannot, or how their scores come back
        stays_here=stays_here,
        ended_elsewhere=benchmark.take_score,
    )


class EcomBenchmark(LocalBenchmark):
    """The embedded benchmark. Created once for each run.

    With the policy `blind`, scores are hidden until `get_run` is called after the run has
    been submitted.
    """

    def __init__(self, policy: str = "open", settings: WorldSettings = PLAYED) -> None:
        super().__init__(NAME, is_blind=policy == "blind")
        self.policy = policy
        self.settings = settings

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the name, policy and tasks.

        With a preview seed, each task shows the instruction of its first try. With the
        policy `blind`, tasks have no hints.
        """
        listed_tasks = []
        for task_id in task_ids():
            instruction = ""
            if preview_seed is not None:
                instruction = _first_instruction(task_id, preview_seed, self.settings)
            hint = ""
            if self.policy != "blind":
                hint = FAMILIES[family_of(task_id)].about
            listed_tasks.append(ListedTask(task_id, instruction, hint))
        summary = (
            f"a simulated shop: {len(listed_tasks)} tasks in {len(FAMILIES)} families, "
            "another world for every trial"
        )
        return Description(
            NAME,
            summary,
            tuple(listed_tasks),
            policy=self.policy,
            rule_sets=("ecom",),
            numbered_families=tuple(FAMILIES),
        )

    def trial_id(self, task_try: TaskTry, seed: int, token: str) -> str:
        """Return the id of a try's trial.

        A run may try a task in several worlds (`task_try.number`), and several times in the
        same world (`task_try.copy`). `token` identifies the run.
        """
        trial_id = EcomTrialId(
            task_id=task_try.task_id,
            repeat=task_try.number,
            seed=seed,
            profile=self.settings.profile,
            token=token,
            copy=task_try.copy,
        )
        return str(trial_id)

    def player(self) -> Model | None:
        """Return the rule-based player of this benchmark."""
        return Player()

    def parts_of(self, trial_id: str) -> tuple[str, str]:
        """Return the task of a trial and the token of its run.

        Raises `BenchmarkError` if the text is not a trial id.
        """
        parsed = _parsed_trial_id(trial_id)
        return parsed.task_id, parsed.token

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Return a trial in its generated world, and the function that grades it.

        Raises `BenchmarkError` if the text is not a trial id.
        """
        parsed = _parsed_trial_id(trial_id)
        settings = replace(self.settings, profile=parsed.profile)
        task = generate_task(parsed.task_id, parsed.world_seed, settings)
        environment = EcomEnvironment(workspace_of(task.world))
        trial = Trial(
            trial_id,
            parsed.task_id,
            task.instruction,
            environment,
            environment.use_worker,
        )
        return GeneratedTrial(trial, partial(grade, task.truth, environment))


def _first_instruction(task_id: str, seed: int, settings: WorldSettings) -> str:
    """Return the instruction of the first try of a task, in a run with this seed."""
    # The profile (the kind of world) and the run's token do not matter: the world's
    # seed does not depend on them.
    first_try = EcomTrialId(task_id, repeat=0, seed=seed, profile="", token="")
    return generate_task(task_id, first_try.world_seed, settings).instruction


def _parsed_trial_id(text: str) -> EcomTrialId:
    """Return the parts of a trial's id: its task, its world and its run.

    Raises `BenchmarkError` if the text is not a trial id, or has an unknown task or profile.
    """
    parsed = EcomTrialId.parse(text)
    if (
        parsed is None
        or parsed.profile not in PROFILES
        or not is_task_id(parsed.task_id)
    ):
        raise BenchmarkError(
            error_codes.NOT_FOUND, f"{text!r} is not a trial of {NAME}"
        )
    return parsed
