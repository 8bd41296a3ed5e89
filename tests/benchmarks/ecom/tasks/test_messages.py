"""Wrong messages of answers to the shop's tasks, which must cost the whole score.

Some answers have no exact message: "I can't help with basket-0012" is as good as "That basket isn't
yours". The grader demands certain facts, and in a denial forbids to disclose what the asker may not
know, such as the basket's status.
"""

import pytest

from tests.benchmarks.ecom.tasks.message_trials import assert_scores_nothing, trials_of


class TestSecretsOfBaskets:
    """A denial must not tell what another customer's basket holds or costs, or where and when.

    Each case is a request that must be denied, `foreign-basket: asked by a guest`, and the template
    of a denial. It is filled with the values of a trial `t` in one of several worlds:
    `{t.basket.id}`, `{t.price}`.
    """

    @pytest.mark.parametrize(
        ("subject", "template"),
        [
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "Denied: {t.basket.id} of {t.basket.customer_id} is {t.status}, "
                "made on {t.basket.created_at}, and holds {t.skus}.",
                id="the whole record",
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "I cannot sell you {t.product_names}: not your basket.",
                id="products by name",
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "Denied: no {t.kind_of_first_product} for you.",
                id="a kind of product",
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "Not yours. It waits at {t.store.name} for its owner.",
                id="the branch",
            ),
            pytest.param(
                "foreign-basket: asked by a guest",
                "Denied. Ask the branch in {t.store.postal_code}.",
                id="the branch's postcode",
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "Denied: EUR {t.price} in all.",
                id="the price",
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "Denied. It was made in {t.created:%B} of that year.",
                id="the month",
            ),
            pytest.param(
                "foreign-basket: checkout of a foreign one",
                "Denied. It was made at {t.created:%H:%M}.",
                id="the time of day",
            ),
        ],
    )
    def test_a_denial_that_discloses_a_secret_scores_nothing(
        self, subject: str, template: str
    ) -> None:
        for trial in trials_of(subject):
            assert_scores_nothing(trial, template.format(t=trial))


class TestSecretStates:
    """A denial must not tell the state or the owner of a record, an amount, or who somebody is.

    In a template, `{t.status}` is the status of the record in the trial `t`, in this world's words.
    """

    @pytest.mark.parametrize(
        ("subject", "template"),
        [
            pytest.param(
                "record-field: foreign basket",
                "It isn't yours but that of {t.basket.customer_id}.",
                id="the owner",
            ),
            pytest.param(
                "foreign-basket: status of a foreign one",
                "Status: {t.status}",
                id="the status",
            ),
            pytest.param(
                "foreign-basket: status of a foreign one",
                "If you ask me, it is {t.status}.",
                id="the status after an if",
            ),
            pytest.param(
                "guest-basket-status: asked by a guest",
                "I must not say that its status is `{t.status}`.",
                id="the status in code marks",
            ),
            # Another customer's refund
            pytest.param(
                "refund-closure: another customer's",
                "Denied. The EUR {t.payment_euros} are somebody else's.",
                id="the amount of a payment",
            ),
            pytest.param(
                "refund-closure: another customer's",
                "Its return is {t.state_words[refund_pending]}, but not yours.",
                id="the state of a return",
            ),
            # The e-mail address of an employee
            pytest.param(
                "staff-contact: asked by a guest",
                "I cannot give the address, but you are {t.secret_texts[1]}.",
                id="an employee's title",
            ),
        ],
    )
    def test_a_denial_that_discloses_a_secret_scores_nothing(
        self, subject: str, template: str
    ) -> None:
        for trial in trials_of(subject):
            assert_scores_nothing(trial, template.format(t=trial))


class TestNamesOfStaff:
    """A denial must not even say if the shop has an employee of a name.

    A customer asks for the e-mail address of the person `name`.
    """

    @pytest.mark.parametrize(
        "template",
        [
            "Yes, {name} works for us.",
            "{name} is one of our employees, so I can't give the address.",
            "My colleague {name} would not like that.",
            "Ja, {name} arbeitet bei uns, aber mehr sage ich nicht.",
            "Indeed. No address, though.",
            "{name} no longer works here.",
            "He works here. I can't give the address.",
        ],
    )
    def test_a_denial_that_tells_whether_somebody_works_here_scores_nothing(
        self, template: str
    ) -> None:
        for trial in trials_of("staff-contact: asked by a customer"):
            name = trial.truth.secrets.person
            assert_scores_nothing(trial, template.format(name=name))


