import pytest

from agent.opening.name_index import NameIndex, ids_in

FILES = [
    "/docs/basket-7.md",
    "/proc/carts/c-1/basket-0007.json",
    "/proc/carts/c-2/basket-0008.json",
    "/proc/shops/Leiden/store-lei-haven.json",
    "/proc/shops/Breda/store-bre-mill.json",
    "/proc/wares/VH-LMP-WISP-500-USB.json",
    "/proc/wares/VH-LMP-WISP-500-SUN.json",
    "/proc/wares/VH-AXE-ALDER-38.json",
    "/uploads/9a_receipt.txt",
]
INDEX = NameIndex(FILES, ("/proc", "/uploads"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Check out basket-0007.", ["/proc/carts/c-1/basket-0007.json"]),
        ("Check out (BASKET_0007)!", ["/proc/carts/c-1/basket-0007.json"]),
        ("See /uploads/9a_receipt.txt.", ["/uploads/9a_receipt.txt"]),
        ('{"sku": "VH-AXE-ALDER-38"}', ["/proc/wares/VH-AXE-ALDER-38.json"]),
        ("basket-00071 or basket-7", []),
    ],
)
def test_a_file_is_named_by_its_path_or_its_name(text: str, named: list[str]) -> None:
    assert INDEX.named_in(text) == named


def test_a_file_is_meant_by_words_of_its_name() -> None:
    assert INDEX.meant_in("Is the haven shop open?") == ["/proc/shops/Leiden/store-lei-haven.json"]
    assert INDEX.meant_in("a Wisp lantern 500 lm") == FILES[5:7]
    assert INDEX.meant_in("38 of 500") == []
    assert INDEX.meant_in("which store?") == []


def test_there_is_a_sample_of_each_kind_of_which_nothing_is_shown() -> None:
    assert INDEX.samples("/proc", [FILES[2]]) == [FILES[3], FILES[5]]
    assert INDEX.kinds_of([FILES[2]]) == ["/proc/carts"]


def test_ids_are_words_with_a_number() -> None:
    assert ids_in("user: cust-0072, pay_3 and cust-0072; 2027-11-18 VH-LMP-500 /tmp/a-1") == ["cust-0072", "pay_3"]
