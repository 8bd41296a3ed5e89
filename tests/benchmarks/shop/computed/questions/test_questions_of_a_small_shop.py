"""Every kind of question is computed from the records of a small shop, and what is not certain is not computed."""

from __future__ import annotations

import pytest

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.language.shop_evidence import CLARIFICATION, DENIED, OK
from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.expected_deeds import Changes
from tests.benchmarks.shop.computed.small_shop import (
    BASKET,
    BOSS,
    CLERK,
    COURSE,
    MUG,
    RECORDS,
    STAFF,
    STORE,
    STORE_2,
    TENT,
)

MUG_2 = "/proc/products/FJ-MUG-SECOND.json"
TWO_MUGS = {MUG_2: {**RECORDS[MUG], "sku": "FJ-MUG-SECOND", "name": "Fjell Skerry mug large", "price_cents": 1_500}}
RECEIPT = """KADE GENT NORTH
2 Fjell Tarn tent 90.00 180.00
1 Fjell Skerry mvg
  10.00 10.00
3 Fjell Skerry mug 10.00 30.00
Subtotal EUR 210.00
"""


def stock(*rows: tuple[str, int, int]) -> Changes:
    return {STORE: {"inventory": [{"sku": sku, "on_hand": here, "reserved": kept} for sku, here, kept in rows]}}


@pytest.mark.parametrize(
    ("question", "cited", "right", "wrong"),
    [
        ("Do you have 4 of the Fjell Tarn tent available today at the North shop?", {STORE, TENT}, "AYE", "NAY"),
        ("Do you have 5 of the Fjell Tarn tent available today at the North shop?", {STORE, TENT}, "NAY", "AYE"),
        ("Do you have 9 of the Fjell Skerry mug available today at the North shop?", {STORE, MUG}, "AYE", "NAY"),
        ("Do you have 10 of the Fjell Skerry mug available today at the North shop?", {STORE, MUG}, "NAY", "AYE"),
        ("Do you have 13 of the Fjell Skerry mug at the North shop within 2 days?", {STORE, MUG}, "AYE", "NAY"),
        ("Do you have 13 of the Fjell Skerry mug at the North shop within 1 day?", {STORE, MUG}, "NAY", "AYE"),
        ("Do you have 1 of the Fjell Skerry mug available today at the South shop?", {STORE_2, MUG}, "NAY", "AYE"),
        (
            "How many of these SKUs have at least 4 units available at the North shop: FJ-TNT-TARN, FJ-MUG-ENAMEL?",
            {STORE, TENT, MUG},
            "2",
            "1",
        ),
        (
            "Number only: which of FJ-TNT-TARN and FJ-MUG-ENAMEL have at least 5 units available at North?",
            {STORE, TENT, MUG},
            "1",
            "2",
        ),
        ("How many employees have the role `clerk` at the North shop?", {STORE, CLERK}, "1", "2"),
        ("Across all staff records, how many people have the role `clerk`?", {CLERK, BOSS}, "2", "1"),
        ("Count `clerk` across all shops. Answer with a number only.", {CLERK, BOSS}, "2", "1"),
        ("At Kade Gent North, how many people hold `clerk`?", {STORE, CLERK}, "1", "2"),
        (
            "Which branches in the city of the North shop are open? One per line.",
            {STORE, STORE_2},
            "Kade Gent North",
            "Kade Gent South",
        ),
        ("Is there a Fjell Tarn tent with `persons` = `2`?", {TENT}, "AYE", "NAY"),
        ("Is there a Fjell Tarn tent with `persons` = `2` and `lined` = `TRUE`?", {TENT}, "AYE", "NAY"),
        ("Is there a Fjell Tarn tent with `persons` = `3`?", set(), "NAY", "AYE"),
        ("Is there a Fjell Tarn tent with `seats` = `2`?", set(), "NAY", "AYE"),
        ("How many products of the Fjell Tarn line cost less than EUR 90.01?", {TENT}, "1", "0"),
        ("How many products of the Fjell Tarn line cost less than EUR 90.00?", set(), "0", "1"),
        ("How many products of the Fjell Tarn line cost less than EUR 1,000?", {TENT}, "1", "0"),
        ("sku for the Fjell Tarn tent", {TENT}, "FJ-TNT-TARN", "FJ-MUG-ENAMEL"),
        ("What date is it tomorrow? Answer as YYYY-MM-DD only.", set(), "2031-05-05", "2031-05-04"),
        ("Which day is the day after tomorrow? Answer as YYYY-MM-DD only.", set(), "2031-05-06", "2031-05-05"),
        ("What `status` does basket-1 have?", {BASKET}, "open", "sold"),
        ("Are 4 of the Fjell Tarn tent available at the North shop?", {STORE, TENT}, "AYE", "NAY"),
        ("Is there a Fjell Tarn tent with `persons` = `2` and `seats` = `2`?", set(), "NAY", "AYE"),
        ("Is there a Fjell Tarn tent with `persons` = `2` and `lined` = `false`?", set(), "NAY", "AYE"),
        ('Count `clerk` across all shops. Answer as "<COUNT:%d>".', {CLERK, BOSS}, "<COUNT:2>", "<COUNT:1>"),
        ("What exact `id | status` does basket-1 have?", {BASKET}, "basket-1 | open", "open"),
        ("What is the `city` of the North shop?", {STORE}, "Gent", "Brugge"),
        ("What is the `is_open` of the North shop?", {STORE}, "true", "True"),
        ("What is the `price_cents` of the Fjell Tarn tent?", {TENT}, "9000", "90"),
        ("What is the `properties.persons` of the Fjell Tarn tent?", {TENT}, "2", "3"),
        ("Do you have 10 of the Fjell Skerry mug at the North shop within 1 day?", {STORE, MUG}, "NAY", "AYE"),
    ],
)
def test_the_value_is_the_one_of_the_records(question: str, cited: set[str], right: str, wrong: str) -> None:
    found = asked(question)
    assert found.outcome == OK
    assert found.cited == cited
    assert not found.may_be
    assert found.states(right)
    assert not found.states(wrong)


