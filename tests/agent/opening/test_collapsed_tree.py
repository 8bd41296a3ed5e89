from agent.opening.collapsed_tree import collapsed_tree, files_below
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
