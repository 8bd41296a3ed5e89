"""A question whether a product exists is told by what it names and how it ends, not by its phrase."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.shop.rules.citation_rules import fault_of_existing_product
from benchmarks.shop.rules.existence_questions import asks_existence, rests_on_nothing
from gates import Case, Submission
from gates.types import Evidence, LookUp
from tests.gates.facts.read_texts import evidence_with

RULES = "Answer a yes/no question with exactly `<JA>` or `<NEE>`, nothing else."
TENT, MUG = "/proc/products/FJ-TNT-TARN.json", "/proc/products/camp-shelf/FJ-MUG-ENAMEL.json"
SEEN = evidence_with(
    {
        TENT: {
            "sku": "FJ-TNT-TARN",
            "name": "Fjell Tarn tent",
            "properties": {"waterproof": True, "rain_hood": "none"},
        },
        MUG: {"sku": "FJ-MUG-ENAMEL", "name": "Fjell mug", "properties": {}},
    },
    listed=(
        "/proc/products",
        "/docs/discounts.md",
        "/bin/checkout",
        "/proc/stores/store_gent_kade.json",
        "/proc/returns/ret_1.json",
    ),
)
FAILED = LookUp("search", "/proc/products", "tarn", has_failed=True)


def asks(instruction: str, seen: Evidence = SEEN, rules: str = RULES, answer: str = "None.") -> bool:
    return asks_existence(Submission(answer, "OUTCOME_OK"), seen, Case(instruction, rules))


@pytest.mark.parametrize(
    "instruction",
    [
        "Would I find this on a shelf: big Fjell tent? Yes or no.",
        "Among what is sold, is there 'big Fjell tent'? Yes or no.",
        "Is there a product of this kind: big Fjell tent? Yes or no.",
        "Does such a product exist: big Fjell tent?",
        "Would I find this on a shelf: Fjell tent? Yes or no.",
        "Would Fjell make this for me: big Tarn tent? Yes or no.",
    ],
)
def test_a_description_set_apart_with_a_yes_or_no_is_asked_for(instruction: str) -> None:
    assert asks(instruction)


def test_an_answer_in_the_words_for_yes_and_no_tells_what_was_asked() -> None:
    wish = "Look for this: big Fjell tent?"
    assert asks(wish, answer="<NEE>")
    assert asks(wish, answer=" <JA> ")
    assert not asks(wish, answer="NEE")
    assert not asks(wish, answer="<NEE>", rules="Be brief.")
    assert not asks(f"{wish} And where?", answer="<NEE>")
    assert not asks(f"{wish} Answer as YYYY-MM-DD only.", answer="<NEE>")


@pytest.mark.parametrize(
    "instruction",
    [
        "Is this waterproof: big Fjell tent? Yes or no.",
        "Does a hood come with it: big Fjell tent? Yes or no.",
        "Could I bring it as a return: big Fjell tent? Yes or no.",
        "Is there a discount on this: big Fjell tent? Yes or no.",
        "Is this in Gent: big Fjell tent? Yes or no.",
        "Would I find this: FJ-TNT-TARN and more? Yes or no.",
        "Would I find this in basket_1: big Fjell tent? Yes or no.",
        "Would I find `name` here: big Fjell tent? Yes or no.",
        "Would I find this: 'big tent' or 'small tent'? Yes or no.",
        "Would I find this: tent? Yes or no.",
        "Would I find this: big Fjell tent? How much is it?",
        "Would I find this: big Fjell tent? Answer as YYYY-MM-DD only.",
        "Would I find this: big Fjell tent? Yes or no. Answer as YYYY-MM-DD only.",
        "Would I find a big Fjell tent? Yes or no.",
        "Delete this: big Fjell tent? Yes or no.",
    ],
)
def test_what_names_more_or_ends_otherwise_may_ask_something_else(instruction: str) -> None:
    assert not asks(instruction)


def test_without_a_trace_or_two_words_for_yes_and_no_only_the_phrase_tells() -> None:
    question = "Would I find this on a shelf: big Fjell tent? Yes or no."
    assert not asks(question, Evidence())
    assert not asks(question, rules="")


def test_a_product_whose_text_is_no_record_knows_no_words() -> None:
    seen = evidence_with({TENT: "waterproof, and no record"})
    assert asks("Is this waterproof: big Fjell tent? Yes or no.", seen)


@pytest.mark.parametrize(
    ("answer", "refs", "fault"),
    [
        ("<NEE>", (TENT,), "is cited"),
        ("<NEE>", (), ""),
        ("<JA>", (TENT, MUG), "2 are cited"),
        ("<JA>", (), "is not cited"),
        ("<JA>", (TENT,), ""),
    ],
)
def test_its_answer_cites_the_one_product_or_none(answer: str, refs: tuple[str, ...], fault: str) -> None:
    case = Case("Would I find this on a shelf: big Fjell tent? Yes or no.", RULES)
    said = Submission(answer=answer, outcome="OUTCOME_OK", refs_why=dict.fromkeys(refs, "Fjell tent"))
    found = fault_of_existing_product(said, SEEN, case)
    assert fault in found
    assert bool(found) is bool(fault)


def test_a_no_rests_on_a_look_up_that_worked() -> None:
    seen = replace(evidence_with({"/docs/catalogue.md": "All there is."}), look_ups=(FAILED,))
    case = Case("Would I find this on a shelf: big Fjell tent? Yes or no.", RULES)
    no = Submission(answer="<NEE>", outcome="OUTCOME_OK", refs_why={})
    assert "shows no absence" in fault_of_existing_product(no, seen, case)
    worked = replace(seen, look_ups=(FAILED, replace(FAILED, has_failed=False)))
    assert not fault_of_existing_product(no, worked, case)
    assert "is not cited" in fault_of_existing_product(replace(no, answer="<JA>"), seen, case)


def test_a_listing_shows_no_absence_and_a_record_that_was_read_may() -> None:
    listing = LookUp("list", "/proc/products")
    assert rests_on_nothing(Evidence(look_ups=(FAILED, listing)))
    assert not rests_on_nothing(Evidence(look_ups=(listing,)))
    assert not rests_on_nothing(replace(SEEN, look_ups=(FAILED,)))


def test_folders_of_products_and_of_records_below_their_kind_name_nothing_else() -> None:
    wish = "Would you carry such wares of an evening: big Fjell tent? Yes or no."
    wares = {"/proc/wares/cat-carry/FJ-TNT-TARN.json": {"sku": "FJ-TNT-TARN", "name": "Fjell Tarn tent"}}
    listed = ("/proc/wares", "/proc/wares/cat-carry", "/proc/returns/evening/ret_1.json")
    assert asks(wish, evidence_with(wares, listed=listed))
    assert not asks(wish, evidence_with(wares, listed=(*listed, "/docs/evening.md")))
    assert not asks(wish, evidence_with(wares, listed=(*listed, "/proc/stores/evening/store_gent.json")))
    assert not asks(wish, evidence_with(wares, listed=(*listed, "/proc/evening/ret_1.json")))
