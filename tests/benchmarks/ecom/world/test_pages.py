"""Every clause of every document has at least five wordings, and a page says all of its clauses in some order."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.ecom.world.generator import generate
from benchmarks.ecom.world.pages import half_of, page, render

KEYS = sorted(generate("pages").names.documents)


@pytest.mark.parametrize("key", KEYS)
def test_a_document_has_five_titles_and_five_wordings_of_each_clause(key: str) -> None:
    found = page(key)
    assert len(found.titles) >= 5
    short = [
        each.name for each in found.clauses if len(each.wordings) < 5 and each.name not in ("updates", "mentioned")
    ]
    assert not short


def test_a_page_says_each_clause_once() -> None:
    class Blank(dict):
        def __missing__(self, key: str) -> str:
            return key

    for seed in range(20):
        text = render("returns", Blank(), Random(seed), "mixed")
        assert text.count("state.requested") == 1
        assert text.count("tool.refund verb.close") == 1
        assert text.count("policy.refund_role") == 1


def test_a_half_of_a_pool_is_each_second_one() -> None:
    pool = ("a", "b", "c", "d", "e")
    assert [*half_of(pool, "known")] == ["a", "c", "e"]
    assert [*half_of(pool, "unseen")] == ["b", "d"]
    assert half_of(pool, "mixed") == pool
    assert half_of(("a",), "unseen") == ("a",)