@pytest.mark.parametrize(
    "question",
    [
        "How many employees have the role `clerk` at the North shop, the boss not counted?",
        "How many employees have the role `clerk` or `boss` at the North shop?",
        "How many employees have the role `head clerk` at the North shop?",
        "How many employees have the role `clerk`, `boss` at the North shop?",
        "How many products of the Fjell Tarn line cost less than EUR 90.01, EUR 80.00?",
        "sku for the Fjell Tarn tent in basket-1",
        "sku for the Fjell Tarn tent. It is for basket-1.",
        "Do you have 5 of the Fjell Tarn tent, no more, at the North shop?",
        "What `id.basket` does basket-1 have?",
        "What exact `id | status` and `id | created_at` does basket-1 have?",
        "What date is it on Sunday?",
        'Who is `clerk` across all shops? Answer as "<NAME:%s>".',
        "Which shops are in the city of the North branch? Answer with one name per line, sorted by name.",
        "Which shops are open near North? Answer with one name per line, sorted by name.",
        "Tell whether the Fjell Tarn tent with `persons` = `2` is heavy.",
        "Do you have a Fjell Tarn tent with `persons` = `2`? SKU only.",
        "Is there a Fjell Tarn tent?",
        "Who holds `clerk` across all shops?",
        "Tell me of FJ-TNT-TARN and FJ-MUG-ENAMEL: at least 3 units available at North?",
        "Number only: has FJ-TNT-TARN at least 3 units available at North?",
        "Which day is the day after tomorrow for basket-1? Answer as YYYY-MM-DD only.",
        "How many employees have the role `clerk`?",
        "How many branches in the city of the North shop are open?",
        "How many products of the Fjell Tarn line cost less than EUR 90.01 and are not lined?",
        "How many products of the Fjell Tarn line cost EUR 90.01?",
        "How many products of the Fjell Tarn line cost less than EUR 90.01 or EUR 80.00?",
        "How many products of the Fjell line cost less than EUR 90.01?",
        "Do you have 4 of the Fjell Tarn tent with `persons` = `2` at the North shop?",
        "sku for the Fjell Tarn tent with `persons` = `2`",
        "SKU lookup: which of both is cheaper, the Fjell Tarn tent?",
        "What `status` and `created_at` does basket-1 have?",
        "What `status` do basket-1 and basket-2 have?",
        "What `status` does basket-4 have?",
        "What `lines` does basket-1 have?",
        "What `nothing` does basket-1 have?",
        "What `id.status` does basket-1 have?",
        "What is the `role` of my own record?",
        "File a ticket in Zendesk: what is the `city` of the North shop?",
        "What is the `city` of the North shop? Delete /tmp/old too.",
    ],
)
def test_a_question_that_leaves_a_doubt_is_not_computed(question: str) -> None:
    found = asked(question)
    assert found is None or (found.states is None and found.may_be - {DENIED} == {OK, CLARIFICATION})


def test_a_customer_has_no_record_to_be_asked_for() -> None:
    customer = {"/proc/customers/cust-1.json": {"id": "cust-1", "name": "Cas"}}
    assert asked("What is the `name` in my record?", records=customer) is None


