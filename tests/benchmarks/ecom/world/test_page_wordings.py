"""Each statement of a shop's page has enough wordings.

A page on discounts states who may grant one. "Only managers grant discounts." and "A discount needs
a manager." are two wordings of this statement.

Wordings are in two sets, and a run takes all its texts from one set. The set `known` is for development.
The set `unseen` is held out: a run with it shows whether a solver depends on the wordings that it was
made for.
"""

import pytest

from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.page_templates import page_template

PAGE_KEYS = sorted(generate("world|0").names.pages)
"""The subjects of pages: `["brand", "checkout", ...]`."""


@pytest.mark.parametrize("key", PAGE_KEYS)
def test_every_statement_of_a_page_has_several_wordings_in_both_sets(key: str) -> None:
    """A page is made of a title and of clauses. A clause is one statement with its wordings."""
    template = page_template(key)
    wordings_of_statements = {"titles": template.titles}
    # Only some shops have these three clauses, which need fewer wordings. For example, `updates`
    # says that notices override pages, and is in shops that have notices.
    clauses_of_some_shops = ("updates", "mentioned", "outside")

    for clause in template.clauses:
        if clause.name not in clauses_of_some_shops:
            wordings_of_statements[clause.name] = clause.wordings

    for name, wordings in wordings_of_statements.items():
        assert len(wordings.known) >= 5, name
        assert len(wordings.unseen) >= 2, name
        in_both_sets = set(wordings.known) & set(wordings.unseen)
        for wording in in_both_sets:
            is_short_title = len(wording) <= 20
            assert is_short_title, name
