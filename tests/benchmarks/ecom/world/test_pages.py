"""Every clause of every document has five wordings and two held out, and a page says all its clauses in some order."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.ecom.world.generator import generate
from benchmarks.ecom.world.pages import Wordings, page, render

HALVES = ("known", "unseen")
KEYS = sorted(generate("pages").names.documents)


@pytest.mark.parametrize("key", KEYS)
def test_a_document_has_five_titles_and_wordings_of_each_clause_and_two_held_out(key: str) -> None:
    found = page(key)
    inserted = ("updates", "mentioned")
    said = {each.name: each.wordings for each in found.clauses if each.name not in inserted} | {"titles": found.titles}
    assert not [name for name, each in said.items() if len(each.known) < 5 or len(each.unseen) < 2]


def test_a_page_says_each_clause_once() -> None:
    class Blank(dict):
        def __missing__(self, key: str) -> str:
            return key

    for seed in range(20):
        text = " ".join(render("returns", Blank(), Random(seed), "mixed").split())
        assert text.count("state.requested") == 1
        assert text.count("tool.refund verb.close") == 1
        assert text.count("policy.refund_role") == 1


def test_a_half_is_chosen_by_its_name() -> None:
    said = Wordings(("a", "b"), ("c",))
    assert [said.of(each) for each in ("known", "unseen", "mixed")] == [("a", "b"), ("c",), ("a", "b", "c")]


def test_no_sentence_that_is_held_out_is_a_known_one() -> None:
    for key in KEYS:
        clauses = page(key).clauses
        known, unseen = ({each.template for one in clauses for each in one.wordings.of(half)} for half in HALVES)
        assert {each for each in known & unseen if len(each) > 20} == set()
