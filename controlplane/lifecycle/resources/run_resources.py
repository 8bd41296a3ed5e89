"""Resources that all trials of a run share: the benchmark, the models, the solver and the gates.

`open_resources` opens what a `RunSpec` describes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.evidence import parse_policy
from controlplane.agent.limits.spending import Spending, SpendingLimits
from controlplane.agent.limits.trial_limits import DEFAULT_LIMITS, TrialLimits
from controlplane.agent.loop import CallSettings, LoopSettings, Prompts
from controlplane.agent.model import REVIEWER, Model, ScriptedModel
from controlplane.agent.retry import (
    SHORT_PATIENCE_S,
    RetryBudget,
    RetryLimits,
    RunBudget,
)
from controlplane.agent.trial_gates import GateSettings
from controlplane.benchmark import (
    Benchmark,
    BenchmarkContext,
    Description,
    OpenedBenchmark,
)
from controlplane.configuration import named_modules
from controlplane.configuration.installed_versions import current_versions
from controlplane.configuration.run_names import is_of_questions
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import as_usage_error
from controlplane.journal.run_events import Versions
from controlplane.lifecycle.resources.gate_policies import gate_policy, rule_set_names
from controlplane.lifecycle.resources.models import PLAYERS, RunModels, scripted_model
from controlplane.lifecycle.resources.playable_tasks import describe_benchmark
from controlplane.lifecycle.resources.run_sandbox import RunSandbox
from controlplane.lifecycle.resources.run_solver import (
    RunSpec,
    SolverSetup,
    open_solver,
)
from controlplane.sandbox import Limits, parse_isolation

# Notices for the user of a run.


class _Notices:
    """Passes notices on to whoever shows them to the user."""

    def __init__(self) -> None:
        self.listener: Callable[[str], None] | None = None
        """Called with each notice. None: nobody listens yet."""
        self._shown: set[str] = set()

    def show(self, text: str) -> None:
        """Show the user a notice."""
        if self.listener is not None:
            self.listener(text)

    def show_once(self, text: str) -> None:
        """Show the user a notice, unless this process has shown it before."""
        if text not in self._shown:
            self._shown.add(text)
            self.show(text)


@dataclass(frozen=True, slots=True)
class RunResources:
    """The open resources of a run: benchmark, solver, models and sandbox.

    They are opened once per process, before the first trial starts, and closed after
    the last one has ended. Leaving a `with` block closes them.
    """

    spec: RunSpec
    """What was opened: the settings, and what else the run was started with."""
    budget: RunBudget
    """The budget that all trials share: retries, cost, tokens and time."""
    notices: _Notices
    """Takes notices for the user. The run writes them to its journal, and shows them."""
    context: BenchmarkContext
    """What the benchmark was given when it was opened, such as the signal to stop."""
    opened: OpenedBenchmark
    """The benchmark, with what is known about its trials."""
    rule_sets: tuple[str, ...]
    """The names of the rule sets in use."""
    gates: GateSettings
    """How gates and rules judge answers."""
    call_settings: CallSettings
    """How calls are checked by where the values of their arguments come from."""
    sandbox: RunSandbox
    """Runs the scripts of solvers and the functions of benchmarks."""
    models: RunModels
    """Opens models, and has their endpoints."""
    setup: SolverSetup
    """The solver with its models and prompts."""
    recording: ScriptedModel | None
    """The recorded replies of a model that play the run; None if something else does."""
    closing: ExitStack
    """Closes what is open."""

    @property
    def settings(self) -> RunSettings:
        return self.spec.settings

    @property
    def settings_elsewhere(self) -> RunSettings:
        """The settings with a name of the benchmark that is valid in other folders and machines, too.

        The user may have named it by a relative path, such as `.`, which means another folder there.
        """
        identity = self.opened.resume_identity
        if identity is None:  # They are valid anywhere as the user gave them.
            return self.settings
        benchmark = {"benchmark": identity.spec, "set": dict(identity.settings)}
        return self.settings.model_copy(update=benchmark)

    @property
    def model(self) -> Model | None:
        """The model that the solver asks; None if it asks none."""
        return self.setup.model

    @property
    def prompts(self) -> Prompts | None:
        """The prompt texts; None if the solver asks no model."""
        return self.setup.prompts

    @property
    def benchmark(self) -> Benchmark:
        return self.opened.benchmark

    @property
    def reads(self) -> tuple[str, ...]:
        """The tools that, as the user declares, change nothing: `--reads "search, lookup"`."""
        names = [name.strip() for name in self.settings.reads.split(",")]
        return tuple(name for name in names if name)

    @property
    def player_families(self) -> tuple[str, ...]:
        """The families of tasks that the run's player has rules for.

        A solver that needs a model asks the benchmark's own player, if the user names no model.
        Empty for a player of all tasks, and for a run with a model.
        """
        is_played = self.model is not None and self.settings.model == ""
        return self.opened.player_families if is_played else ()

    @property
    def concurrency(self) -> int:
        """How many trials are played at a time: as the user says, or else as suits the benchmark."""
        concurrency = self.settings.concurrency
        usual = self.opened.usual_concurrency
        if usual and "concurrency" not in self.settings.model_fields_set:
            return min(concurrency, usual)
        return concurrency

    def describe(self) -> Description:
        """Return the benchmark's description. Raises `UsageError` and `Unreachable`."""
        return describe_benchmark(self.benchmark, self.settings.benchmark)

    def versions(self) -> Versions:
        """Return the versions of everything that influences the trials, for the journal."""
        return current_versions(
            self.rule_sets,
            self.opened.world_version,
            self.prompts,
            self.opened.function_modules,
        )

    def close(self) -> None:
        """End the processes, and close the connections, in the reverse order of their opening."""
        self.closing.close()

    def __enter__(self) -> RunResources:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


