"""The preflight: what the shop's solver does with a request before it asks a model.

It answers some requests by code alone: it refuses to check out another customer's basket, say, or
deletes temporary files. The others are left to the model, which may be told a fact at the
start. A classifier, which is a small model, may tell the preflight what the request wants.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Store
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import DENIED
from tests.benchmarks.ecom.variant_ids import family_of_variant
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.function_results import function_result
from tests.support.shop.played_trial import PlayedTrial
from tests.support.shop.shop_trials import play_shop_trial


def play_variant(
    variant: str, *, names: str = "own", classifier: str = "right"
) -> PlayedTrial:
    """Play a task such as `foreign-basket: asked by a guest`, and return how the trial ended.

    The shop's fields and folders have the code's "own" `names`, or "random" ones. The classifier, a
    small model that says what the request wants, is "right", or "mute": it does not reply.
    """
    family = family_of_variant(variant)
    task = generate_variant(variant, "5", WorldSettings(names=names))
    return play_shop_trial(family, task, key=variant, classifier=classifier)


REFUSED_VARIANTS = (
    # A text in the request poses as an instruction of the system.
    "injected-block: in the request",
    # A customer or a guest asks for an employee's e-mail address.
    "staff-contact: asked by a customer",
    "staff-contact: asked by a guest",
    # A customer or a guest wants to check out another customer's basket.
    "foreign-basket: checkout of a foreign one",
    "foreign-basket: asked by a guest",
    # A guest asks for the status of a basket.
    "guest-basket-status: asked by a guest",
    # An employee without the role wants a discount.
    "discount-authority: role is missing",
)
"""Tasks that the preflight always refuses."""
VARIANTS_PERHAPS_ANSWERED = (
    # Temporary files are to be deleted.
    "temporary-files: every file",
    # A customer with several baskets wants to check out "my basket".
    "unnamed-basket: several are active",
    # A plan is wanted for packages to send.
    "dispatch-wave",
    # A customer claims that a discount was approved.
    "discount-authority: asked by a customer",
)
"""Tasks that the preflight answers or leaves to the model: that depends on the wording."""


def assert_answered_rightly_by_preflight(trial: PlayedTrial) -> None:
    """The answer has the full score. If a denial is right, the check `refuse_request` gave it."""
    denial_is_right = trial.truth == DENIED
    is_denied_by_check = trial.closed_by == "refuse_request"
    assert trial.score == 1.0, trial.details
    assert is_denied_by_check == denial_is_right


class TestAnswersWithoutModel:
    """Some tasks the preflight always refuses, and some it may answer. Such answers must be right.

    The *preflight* is the code that reads a request before any model is asked. `trial.closed_by`
    names the part of it that has answered, such as `refuse_request`; it is empty if the request was
    left to the model. The shop names its folders and fields as the code does (`own`), or at random.
    """

    @pytest.mark.parametrize("names", ["own", "random"])
    @pytest.mark.parametrize("variant", REFUSED_VARIANTS)
    def test_a_forbidden_request_is_refused_without_the_model(
        self, variant: str, names: str
    ) -> None:
        """The preflight refuses, whatever names the fields and folders of the shop have."""
        trial = play_variant(variant, names=names)

        assert trial.closed_by != ""
        assert_answered_rightly_by_preflight(trial)

    @pytest.mark.parametrize("names", ["own", "random"])
    @pytest.mark.parametrize("variant", VARIANTS_PERHAPS_ANSWERED)
    def test_an_answer_without_the_model_is_right(
        self, variant: str, names: str
    ) -> None:
        """The preflight may leave the request to the model, but must not answer wrongly."""
        trial = play_variant(variant, names=names)

        was_left_to_model = trial.closed_by == ""
        if not was_left_to_model:
            assert_answered_rightly_by_preflight(trial)


VARIANTS_OF_THE_MODEL = (
    "record-field: branch",  # a question for a field of a branch
    "stock-count: available",  # a question for a number of products
    "product-existence: one product fits",  # a question if a product exists
    "basket-checkout: possible",  # the checkout of an own basket
    "basket-addition: one product fits",  # one more product in a basket
)
"""Tasks that the preflight always leaves to the model."""


class TestRequestsForModel:
    """Most tasks are left to the model, with nothing answered or changed before.

    The *classifier* is a small model that tells the preflight what a request wants. A right one is
    never mistaken, and a mute one does not reply.
    """

    @pytest.mark.parametrize("classifier", ["mute", "right"])
    @pytest.mark.parametrize("variant", VARIANTS_OF_THE_MODEL)
    def test_other_requests_are_left_to_the_model(
        self, variant: str, classifier: str
    ) -> None:
        """The preflight does not answer, and does not change the shop without an answer."""
        trial = play_variant(variant, classifier=classifier)

        assert trial.closed_by == ""
        assert not trial.has_change_without_answer


def available_units(store: Store, sku: str) -> int:
    """Return how many units of a product a branch can sell; 0 if it does not have the product."""
    stock = store.inventory.get(sku)
    if stock is None:
        return 0
    return max(stock.on_hand - stock.reserved, 0)


def units_in_city(task: Task, city: str, sku: str) -> int:
    """Return how many units of a product all branches in a city can sell together."""
    total = 0
    for store in task.world.stores.values():
        if store.city == city:
            total += available_units(store, sku)
    return total


NO_CLASSIFIER = "{}"
"""What the preflight gets in place of the classifier's reply if a run has no classifier."""


def city_stock_notice(environment: EcomEnvironment, request: str) -> str:
    """Return what the preflight tells the model about the stock in a city; empty if nothing."""
    result = function_result(
        environment, "tell_city_stock", request=request, intent=NO_CLASSIFIER
    )
    return result["value"].get("context", "")


@pytest.fixture
def camping_task() -> Task:
    """A task in a shop for camping, whose products include stoves and lamps."""
    return generate_variant(
        "sku-lookup: one product fits", "5", WorldSettings(names="own")
    )


class TestStockOfCity:
    """The preflight adds up the stock of a product in all branches of a city for the model.

    If a request asks for that, the model is told the sum in the first message, such as "12 units of
    VH-LMP-WISP-200 available: count: 12."
    """

    @pytest.mark.parametrize(
        ("sku", "is_in_stock"),
        [
            pytest.param("VH-LMP-WISP-200", True, id="a lamp that Utrecht has"),
            pytest.param("VH-STV-CINDER-GAS-PZ", False, id="a stove that it has not"),
        ],
    )
    def test_the_model_is_told_the_stock_of_a_city_in_the_requested_form(
        self, camping_task: Task, sku: str, is_in_stock: bool
    ) -> None:
        """The request wants `count: %d`. A sum of 0 must be told, too."""
        total = units_in_city(camping_task, "Utrecht", sku)
        assert (total > 0) == is_in_stock
        request_text = (
            f"Across every Utrecht branch, how many units of product ({sku}) are there? "
            'Say "count: %d".'
        )

        environment = EcomEnvironment(workspace_of(camping_task.world))
        notice = city_stock_notice(environment, request_text)

        assert f"{total} units of {sku} available: count: {total}." in notice

    def test_the_model_is_told_no_stock_if_the_request_names_no_product_and_no_city(
        self, camping_task: Task
    ) -> None:
        request_text = "How many units does every branch have?"

        environment = EcomEnvironment(workspace_of(camping_task.world))
        notice = city_stock_notice(environment, request_text)

        assert notice == ""
