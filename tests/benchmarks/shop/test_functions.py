"""Every function finds what is true, in worlds of every
family that it serves, in every profile and vocabulary.

What functions read by is here too: tables, texts,
the names of a workspace, calls side by side.
"""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.shop.declarations import SHOP_TOOLS
from controlplane.benchmarks.shop.dispatch import (
    DelayLength,
    Rates,
    rates_in_call,
    read_lanes,
    read_packages,
)
from controlplane.benchmarks.shop.payment_series import (
    find_series,
    read_payments,
    uncertain_series,
)
from controlplane.benchmarks.shop.products.product_properties import property_match
from controlplane.benchmarks.shop.products.receipts import ScannedItem
from controlplane.benchmarks.shop.products.scanned_receipts import scanned_product
from controlplane.benchmarks.shop.requests.request_dates import relative_date
from controlplane.benchmarks.shop.workspace.field_names import (
    CheckFields,
    DeliveryFields,
    LineFields,
    StockFields,
    check_fields,
    line_fields,
    product_fields,
    stock_fields,
)
from controlplane.benchmarks.shop.workspace.tool_uses import possible_tools
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.function_truths import CALLS_OF_FAMILY, judged, opened
from tests.support.functions_here import function_result_and_calls

LIGHT = (("prod", "own", 5), ("prod", "public", 1), ("hard", "random", 7))
"""Profiles, vocabularies and seeds. Seeds that 3 divides are kept for measuring."""
MANY = [
    (profile, names, seed)
    for profile, names, _ in (*LIGHT, ("dev", "random", 0))
    for seed in (5, *range(11, 60, 2))
    if seed % 3
]


@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
def test_a_function_finds_what_is_true(family):
    check(family, LIGHT)


@pytest.mark.heavy
@pytest.mark.parametrize("family", CALLS_OF_FAMILY)
def test_it_does_so_in_many_worlds(family):
    check(family, MANY)


def check(family, worlds):
    for profile, names, seed in worlds:
        task, environment = opened(family, seed, names=names, profile=profile)
        for call in CALLS_OF_FAMILY[family](task):
            result = judged(environment, call)
            assert result.verdict == "right", (
                task.instruction,
                call.function,
                call.arguments,
                result,
            )


def test_every_function_is_compared_with_a_truth():
    called = {
        call.function
        for family in CALLS_OF_FAMILY
        for seed in (1, 2)
        for call in CALLS_OF_FAMILY[family](opened(family, seed)[0])
    }

    assert {tool.name for tool in SHOP_TOOLS} == called


def test_a_record_is_given_by_id_or_path_and_a_miss_names_the_closest():
    _, environment = opened("sku-lookup", 7, names="random", profile="hard")
    paths = sorted(environment.workspace.files)
    basket = next(path for path in paths if "/basket" in path)
    name = basket.rsplit("/", 1)[1].removesuffix(".json")

    assert function_result_and_calls(
        environment, "may_use", record=basket
    ) == function_result_and_calls(environment, "may_use", record=name)
    product = next(path for path in paths if "/VH-" in path)
    branch = next(
        path
        for path in paths
        if "/store" in path and path.endswith(".json") and "/VH-" not in path
    )
    value = function_result_and_calls(
        environment, "stock_at", products=[product], branch=branch
    )[0]["value"]
    assert [*value] == [product.rsplit("/", 1)[1].removesuffix(".json")]
    for function, arguments, told in (
        ("may_use", {"record": f"{name}7"}, f"'{name}7'; closest: {basket}, "),
        (
            "stock_at",
            {"products": [product], "branch": "Utrecht"},
            "no single branch is called 'Utrecht'; closest: Veerhaven Utrecht ",
        ),
        (
            "fraud_rows",
            {"path": "/docs/lamp.md"},
            "there is no file /docs/lamp.md; closest: /docs/",
        ),
    ):
        with pytest.raises(CallError) as miss:
            function_result_and_calls(environment, function, **arguments)
        assert told in miss.value.message
        assert miss.value.message.count(", ") == 2
    with pytest.raises(
        CallError, match="too many products may be meant: name the brand as well"
    ):
        function_result_and_calls(environment, "match_products", description="a bag")
    unknown = (("hatchet warmer", "warmer"), ("the waterproof sack", "sack"))
    for function, arguments, told in (
        *(
            (
                "match_products",
                {"description": said},
                f"no product record holds '{word}': use words of the records; closest: ",
            )
            for said, word in unknown
        ),
        (
            "find_records",
            {"kind": "product", "field": "name", "value": "lamp"},
            "holds 'lamp' as its name; closest: ",
        ),
        (
            "staff_with_role",
            {"role": "lamp"},
            "nobody has the role 'lamp' there; roles of others: ",
        ),
    ):
        (note,) = function_result_and_calls(environment, function, **arguments)[0][
            "notes"
        ]
        assert told in note
        assert note.count(", ") == 2