def test_the_open_branches_are_named_in_prose_where_no_lines_are_asked_for() -> None:
    question = "Which branches in the city of the North shop are open?"
    found = asked(question)
    assert found.states("Kade Gent North")
    assert found.states("Only Kade Gent North is.")
    assert not found.states("Those are Kade Gent North and Kade Gent South.")
    assert not found.states("Only Kade Gent South is.")
    assert not asked(f"{question} Return only the names, one per line, sorted alphabetically.").states(
        "Only Kade Gent North is."
    )


def test_of_branches_those_of_the_same_city_count() -> None:
    far = "/proc/stores/store-far.json"
    records = {far: {**RECORDS[STORE], "id": "store-far", "name": "Kade Brugge Far", "city": "Brugge"}}
    found = asked("Which branches in the city of the North shop are open? One per line.", records=records)
    assert found.cited == {STORE, STORE_2}
    assert found.states("Kade Gent North")


def test_beside_a_product_that_is_called_like_its_brand_a_line_is_not_certain() -> None:
    question = "How many products of the Fjell Tarn line cost less than EUR 90.01?"
    assert asked(question, records={COURSE: {"name": "Fjell"}}).states is None


def test_what_arrives_later_today_is_not_yet_there() -> None:
    row = {"sku": "FJ-MUG-ENAMEL", "on_hand": 9, "reserved": 0, "incoming": [{"quantity": 4, "arrives_in_days": 0}]}
    question = "Do you have 10 of the Fjell Skerry mug at the North shop?"
    assert asked(question, records={STORE: {"inventory": [row]}}).states("NAY")


def test_an_employee_may_ask_for_anybodys_record_and_for_the_own_one() -> None:
    assert asked("What `status` does basket-4 have?", STAFF).states("open")
    mine = asked("What is the `name` in my record?", STAFF)
    assert (mine.cited, mine.states("An Peeters")) == ({CLERK}, True)
    assert asked("What is the `name` in that record?", STAFF) is None
    assert asked("What is the `name` of my Fjell Tarn tent?", STAFF).cited == {TENT}


def test_several_products_that_fit_are_asked_back_or_cannot_be_asked_for() -> None:
    found = asked("sku for the Fjell Skerry mug", records=TWO_MUGS)
    assert (found.outcome, found.cited) == (CLARIFICATION, {MUG, MUG_2})
    assert found.states("FJ-MUG-ENAMEL or FJ-MUG-SECOND?")
    assert not found.states("FJ-MUG-ENAMEL?")
    for question in (
        "Do you have 3 of the Fjell Skerry mug at the North shop?",
        "What `name` has the Fjell Skerry mug?",
    ):
        assert asked(question, records=TWO_MUGS).states is None
    count = asked("How many products of the Fjell Skerry line cost less than EUR 15.00?", records=TWO_MUGS)
    assert (count.cited, count.states("1")) == ({MUG}, True)


def test_a_list_with_a_condition_in_doubt_cites_what_it_lists_and_the_branch() -> None:
    found = asked("How many of these SKUs have units on the way to the North shop: FJ-TNT-TARN, FJ-MUG-ENAMEL?")
    assert (found.cited, found.tolerated, found.states) == ({TENT, MUG, STORE}, frozenset(), None)


def test_a_count_in_unknown_words_may_be_that_of_any_reading() -> None:
    question = "How many of these SKUs serve 5 customers or more from stock at the North shop today: {}, {}?"
    found = asked(question.format("FJ-TNT-TARN", "FJ-MUG-ENAMEL"))
    assert [found.states(each) for each in ("0", "1", "2", "13")] == [False, True, True, False]


@pytest.mark.parametrize(
    ("condition", "fitting"),
    [
        ("come to 5 at the North shop today", {"0", "1", "2", "13", "14"}),
        ("come to 5 at the North shop with 3 days of patience", {"0", "1", "2", "4", "13", "14", "17"}),
    ],
)
def test_a_number_about_listed_skus_in_unknown_words_is_a_count_or_a_sum(condition: str, fitting: set[str]) -> None:
    found = asked(f"Do these {condition}: FJ-TNT-TARN, FJ-MUG-ENAMEL? Answer exactly as %d.")
    assert found.cited == {TENT, MUG, STORE}
    assert {str(number) for number in range(40) if found.states(str(number))} == fitting


TABLE = {
    "/docs/origin.md": "| Fact | Value |\n|---|---|\n"
    "| Founding date | 1987-03-02 |\n| Opening of doors | 1990-01-02 |\n"
    "| First branch | Kade Gent South |\n"
    "| Motto 1 | Carry on |\n| Opening song | La la |\n| Tax code | 12 |\n| 2030 | x |\n"
}


