"""Files of a tree, their drawing, and which of them a text names."""

import pytest

from agent.opening.workspace_files import NameIndex, collapsed_tree, files_below, ids_in
from sandbox import FileTree

BASKETS = [f"/proc/baskets/cust-{number}/basket-{number}.json" for number in range(1, 6)]
FILES = ["/RULES.md", "/docs/a.md", "/docs/b.md", *BASKETS, "/tmp/x/1.txt", "/tmp/x/2.txt", "/tmp/x/y/3.txt"]
TREE = FileTree(dict.fromkeys(FILES, "text"), directories=("/exports",)).tree("/", 0)


def test_every_file_is_listed_by_its_path() -> None:
    assert sorted(files_below(TREE)) == sorted(FILES)


def test_a_long_folder_is_one_line_with_its_number_first_and_last() -> None:
    lines = collapsed_tree(TREE, 2).splitlines()
    assert "    baskets/ (5 files: cust-1/basket-1.json … cust-5/basket-5.json)" in lines
    assert "    a.md" in lines
    assert "  exports/" in lines
    assert not any("cust-3" in each for each in lines)


def test_a_folder_that_is_named_is_listed_in_full() -> None:
    lines = collapsed_tree(TREE, 2, in_full=["/TMP/x/"]).splitlines()
    assert [each.strip() for each in lines if ".txt" in each] == ["1.txt", "2.txt", "y/3.txt"]
    assert "    x/ (3 files: 1.txt … y/3.txt)" in collapsed_tree(TREE, 2).splitlines()


def test_what_is_no_tree_is_drawn_without_an_error() -> None:
    assert collapsed_tree({"name": "/", "is_dir": True, "children": [None, 3, {"name": 4}]}, 2) == "/\n  4"
    assert files_below({"name": "/", "is_dir": True, "children": "none"}) == []


def test_a_tree_of_any_depth_is_read_up_to_a_bound() -> None:
    deep = {"name": "f", "is_dir": False}
    for _ in range(5000):
        deep = {"name": "d", "is_dir": True, "children": [deep]}
    assert files_below(deep) == []
    assert collapsed_tree(deep, 2).count("\n") < 60


NAMED_FILES = [
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
INDEX = NameIndex(NAMED_FILES, ("/proc", "/uploads"))


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
    assert INDEX.meant_in("a Wisp lantern 500 lm") == NAMED_FILES[5:7]
    assert INDEX.meant_in("38 of 500") == []
    assert INDEX.meant_in("which store?") == []


def test_there_is_a_sample_of_each_kind_of_which_nothing_is_shown() -> None:
    assert INDEX.samples("/proc", [NAMED_FILES[2]]) == [NAMED_FILES[3], NAMED_FILES[5]]
    assert INDEX.kinds_of([NAMED_FILES[2]]) == ["/proc/carts"]


def test_ids_are_words_with_a_number() -> None:
    assert ids_in("user: cust-0072, pay_3 and cust-0072; 2027-11-18 VH-LMP-500 /tmp/a-1") == ["cust-0072", "pay_3"]