@pytest.mark.parametrize("is_escaped", [False, True])
def test_names_with_marks_are_found_in_any_spelling(is_escaped):
    task = generate_variant(
        "basket-addition#1", "5|basket-addition.1|0", WorldSettings(names="public")
    )
    environment = EcomEnvironment(workspace_of(task.world))
    texts = {}
    for path, text in environment.workspace.files.items():
        for name, marked in (
            ("Aldermoor", "Bjørn Åsmöör"),
            ("Arnhem", "Zürich"),
            ("Breda", "'s-Den Haag"),
        ):
            told = (
                json.dumps(marked)[1:-1]
                if is_escaped and path.endswith(".json")
                else marked
            )
            path, text = path.replace(name, marked), text.replace(name, told)
        texts[path] = text
    environment = EcomEnvironment(replace(environment.workspace, files=texts))
    for function, arguments, count in (
        ("match_products", {"description": "Bjørn Åsmöör's Fathoow"}, 4),
        ("match_products", {"description": "BJØRN ÅSMÖÖR dry bag"}, 4),
        (
            "find_records",
            {"kind": "product", "field": "brand", "value": "Bjørn Åsmöör"},
            4,
        ),
        ("branches_in", {"place": "Zuerich"}, 1),
        ("branches_in", {"place": "zurich"}, 1),
        ("branches_in", {"place": "’s Den Haag"}, 3),
        ("stock_at", {"products": ["VH-DRY-FATHOOW-10"], "branch": "Zurich"}, 1),
    ):
        assert (
            len(
                function_result_and_calls(environment, function, **arguments)[0][
                    "value"
                ]
            )
            == count
        ), arguments


@pytest.fixture
def camping():
    """A shop with tarps, one upload of whose lines hold codes, one of them misread."""
    world = generate_variant("sku-lookup#1", "5", WorldSettings(names="own")).world
    name = next(iter(world.stores.values())).name
    lines = [
        "2 VH-TRP-LEA-3X3-GRN 71.39 142.78",
        "1 x VH-TRP-LEA-3X3-5ND 71.19",
        "Subtotal EUR 213.97",
    ]
    world.files["/uploads/slip.txt"] = "\n".join([f"Branch: {name}", *lines])
    return EcomEnvironment(workspace_of(world))


@pytest.mark.parametrize("path", ["/uploads/slip.txt", ""])
def test_a_receipt_without_names_is_settled_by_its_codes(camping, path):
    value = function_result_and_calls(camping, "settle_receipt", path=path)[0]["value"]
    assert [(line["sku"], line["quantity"]) for line in value["lines"]] == [
        ("VH-TRP-LEA-3X3-GRN", 2),
        ("VH-TRP-LEA-3X3-SND", 1),
    ]
    assert (value["subtotal_now_cents"], value["within"]) == (21397, True)


def test_a_basket_may_spell_a_products_code_in_small_letters():
    task = generate_variant("basket-checkout#1", "5", WorldSettings(names="own"))
    shop = EcomEnvironment(workspace_of(task.world))
    user = task.world.session.user
    baskets = task.world.baskets.values()
    basket = next(basket for basket in baskets if basket.customer_id == user)
    (right,) = function_result_and_calls(shop, "check_basket", basket=basket.id)[0][
        "value"
    ]["lines"]

    code = right["sku"]
    path = next(path for path in shop.workspace.files if f"/{basket.id}." in path)
    text = shop.workspace.files[path]
    shop.workspace.files[path] = text.replace(code, code.lower())
    (line,) = function_result_and_calls(shop, "check_basket", basket=basket.id)[0][
        "value"
    ]["lines"]
    assert line == {**right, "sku": code.lower()}


