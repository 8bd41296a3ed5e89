"""Trees of folders that our server sends, as the platform (BitGN) does.

A tree is marked as `truncated` if folders are missing, and not if few levels were asked for.
`call_runtime("Tree", root="/", level=1)` makes a call to a trial of the embedded shop on our server.
"""

from tests.benchmarks.bitgn.served_shop import CallRuntime


def test_a_whole_tree_is_not_marked_as_truncated(call_runtime: CallRuntime) -> None:
    assert "truncated" not in call_runtime("Tree", root="/")


def test_a_tree_of_one_level_is_not_marked_as_truncated(
    call_runtime: CallRuntime,
) -> None:
    assert "truncated" not in call_runtime("Tree", root="/", level=1)


def test_a_tree_of_one_folder_is_not_marked_as_truncated(
    call_runtime: CallRuntime,
) -> None:
    assert "truncated" not in call_runtime("Tree", root="/docs")


def test_a_tree_of_one_level_has_the_folders_without_their_content(
    call_runtime: CallRuntime,
) -> None:
    whole_tree = call_runtime("Tree", root="/")
    tree_of_one_level = call_runtime("Tree", root="/", level=1)

    nodes = tree_of_one_level["root"]["children"]
    expected_names = {node["name"] for node in whole_tree["root"]["children"]}
    assert {node["name"] for node in nodes} == expected_names
    assert {node["kind"] for node in nodes} == {"NODE_KIND_FILE", "NODE_KIND_DIR"}
    for node in nodes:
        assert "children" not in node
