"""Replies of our server to searches have the fields that those of the real platform (BitGN) have.

`call_runtime("Find", root="/docs", name="checkout.md")` makes a call to a trial of the embedded shop
on our server, and returns the reply: `{"paths": ["/docs/checkout.md"]}`.
"""

from tests.benchmarks.bitgn.served_shop import CallRuntime


def test_a_search_for_files_has_paths(call_runtime: CallRuntime) -> None:
    reply = call_runtime(
        "Find", root="/docs", name="checkout.md", kind="NODE_KIND_FILE", limit=20
    )

    assert reply.keys() == {"paths"}


def test_a_search_for_lines_has_matches(call_runtime: CallRuntime) -> None:
    """A match has the fields of the platform's matches, and perhaps others."""
    reply = call_runtime("Search", root="/docs", pattern="checkout", limit=20)

    assert reply.keys() == {"matches"}
    first_match, *_ = reply["matches"]
    assert first_match.keys() >= {"path", "line", "lineText"}