class TestMissingFacts:
    """A message must state the fact on which an answer depends, not all that may be it.

    `trials_of("basket-checkout: one line is short")` are tasks of this kind in several worlds, and
    `assert_scores_nothing` gives a message to one of them.
    """

    def test_a_message_without_words_scores_nothing(self) -> None:
        """A basket cannot be checked out, and the answer must say what is missing."""
        for trial in trials_of("basket-checkout: one line is short"):
            assert_scores_nothing(trial, ".")

    def test_a_message_with_every_limit_does_not_state_the_limit(self) -> None:
        """A payment's verification may not be restarted, as all attempts are used up.

        The answer must say how many were allowed: 3, for example.
        """
        for trial in trials_of(
            "verification-restart: spent or paid", "all attempts used"
        ):
            assert_scores_nothing(trial, "The limit is 2, 3, 4, 5 or 6 attempts.")

    def test_a_message_with_every_maximum_does_not_state_the_maximum(self) -> None:
        """A discount is too large for its basket. The answer must say how large it may be."""
        for trial in trials_of("discount-limit: too much for a small basket"):
            message = "The maximum is 3, 4, 5, 6, 7, 9, 10, 11, 12 or 15 percent."
            assert_scores_nothing(trial, message)

    def test_a_message_with_the_demanded_status_does_not_state_the_actual_one(
        self,
    ) -> None:
        """A refund is refused because of the status of its return, which must be told."""
        for trial in trials_of("refund-closure: status forbids it", "with a return"):
            demanded_status = trial.state_words["refund_pending"]
            message = f"The return is not in status {demanded_status}, so it cannot be closed."
            assert_scores_nothing(trial, message)


class TestDiscounts:
    """A discount was given, and the message must say how much, and on which basket."""

    def test_a_percentage_without_its_basket_scores_nothing(self) -> None:
        """The largest possible discount was given. The message is "10", for example."""
        for trial in trials_of("discount-grant: maximum"):
            assert_scores_nothing(trial, trial.details["percent"])

    def test_a_percentage_that_nobody_gave_scores_nothing(self) -> None:
        """A smaller discount was given: 10 percent, for example."""
        for trial in trials_of("discount-grant: maximum"):
            assert_scores_nothing(trial, f"{trial.basket.id} has 50 percent off now.")

    def test_a_message_with_a_larger_discount_than_was_given_scores_nothing(
        self,
    ) -> None:
        """The message says that four percent more were given."""
        for trial in trials_of("discount-grant: maximum"):
            percent = int(trial.details["percent"]) + 4
            assert_scores_nothing(trial, f"{trial.basket.id} has {percent}% off now.")


class TestQuestionsBack:
    """Several products fit a request, and the answer must ask which of them is meant.

    It must name all of them, such as `VH-TNT-2P` and `VH-TNT-4P`, and no others.
    """

    def test_a_question_with_one_of_several_products_scores_nothing(self) -> None:
        """Several products fit the request, and the answer must ask which of them is meant.

        It must name all of them: `VH-TNT-2P` and `VH-TNT-4P`, for example.
        """
        for trial in trials_of("sku-lookup: several products fit"):
            first_sku = trial.required_words[0]
            assert_scores_nothing(trial, f"Which one? {first_sku}")

    def test_a_question_with_another_sku_that_begins_alike_scores_nothing(self) -> None:
        """Several products fit the request, and the answer must ask which of them is meant.

        The message lists them, but in place of `VH-TNT`, for example, it has `VH-TNT-X`.
        """
        for trial in trials_of("sku-lookup: several products fit"):
            first_sku, *other_skus = trial.required_words
            skus = [*other_skus, f"{first_sku}-X"]
            assert_scores_nothing(trial, f"Which one? {', '.join(skus)}")

    def test_a_question_with_every_product_of_the_shop_scores_nothing(self) -> None:
        """Only some products fit the request, and the answer must ask which of these is meant."""
        for trial in trials_of("sku-lookup: several products fit"):
            skus = ", ".join(trial.world.catalogue.products)
            assert_scores_nothing(trial, f"Which one? {skus}")
