"""Lines, lists, columns and JSON."""

import pytest

from gates.language.answer_contract import derive_contract


@pytest.mark.parametrize(
    ("instruction", "kept", "broken"),
    [
        ("List the paths, one per line, sorted.", ["/a\n/b", "/a9\n/a10", "none"], ["/b\n/a", "/a, /b\n/c, d\n\n/e"]),
        ("List the paths, one per line.", ["/b\n/a"], ["/b\na"]),
        ("List the SKUs, one per line.", ["b\na", "no such SKU"], ["a: red\nb: blue"]),
        ("List the names, one per line, sorted.", ["Adler\nÄhre\nBach", "a\nB"], ["b\na"]),
        ("Return only the SKUs, comma-separated.", ["b, a", "b,a", "b", "no such SKU"], ["b a, c", "b\na"]),
        ("Return only the names, comma-separated, sorted.", ["a b, c d"], ["c d, a b"]),
        ("Give only the codes separated by semicolons.", ["b; a"], ["b a; c d"]),
        ('Give the answer as JSON like {"sku": "<sku>", "count": <n>}.', ['{"sku": 1, "count": 2}'], ['{"sku": 1}']),
        ("Return JSON with keys a, b and c.", ['{"a": 1, "b": 2, "c": 3}'], ['{"a": 1, "b": 2}']),
        ("Reply with one line `name | title` per member.", ["a | b\nc | d"], ["a, b"]),
    ],
)
def test_a_list_is_kept_or_broken(instruction: str, kept: list[str], broken: list[str]) -> None:
    contract = derive_contract(instruction, "")
    assert contract.is_enforced
    assert [answer for answer in kept if contract.breach(answer)] == []
    assert [answer for answer in broken if not contract.breach(answer)] == []


@pytest.mark.parametrize(
    ("instruction", "demands"),
    [
        ("List the paths, one per line, sorted by size.", ["paths, one per line"]),
        ("List the paths in reverse alphabetical order, one per line.", ["paths, one per line"]),
        ("List the ids with their names, one per line.", []),
        ("List the zip codes, one per line.", []),
        ("List the names, comma-separated.", []),
        ("Return the JSON file's name.", []),
        ("Return only the paths, comma-separated.", ["items on one line, separated by `,`, and nothing else"]),
    ],
)
def test_what_cannot_be_checked_for_certain_is_left_out(instruction: str, demands: list[str]) -> None:
    assert [clause.demand for clause in derive_contract(instruction, "").clauses] == demands


def test_a_list_knows_the_words_that_demand_it() -> None:
    text = "List the paths, one per line, sorted."
    (clause,) = derive_contract(text, "").clauses
    assert [text[start:end] for start, end in clause.spans] == ["one per line", "sorted"]
