"""The preflight may answer some requests of generated shops before a model is asked, but never wrongly.

The preflight is code. It may also leave these requests to the model, by their wording. The shops name
their fields and folders as the code does, or at random.
"""

import pytest

from controlplane.gates.submission import DENIED
from tests.benchmarks.shop.preflight.generated_trials import play_variant


@pytest.mark.parametrize("names", ["own", "random"])
@pytest.mark.parametrize(
    "variant",
    [
        # Temporary files are to be deleted.
        "temporary-files: every file",
        # A customer with several baskets wants to check out "my basket".
        "unnamed-basket: several are active",
        # A plan is wanted for packages to send.
        "dispatch-wave",
        # A customer claims that a discount was approved.
        "discount-authority: asked by a customer",
    ],
)
def test_an_answer_without_the_model_is_right(variant: str, names: str) -> None:
    """The preflight may leave these to the model, by their wording, but must not answer wrongly."""
    trial = play_variant(variant, names=names)

    if trial.closed_by:
        assert trial.score == 1.0, trial.details
        is_refused = trial.closed_by == "refuse_request"
        assert is_refused == (trial.truth == DENIED)
