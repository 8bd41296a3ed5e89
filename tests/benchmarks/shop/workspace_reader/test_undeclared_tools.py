"""If a shop does not declare its tools, they are guessed from its paths.

`/bin/id` may be a tool, as it has no suffix. `/docs/a.md` is a page.
"""

from controlplane.benchmarks.shop.workspace.tool_uses import possible_tools


def test_without_a_declaration_a_path_without_suffix_may_be_a_tool() -> None:
    """`/docs` and `/proc` have no suffix either, but there are paths below them."""
    paths = ["/bin/id", "/docs/a.md", "/docs", "/proc/x/b.json", "/proc"]

    tools = possible_tools(paths)

    no_description = ""
    assert tools == {"/bin/id": no_description}
