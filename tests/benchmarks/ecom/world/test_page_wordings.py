"""Each statement of a shop's page has enough wordings, and the sets of wordings differ.

A page on discounts states who may grant one. "Only managers grant discounts." and "A discount needs
a manager." are two wordings of this statement.

Wordings are in two sets, and a run takes all its texts from one set. The set `known` is for development.
The set `unseen` is held out: a run with it shows whether a solver depends on the wordings that it was
made for.
"""

import pytest

from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.pages import page_template

PAGE_KEYS = sorted(generate("world|0").names.pages)
"""The subjects of pages: `["brand", "checkout", ...]`."""

CLAUSES_OF_SOME_SHOPS = ("updates", "mentioned", "outside")
"""Clauses (statements of a page) that only some shops have. They are not checked.

For example, `updates` says that notices override pages. Only shops with notices have it.
"""

of_each_page = pytest.mark.parametrize("key", PAGE_KEYS)


@of_each_page
def test_title_and_statements_have_several_wordings_in_both_sets(key: str) -> None:
    template = page_template(key)
    wordings_by_name = {"titles": template.titles}
    for clause in template.clauses:
        if clause.name not in CLAUSES_OF_SOME_SHOPS:
            wordings_by_name[clause.name] = clause.wordings

    for name, wordings in wordings_by_name.items():
        assert len(wordings.known) >= 5, name
        assert len(wordings.unseen) >= 2, name


@of_each_page
def test_no_wording_of_a_statement_is_in_both_sets(key: str) -> None:
    for clause in page_template(key).clauses:
        if clause.name not in CLAUSES_OF_SOME_SHOPS:
            known_and_unseen = set(clause.wordings.known) & set(clause.wordings.unseen)
            assert not known_and_unseen, clause.name


@of_each_page
def test_only_short_titles_are_in_both_sets(key: str) -> None:
    """There are few ways to say "Discounts" in a word or two. A solver cannot depend on these."""
    titles = page_template(key).titles

    for title in set(titles.known) & set(titles.unseen):
        assert len(title) <= 20
