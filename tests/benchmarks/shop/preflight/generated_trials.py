"""Trials of tasks in generated shops, which end before a model is asked.

    trial = play_variant("foreign-basket: asked by a guest")
    trial.closed_by  # "refuse_request", the part of the preflight that has answered
    trial.score      # 1.0

A task is named by its family and case.
"""

from controlplane.benchmarks.ecom.world.names import WorldSettings
from tests.benchmarks.ecom.variant_ids import family_of_variant
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.shop.played_trial import PlayedTrial
from tests.support.shop.shop_trials import play_shop_trial


def play_variant(
    variant: str, *, names: str = "own", classifier: str = "right"
) -> PlayedTrial:
    """Play a task, and return how the trial ended; `closed_by` is empty if the model had to answer.
    The model fails, so all that was done in the shop was done before.

    The shop names its fields and folders as the code does ("own"), or at "random". The classifier,
    a small model that says what the request wants, is "right", or "mute": it does not reply.
    """
    task = generate_variant(variant, "5", WorldSettings(names=names))
    family = family_of_variant(variant)
    return play_shop_trial(
        family, task, key=variant, classifier=classifier, main_model_fails=True
    )
