"""Trials of the shop whose answers are freely worded, and how their messages are graded.

A trial is a task in a world of its own. A *subject* says what is asked for: it is a family of tasks and a
case of it. If right messages differ between the tasks of a case, the situation follows, as in
`verification-restart: spent or paid (spent)`.

    for trial in trials_of("foreign-basket: asked by a guest"):
        message = "I can't help with {t.basket.id}.".format(t=trial)  # with basket-0412, say
        grade_of_message(trial, message).score  # 1.0
"""

from functools import cache

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.tasks.message_demands import Trial
from tests.benchmarks.ecom.variants import generate_variant

WORLD_COUNT = 6
"""In how many worlds each message is graded."""
VOCABULARIES = ("own", "public", "random")
"""The sets of names that worlds have for fields and states."""


def is_in_situation(trial: Trial, situation: str) -> bool:
    """Return True if a trial is in the situation that a subject names.

    | situation     | a right message                                                    |
    | ------------- | ------------------------------------------------------------------ |
    | spent         | "All 4 attempts of pay-31 are used up."                            |
    | with a return | "Return ret-007 is closed already, so it cannot be closed again."  |
    | branch        | "No discount: basket-0412 belongs to another branch."              |
    | discounted    | "No discount: basket-0412 has one already."                        |
    | short         | "No discount: VH-TNT-2P is out of stock."                          |
    """
    if situation == "spent":
        # The message has to give the number of attempts that are allowed.
        return len(trial.required_words) > 0 and trial.required_words[0].isdigit()
    if situation == "with a return":
        return trial.returned is not None
    return trial.details["case"] == situation


@cache
def trials_of_variant(variant_id: str) -> list[Trial]:
    """Return trials of a variant in several worlds, which have different names for everything."""
    trials = []
    for seed in range(WORLD_COUNT):
        names = VOCABULARIES[seed % len(VOCABULARIES)]
        settings = WorldSettings(names=names, wordings="mixed")
        trials.append(Trial(generate_variant(variant_id, f"message|{seed}", settings)))
    return trials


def trials_of(subject: str) -> list[Trial]:
    """Return trials of a subject in several worlds; at least one.

    `trials_of("foreign-basket: asked by a guest")`
    """
    variant_id, _, situation = subject.removesuffix(")").partition(" (")
    trials = trials_of_variant(variant_id)
    if situation:
        trials = [trial for trial in trials if is_in_situation(trial, situation)]
    assert trials, subject
    return trials


def grade_of_message(trial: Trial, message: str) -> Grade:
    """Return the grade of an answer that is right, except perhaps for its message."""
    environment = EcomEnvironment(workspace_of(trial.world))
    answer = reference_answer(environment, trial.truth)
    environment.answer(message, answer.outcome, answer.refs)
    return grade(trial.truth, environment)


def assert_scores_nothing(trial: Trial, message: str) -> None:
    """Assert that the message costs the whole score, and that the grader names no other fault.

    Faults of a message begin with "answer": "answer gives 'paid' away".
    """
    result = grade_of_message(trial, message)
    assert result.score == 0.0, message
    for line in result.details:
        assert line.casefold().startswith("answer "), result.details