def test_a_scanned_name_without_a_code_is_refused_before_any_product_is_read():
    item = ScannedItem(1, "Lea tarp", code="", unit_cents=7139, total_cents=7139)
    catalogue: Any = object()
    with pytest.raises(CannotRead, match=r"'Lea tarp' \(no code\)"):
        scanned_product(catalogue, item)


def test_an_unknown_code_without_a_name_is_refused_before_any_product_is_read():
    item = ScannedItem(1, "", code="VH-TRP-9", unit_cents=7139, total_cents=7139)
    catalogue: Any = SimpleNamespace(codes={"VH-TRP-1": "/products/VH-TRP-1.json"})
    with pytest.raises(CannotRead, match=r"'' \(VH-TRP-9\)"):
        scanned_product(catalogue, item)


@pytest.mark.parametrize(
    ("noted", "notes"),
    [
        ("", []),
        (
            " and has waterproof 9000",
            ["of VH-TRP-LEA-3X3-SND it is not true that it has waterproof 9000"],
        ),
        (
            " and is waterproof 3000 mm",
            ["of VH-TRP-LEA-3X3-SND it is true that it has waterproof 3000 mm"],
        ),
    ],
)
def test_a_description_in_the_catalogues_phrase_is_taken_apart_and_what_a_note_claims_is_tested(
    camping, noted, notes
):
    said = f"support note: the tarp from Osier & Oak in the Osier & Oak Lea line that has colour sand{noted}"
    result = function_result_and_calls(camping, "match_products", description=said)[0]

    assert [product["sku"] for product in result["value"]] == ["VH-TRP-LEA-3X3-SND"]
    assert result["notes"] == notes


@pytest.mark.parametrize("seed", ["seed 5", "seed 6", "seed 7"])
def test_a_coming_embargo_is_noted_by_every_function_whose_product_it_is(
    seed: str,
) -> None:
    task = generate_variant("receipt-rebuy#3", seed)
    shop = EcomEnvironment(workspace_of(task.world))
    day = task.truth.message.rpartition(" ")[2].rstrip(".")
    barred = [
        product
        for product in task.world.catalogue.products.values()
        if product.properties.get("embargo_until") == day
    ]
    for product in barred:
        for function, given in {
            "settle_receipt": {},
            "find_records": {"kind": "product", "field": "sku", "value": product.sku},
            "stock_at": {
                "products": [product.sku],
                "branch": next(iter(task.world.stores)),
            },
        }.items():
            notes = function_result_and_calls(shop, function, **given)[0]["notes"]
            assert f"`embargo_until` {day}, which is still to come" in str(notes), (
                function
            )

    assert barred


RATES = Rates(
    shares={"unlikely": 0.05, "likely": 0.405},
    lengths={"short": DelayLength(1, 2), "long": DelayLength(5, 7)},
    late_cents=650,
)
PACKAGE_TABLE = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
LANE_TABLE = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


@pytest.mark.parametrize(
    ("read", "table", "said"),
    [
        (read_packages, "package_id\tdue_time\n", "no rows"),
        (read_packages, PACKAGE_TABLE + "p1\ts\td\tsoon\t1\n", "no whole number"),
        (
            read_lanes,
            LANE_TABLE.replace("capacity", "size") + "a\ts\td\t1\t1\t5\t\n",
            "no single column for capacity",
        ),
        (read_lanes, LANE_TABLE + "a\ts\n", "other columns"),
    ],
)
def test_a_table_of_another_shape_is_refused(read, table, said):
    with pytest.raises(CannotRead, match=said):
        read(table, RATES if read is read_lanes else RATES.late_cents)


def test_a_caller_gives_rates_in_the_words_of_the_hints():
    given = rates_in_call(
        650, {"unlikely": 5, "likely": 40.5, "short": [1, 2], "long": [5, 7]}
    )

    assert given == RATES
    assert rates_in_call(0, {}) == Rates()
    for delays in (
        "often",
        {"often": "20"},
        {"often": 120},
        {"short": [1]},
        {"short": ["a", "b"]},
    ):
        with pytest.raises(CannotRead, match="neither trips in 100 nor"):
            rates_in_call(0, delays)


HEADER = "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
IN_CITIES = ("Graz", "Linz", "Wien", "Graz")


