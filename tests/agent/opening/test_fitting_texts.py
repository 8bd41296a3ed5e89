from agent.opening.fitting_texts import fitting

TEXTS = {
    "/docs/returns.md": "# Returns\nA refund is approved for a return. Refunds are closed." + "." * 40,
    "/docs/stock.md": "# Stock\nUnits available today." + "." * 40,
    "/docs/checkout.md": "# Checkout\nA basket is checked out; see /docs/stock.md. Baskets lie in /proc/carts."
    + "." * 40,
    "/docs/history.md": "# History\nThe harbour, long ago." + "." * 40,
}


def test_the_text_that_shares_the_rarer_words_is_shown() -> None:
    assert fitting("Please close the refund of pay-3.", TEXTS, 120) == ["/docs/returns.md"]


def test_a_text_that_a_fitting_one_names_comes_next() -> None:
    assert fitting("Check out my basket.", TEXTS, 220) == ["/docs/checkout.md", "/docs/stock.md"]


def test_a_text_that_names_the_folder_of_a_named_file_fits() -> None:
    assert fitting("Do it for c-1.", TEXTS, 130, folders=["/proc/carts"])[0] == "/docs/checkout.md"


def test_where_nothing_is_shared_the_order_of_the_rules_decides() -> None:
    rules = "stock: /docs/stock.md; returns: /docs/returns.md"
    assert fitting("Quux?", TEXTS, 200, rules=rules)[:2] == ["/docs/stock.md", "/docs/returns.md"]


def test_no_text_is_cut_unless_there_is_room_for_none() -> None:
    assert fitting("refund", TEXTS, 5) == ["/docs/returns.md"]
    assert sum(len(TEXTS[each]) for each in fitting("refund basket", TEXTS, 230)) <= 230
    assert fitting("refund", {}, 100) == []