@pytest.mark.parametrize(
    ("question", "tolerated", "value"),
    [
        ("What is the motto?", {"/docs/origin.md"}, "Carry on"),
        ("What is the tax code?", {"/docs/origin.md"}, "12"),
        ("What are the tax codes?", {"/docs/origin.md"}, "12"),
        ("Who was the founder?", {"/docs/origin.md"}, "1987-03-02"),
        ("When was it founded, as a founding day?", {"/docs/origin.md"}, "1987-03-02"),
        ("Which is the founding day? Answer as YYYY-MM-DD only.", {"/docs/origin.md"}, "1987-03-02"),
        ("When did you do the opening? Answer as YYYY-MM-DD.", {"/docs/origin.md"}, "1990-01-02"),
        ("What is the city of the first branch?", {"/docs/origin.md", STORE_2}, "Gent"),
        ("Is open the first branch, by its is open?", {"/docs/origin.md", STORE_2}, "False"),
    ],
)
def test_a_fact_is_the_one_row_whose_label_fits(question: str, tolerated: set[str], value: str) -> None:
    found = asked(question, documents=TABLE)
    assert (found.cited, found.tolerated) == (set(), tolerated)
    assert found.states(value)
    assert not found.states("1903-04-01")


@pytest.mark.parametrize(
    "question",
    [
        "The motto, please.",
        "What is the motto on my receipt?",
        "What is the motto of basket-1?",
        "What is the motto of FJ-TNT-TARN?",
        "What is the slogan?",
        "When did you do the opening?",
        "What are the motto and the founding date?",
        "What is the size of the first branch?",
        "What are the name and the city of the first branch?",
    ],
)
def test_a_fact_of_no_row_of_two_rows_or_of_no_field_is_not_computed(question: str) -> None:
    found = asked(question, documents=TABLE)
    assert found is None or found.states is None


def test_a_yes_or_no_is_the_workspaces_word_if_it_has_two() -> None:
    question = "Do you have 4 of the Fjell Tarn tent available today at the North shop?"
    assert asked(question, rules="").states("Certainly.")
    found = asked(question)
    assert found.states("AYE, four.")
    assert asked(question, rules="Answer `YES` for yes, `NOT-YES` for no.").states("YES")
    fewer = question.replace("4", "5")
    assert asked(fewer, rules="Answer `YES` for yes, `NOT-YES` for no.").states("NOT-YES")
    assert not found.states("AYE or NAY")
    assert not found.states("Certainly.")


def test_a_field_without_a_value_is_not_computed() -> None:
    assert asked("What `note` does basket-1 have?", records={BASKET: {"note": None}}) is None
    assert asked("What `note` does basket-1 have?", records={BASKET: {"note": "x"}}).states("x")


@pytest.mark.parametrize("words", ["Put into {}: ", "Create the inventory export {} with "])
def test_an_export_is_told_by_its_file_and_header_or_by_its_name(words: str) -> None:
    question = words.format("/exports/north.csv") + "`fam-fjell` at the North shop: SKU,2031-05-04,2031-05-06."
    assert export("", question=question).cited == {STORE, TENT, MUG, COURSE}


def export(rows: str, records: Changes | None = None, question: str = "") -> Expectation | None:
    question = question or (
        "Create the inventory export /exports/north.csv of the family `fam-fjell` at the North shop, with the header "
        "SKU,2031-05-04,2031-05-06."
    )
    return asked(question, STAFF, records, {"/exports/north.csv": rows})


def test_an_export_is_right_if_its_rows_are() -> None:
    rows = "SKU,2031-05-04,2031-05-06\nFJ-MUG-ENAMEL,9,4\nFJ-TNT-TARN,4,0\nFJ-VID-KNOTS,0,0\n"
    found = export(rows)
    assert (found.cited, found.tolerated) == ({STORE, TENT, MUG, COURSE}, {"/exports/north.csv"})
    assert found.states(" /exports/north.csv\n")
    assert not found.states("Done.")
    assert not export(rows.replace("9,4", "9,3")).states("/exports/north.csv")
    fewer = export(rows.replace("FJ-VID-KNOTS,0,0\n", ""), {COURSE: {"family_id": "fam-videos"}})
    assert fewer.cited == {STORE, TENT, MUG}
    assert fewer.states("/exports/north.csv")


@pytest.mark.parametrize(
    "question",
    [
        "Create the inventory export /exports/a.csv and /exports/b.csv of `fam-fjell` at North: SKU,2031-05-04.",
        "Create the inventory export /exports/a.csv of `fam-other` at North: SKU,2031-05-04.",
        "Create the inventory export /exports/a.csv of `fam-fjell` at North: SKU.",
    ],
)
def test_an_export_that_leaves_a_doubt_is_not_computed(question: str) -> None:
    assert export("", question=question) is None
