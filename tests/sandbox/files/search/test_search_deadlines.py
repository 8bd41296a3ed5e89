"""A search ends at its deadline, which all texts that it searches share."""

from controlplane.sandbox.files.tree_texts import LineSearch


def test_a_search_ends_at_its_deadline() -> None:
    """To search one of the 100,000 texts for this pattern takes long. All get 0.2 s together."""
    search = LineSearch("(a|b)*a(a|b){300}c", timeout_s=0.2)
    text = b"ab" * 1_000 + b"\n"

    matching_lines = []
    for _ in range(100_000):
        matching_lines += search.lines_of(text)

    assert matching_lines == []
    assert search.is_late