def table(*, pause_min: int = 20, channel: str = "web", buyer: str = "c-1") -> str:
    rows = [
        f"R{at};{datetime(2027, 1, 1) + at * timedelta(minutes=pause_min)};{buyer};{city};900;d{at};{channel}\n"
        for at, city in enumerate(IN_CITIES)
    ]
    return HEADER + "".join(rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no single column for customer"),
        (HEADER, "no single column for customer"),
        (table().replace("900", "nine"), "no amount in cents"),
        (table().replace("2027-01-01", "today"), "instants"),
        (table().replace("2027-01-01", "2027-02-30"), "no valid time"),
        (table().replace("city", "place"), "no single column for city"),
    ],
)
def test_payments_of_another_shape_are_refused(text, said):
    with pytest.raises(CannotRead, match=said):
        read_payments(text)


@pytest.mark.parametrize("seed", range(4))
def test_the_series_of_an_export_are_its_fraud(seed):
    task = generate_variant("archive-fraud#1", f"series {seed}")
    rows = read_payments(task.world.files[task.truth.for_tests["path"]])

    assert {
        row.id for found in find_series(tuple(rows)) for row in found.rows
    } == task.truth.measure.fraud
    assert uncertain_series(rows) == []


def test_a_refund_and_a_long_pause_make_a_series_uncertain():
    refund = "R9;2027-01-02 09:00:00;c-2;Graz;-900;d9;web\n"
    notes = uncertain_series(read_payments(table(pause_min=40) + refund))

    assert any("R9" in note for note in notes)
    assert any("R0 and R1" in note for note in notes)


@pytest.mark.parametrize(
    ("constraint", "key", "value", "holds"),
    [
        ("rechargeable", "rechargeable", "true", True),
        ("rechargeable", "rechargeable", "false", False),
        ("not rechargeable", "rechargeable", "true", False),
        ("not rechargeable", "rechargeable", "false", True),
        ("weight", "weight_kg", "2.4", False),
        ("two persons", "persons", "2", True),
        ("persons three", "persons", "2", False),
        ("size one size", "size", "one size", True),
        ("waterproof 3,000 mm", "waterproof_mm", "3000", True),
        ("waterproof 3 000 mm", "waterproof_mm", "3500", False),
        ("ip rating IP 65", "ip_rating", "IP65", True),
        ("size 4 x 5 m", "size", "4x5 m", True),
    ],
)
def test_flags_numbers_and_separators_are_read_as_people_write_them(
    constraint, key, value, holds
):
    assert property_match(constraint, key, value) is holds


CLOCK = "2027-03-01T10:00:00Z\n"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("the date in 10 days, YYYY-MM-DD", "2027-03-11"),
        ("the date in a week as DD-MM-YYYY", "08-03-2027"),
        ("which date was 3 days ago? MM/DD/YYYY", "02/26/2027"),
        ("2 weeks from today: YYYY-MM-DD", "2027-03-15"),
        ("one day ago, YYYY-MM-DD", "2027-02-28"),
        ("in two days, YYYY-MM-DD", "2027-03-03"),
        ("the date three weeks ago, DD.MM.YYYY", "08.02.2027"),
        ("tomorrow as DD-MM-YYYY or YYYY-MM-DD", None),
        ("in 10 days or in 11 days, YYYY-MM-DD", None),
        ("in some days, YYYY-MM-DD", None),
        ("in 10 days", None),
        ("twelve days from today, YYYY-MM-DD", "2027-03-13"),
        ("a fortnight from now, DD/MM/YYYY", "15/03/2027"),
        ("10 days back, YYYY-MM-DD", "2027-02-19"),
        ("one week hence, YYYY-MM-DD", "2027-03-08"),
        ("twenty-one days from today, YYYY-MM-DD", None),
        ("two months from today, YYYY-MM-DD", None),
        ("a week tomorrow, YYYY-MM-DD", None),
        ("3 days after tomorrow, YYYY-MM-DD", None),
        ("not tomorrow but the day after, YYYY-MM-DD", None),
    ],
)
def test_a_day_is_counted_from_the_clock(text, date):
    assert relative_date(text, CLOCK) == date


SAMPLES = Path(__file__).parents[4] / "shared" / "ecom1" / "samples"


def sample(name):
    path = SAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip("the recorded samples are not here")
    return json.loads(path.read_text())


