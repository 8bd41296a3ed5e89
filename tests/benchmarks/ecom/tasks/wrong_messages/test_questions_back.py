"""Several products fit a request, and the answer must ask which of them is meant.

It must name all of them, and no others: "Which one? VH-TNT-2P, VH-TNT-4P". Each trial is such a
request in a world of its own, and its `required_words` are the products that fit.
"""

from tests.benchmarks.ecom.tasks.message_trials import score_of_message, trials_of


def test_a_question_with_one_of_several_products_scores_nothing() -> None:
    for trial in trials_of("sku-lookup: several products fit"):
        first_sku = trial.required_words[0]
        assert score_of_message(trial, f"Which one? {first_sku}") == 0.0


def test_a_question_with_another_sku_that_begins_alike_scores_nothing() -> None:
    """In place of `VH-TNT`, for example, the message has `VH-TNT-X`."""
    for trial in trials_of("sku-lookup: several products fit"):
        first_sku, *other_skus = trial.required_words
        skus = [*other_skus, f"{first_sku}-X"]
        assert score_of_message(trial, f"Which one? {', '.join(skus)}") == 0.0


def test_a_question_with_every_product_of_the_shop_scores_nothing() -> None:
    for trial in trials_of("sku-lookup: several products fit"):
        skus = ", ".join(trial.world.catalogue.products)
        assert score_of_message(trial, f"Which one? {skus}") == 0.0
