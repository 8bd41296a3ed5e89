"""Files of a tree, their drawing, and which of them a text names."""

import pytest

from agent.opening.workspace_files import NameIndex, collapsed_tree, files_below


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