# The limits of a run and of each of its trials, as the settings set them.

_MOST_EXTRA_STEPS: Final = 5
"""A trial that has no answer after its last step is reminded to answer, and gets some more steps for
that: a seventh of its steps, but at most this many."""
_PROSE_REPLIES_TO_QUESTION: Final = 2
"""A trial ends after this many unusable replies in a row if the last one is prose, not a script, and
the request is a question about files. Its user waits for the answer, and can read one in prose."""


def trial_limits(settings: RunSettings, own_time_s: float = 0.0) -> TrialLimits:
    """Return the limits of a trial.

    `own_time_s` are the seconds that its task allows; 0 if the run's setting applies.
    """
    prose_replies = DEFAULT_LIMITS.prose_replies
    if is_of_questions(settings.benchmark):
        prose_replies = _PROSE_REPLIES_TO_QUESTION
    # The solver's model may have settings of its own, by `--role solve=PROFILE`.
    solve_settings = settings.role.get("solve", settings)
    return TrialLimits(
        max_calls=settings.max_calls,
        max_cost_usd=settings.trial_cost,
        time_s=own_time_s or settings.trial_time,
        context_tokens=solve_settings.max_context_tokens,
        max_steps=settings.max_steps,
        extra_steps=min(_MOST_EXTRA_STEPS, settings.max_steps // 7),
        prose_replies=prose_replies,
        same_scripts=settings.same_scripts,
    )


def loop_settings(settings: RunSettings) -> LoopSettings:
    """Return the settings of the solver in each trial. Raises `UsageError`."""
    with as_usage_error("--isolation", ValueError):
        isolation = parse_isolation(settings.isolation)
    solve_settings = settings.role.get("solve", settings)
    return LoopSettings(
        initial_prompt_chars=settings.initial_prompt_chars,
        limits=Limits(step_wall_s=settings.step_time),
        isolation=isolation,
        switches_reply_mode=settings.reply_mode == "auto",
        replies_in_fences=solve_settings.reply_mode == "text",
    )


def retry_limits(settings: RunSettings) -> RetryLimits:
    """Return for how long, and how often, failed requests to models are sent again."""
    patience_by_role = {}
    for role, role_settings in settings.role.items():
        name = REVIEWER if role == "review" else str(role)
        patience_by_role[name] = role_settings.model_patience
        patience_by_role[str(role)] = role_settings.model_patience
    usual_patience_s = RunSettings.model_fields["model_patience"].default
    is_set = settings.model_patience != usual_patience_s
    return RetryLimits(
        max_retries=settings.model_retries,
        patience_s=settings.model_patience,
        patience_s_by_role=patience_by_role,
        unconnected_s=math.inf if is_set else SHORT_PATIENCE_S,
    )


def open_resources(
    spec: RunSpec, *, plays_trials: bool = True, budget: RunBudget | None = None
) -> RunResources:
    """Open the resources that `spec` describes.

    - `plays_trials`: True if this process plays trials. Only then the solver and the
      models are opened.
    - `budget`: the budget of the run. None: create one from the settings.

    Raises `UsageError` and `Unreachable`; the message names what cannot be opened.
    """
    settings = spec.settings
    notices = _Notices()
    context = BenchmarkContext(notify=notices.show)
    loop = loop_settings(settings)

    # The other resources depend on what the benchmark declares.
    opened = spec.opened or named_modules.open_benchmark(
        settings.benchmark, settings.set, context
    )
    # If something cannot be opened, the exit stack closes what is already open.
    with ExitStack() as closing:
        closing.callback(opened.benchmark.close)
        recording = _recorded_model(settings.model, opened)
        if recording is not None:
            # Its replies were recorded in the worlds of one seed, and fit only those.
            settings = settings.model_copy(update={"seed": recording.seed})
            spec = replace(spec, settings=settings)

        # How calls and answers are checked
        rule_sets = spec.rule_sets  # those of a recorded run, or those of the settings
        if rule_sets is None:
            rule_sets = rule_set_names(
                settings.rule_sets,
                # The benchmark is asked only if the setting is "auto".
                lambda: (
                    describe_benchmark(opened.benchmark, settings.benchmark).rule_sets
                ),
                settings.gates,
            )
        gates = gate_policy(settings.gates, settings.rule_sets, rule_sets)
        with as_usage_error("--provenance", ValueError):
            provenance = parse_policy(settings.provenance, spec.approve)
        call_settings = CallSettings(provenance)

        # What plays trials
        sandbox = RunSandbox(opened, rule_sets, loop)
        closing.callback(sandbox.close)
        models = RunModels(settings, spec.capabilities, context.stop)
        closing.callback(models.close)
        setup = SolverSetup(prompts=spec.prompts)
        if plays_trials:
            setup = open_solver(
                spec, opened, models, loop, sandbox.script_server, recording
            )
            # The setting may also name a player (a program that writes scripts by fixed rules) or a
            # recording, which the solver asks as it would ask a model. Their scripts are trusted.
            stand_ins = (*PLAYERS, *opened.recordings, *opened.players)
            sandbox.note_opened_solver(
                scripts_are_trusted=setup.model is not None
                and settings.model in stand_ins
            )
            if setup.model is not None and setup.prompts is not None:
                # Calls may use values that the user has given: in the instruction of a trial, and
                # also in the hints, which are a part of the prompts for a model.
                call_settings = replace(
                    call_settings, user_texts=(setup.prompts.hints,)
                )

        spending = Spending(
            SpendingLimits(
                cost_usd=settings.run_cost,
                tokens=settings.run_tokens,
                run_time_s=settings.run_time,
            )
        )
        return RunResources(
            spec=spec,
            budget=budget or RunBudget(RetryBudget(retry_limits(settings)), spending),
            notices=notices,
            context=context,
            opened=opened,
            rule_sets=rule_sets,
            gates=GateSettings(gates, rule_sets),
            call_settings=call_settings,
            sandbox=sandbox,
            models=models,
            setup=setup,
            recording=recording,
            closing=closing.pop_all(),
        )


def _recorded_model(name: str, opened: OpenedBenchmark) -> ScriptedModel | None:
    """Return a model that gives the replies of a recording, without an endpoint.

    `name` is the setting `model`. None if the benchmark has no recording of that name.
    """
    path = opened.recordings.get(name)
    if path is None:
        return None
    model = scripted_model(f"scripted:{path}")
    model.name = name
    return model
