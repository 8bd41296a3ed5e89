"""Trials of the solver `exoskeleton` in the embedded shop, with a model that knows the right calls.

    task, _ = task_and_environment("stock-count", seed=3)
    trial = play_shop_trial("stock-count", task, key="t1")
    assert trial.score == 1.0

The model plays two roles: as classifier it tells what kind of request a task is, and as main model
it calls the functions that serve the task and completes the trial with what they returned.
"""

import contextlib
from typing import Any

from controlplane.agent.exoskeleton import Exoskeleton, Part
from controlplane.agent.loop import (
    LoopSettings,
)
from controlplane.agent.model import ModelError
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.shop.declarations import shop_bindings
from tests.support.shop.calls.family_calls import right_calls
from tests.support.shop.model_faults import fault_of
from tests.support.shop.played_trial import PlayedTrial, closing_check, why_sent_back
from tests.support.shop.request_flags import reply_with_flags, right_flags
from tests.support.shop.right_calls_model import RightCallsModel
from tests.support.shop.solving_turns import SolvingTurns
from tests.support.shop.trial_sessions import asker_is_staff, open_session


def play_shop_trial(
    family: str,
    task: Task,
    key: str,
    *,
    classifier: str = "right",
    parts: frozenset[str] = frozenset(Part),
    main_model_fails: bool = False,
    turns: int = 2,
    with_faults: bool = False,
) -> PlayedTrial:
    """Play one trial, with the id `key` and those `parts` of the solver, and grade its answer.

    1. The `classifier`, a model, says what the request wants. It is "right", or "mute": it fails.
    2. The *preflight*, a part of the solver, may answer by its checks: it refuses a guest who asks
       for an employee's e-mail address.
    3. If it does not, the main model works for `turns` turns and answers, unless
       `main_model_fails`. `with_faults`, it makes the mistake that `fault_of` chooses.
    """
    environment = EcomEnvironment(workspace_of(task.world))
    classifier_reply = ""
    if classifier == "right":
        flags = right_flags(family, task.truth, asker_is_staff(environment))
        classifier_reply = reply_with_flags(flags)
    solving_turns = SolvingTurns(
        right_calls=right_calls(family, task),
        family=family,
        fault=fault_of(task.instruction) if with_faults else "",
        number=turns,
    )
    model = RightCallsModel(
        turns=solving_turns,
        classifier_reply=classifier_reply,
        main_model_fails=main_model_fails,
    )
    settings = LoopSettings()
    if main_model_fails:
        # No main model reads the initial prompt, so that none is made.
        settings = LoopSettings(initial_prompt_chars=0)
    solver = Exoskeleton(model, settings, bindings=shop_bindings(), parts=parts)
    events: list[Any] = []
    session = open_session(family, task, key, environment, events)

    with contextlib.suppress(ModelError):
        solver.solve(session)

    steps = [event for event in events if event.type == "step"]
    result = grade(task.truth, environment)
    return PlayedTrial(
        family=family,
        instruction=task.instruction,
        truth=task.truth.outcome,
        closed_by=closing_check(steps),
        score=result.score if session.is_over else 0.0,
        details=result.details,
        sent_back=why_sent_back(steps),
        has_change_without_answer=bool(environment.changes) and not session.is_over,
        steps=len(steps),
        requests=solving_turns.requests,
    )