def test_the_fields_of_recorded_records_are_told():
    product = sample("product_physical")
    fields = product_fields(
        [product], [product["sku"]], {"price_cents", "fulfillment_type"}
    )

    assert (fields.code, fields.name, fields.price, fields.properties) == (
        "sku",
        "name",
        "price_cents",
        "properties",
    )
    stock = StockFields(
        "inventory",
        "sku",
        "on_hand",
        "reserved",
        DeliveryFields("incoming", "quantity", "arrival_in_days"),
    )
    assert stock_fields(sample("store_with_inventory"), {"arrival_in_days"}) == stock
    assert line_fields([sample("cart_active")]) == LineFields(
        "lines", "sku", "quantity"
    )
    check = CheckFields("three_ds", "status", "attempts", "max_attempts", "retry_after")
    assert check_fields([sample("payment_3ds_retry_window")]) == check


ROWS = [{"sku": f"S-{at}", "claimed": at % 3, "in_house": at} for at in range(10)]


def counted(rows):
    fields = stock_fields({"stock": rows}, frozenset())
    return fields and (fields.on_hand, fields.reserved)


@pytest.mark.parametrize("turned", [False, True])
def test_the_count_on_hand_is_mostly_no_less_than_the_reserved_one(turned):
    rows = [{"in_house": row["in_house"], **row} for row in ROWS] if turned else ROWS
    assert counted([*rows, {"sku": "T", "claimed": 4, "in_house": 3}]) == (
        "in_house",
        "claimed",
    )


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"sku": "S", "n": 2}],
        [{"sku": "S", "n": 2, "m": 1, "k": 1}],
        [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 2}],
        [{"sku": "S", "n": 2, "m": 2}],
        [{"sku": "S", "n": 2, "m": 1}, {"sku": "T", "n": 1, "m": 2}],
        [{"sku": "S", "n": True, "m": 1}],
    ],
)
def test_where_both_readings_are_left_none_is_taken(rows):
    assert counted(rows) is None


def test_without_a_declaration_what_has_no_ending_and_nothing_below_can_be_a_tool():
    assert possible_tools(
        ["/bin/id", "/docs/a.md", "/docs", "/proc/x/b.json", "/proc"]
    ) == {"/bin/id": ""}


LARGE = CallError("resource_exhausted", "the result of tree holds more than 1300 lists")


class Answers:
    """A harness that answers calls from a list of outcomes by operation and main argument."""

    def __init__(self, outcomes):
        self.known = ()
        self.executables = {"/bin/id": "who is signed in"}
        self.outcomes = outcomes
        self.batches = []

    def side_by_side(self, calls):
        self.batches.append([call[0] for call in calls])
        found = []
        for operation, given in calls:
            outcome = self.outcomes[operation, next(iter(given.values()))]
            found.append(outcome.pop(0) if isinstance(outcome, list) else outcome)
        return found


def text(content, *, truncated=False):
    return {"content": content, "truncated": truncated}


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (CallError("not_found", "there is none"), LookupError),
        (CallError("unavailable", "down"), CannotRead),
        (text("te", truncated=True), CannotRead),
    ],
)
def test_failed_and_cut_off_reads_are_told_apart(outcome, error):
    with pytest.raises(error):
        WorkspaceReader(Answers({("read", "/a"): outcome})).read("/a")


def test_a_workspace_too_large_for_one_call_is_told() -> None:
    outcomes = {("find", "*"): {"paths": [], "truncated": True}, ("tree", "/"): LARGE}
    with pytest.raises(
        CannotRead, match="the result of tree holds more than 1300 lists"
    ):
        WorkspaceReader(Answers(outcomes)).paths()


@pytest.mark.parametrize(
    ("late", "told"), [(1, "Herbert"), (2, "/bin/id ended with exit code 124")]
)
def test_a_tool_that_timed_out_is_asked_once_more(late, told):
    outcomes = [
        {"stdout": "Herbert", "stderr": "", "exit_code": 124 if at < late else 0}
        for at in range(2)
    ]
    answers = Answers({("exec", "/bin/id"): outcomes})
    try:
        found = WorkspaceReader(answers).run("/bin/id")
    except CannotRead as error:
        found = str(error)

    assert (found, len(answers.batches)) == (told, 2)


@pytest.mark.parametrize("ask", ["paths", "search", "run"])
def test_every_way_to_read_says_what_it_cannot(ask):
    down = CallError("unavailable", "down")
    answers = Answers({("find", "*"): down, ("search", "x"): down, ("exec", "x"): down})
    with pytest.raises(CannotRead, match="down"):
        getattr(WorkspaceReader(answers), ask)(*[] if ask == "paths" else ["x"])
