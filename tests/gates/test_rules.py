"""What a rule may say, and how packs of rules are loaded."""

from typing import Any

import pytest

from gates.evidence import Evidence
from gates.rules import Inapplicable, Objection, Opinion, PackError, Rule, load_pack
from gates.submission import Case, Submission

BOTH = Objection(demands=("/a", "/b", "/a"), lacking="{paths} lacks.", forbids=("/c", "/d"), surplus="{paths} is much.")


@pytest.mark.parametrize(
    ("opinion", "cited", "demanded", "result", "reason"),
    [
        (None, set(), set(), "pass", ""),
        ("", set(), set(), "pass", ""),
        ([], set(), set(), "pass", ""),
        ("count again", set(), set(), "reject", "count again"),
        (["one", "", "two"], set(), set(), "reject", "one\ntwo"),
        (Inapplicable("no sum"), set(), set(), "not_applicable", "no sum"),
        (BOTH, {"/a", "/b"}, {"/a", "/b"}, "pass", ""),
        (BOTH, {"/b"}, {"/a", "/b"}, "reject", "`/a` lacks."),
        (BOTH, set(), {"/a", "/b"}, "reject", "`/a`, `/b` lacks."),
        (BOTH, {"/a", "/b", "/c"}, {"/a", "/b"}, "reject", "`/c` is much."),
        (BOTH, {"/a", "/b", "/c"}, {"/a", "/b", "/c"}, "pass", ""),
        (BOTH, {"/c", "/d"}, {"/a", "/b", "/d"}, "reject", "`/a`, `/b` lacks.\n`/c` is much."),
        (7, set(), set(), "not_applicable", "the rule failed: "),
        ([None, 7, "x"], set(), set(), "reject", "x"),
    ],
)
def test_an_opinion_makes_a_verdict(
    opinion: Opinion, cited: set[str], demanded: set[str], result: str, reason: str
) -> None:
    rule = Rule("sum", lambda submission, evidence, case: opinion)
    found = rule.verdict(
        rule.opinion(Submission(), Evidence(), Case("")), frozenset(cited), frozenset(demanded), "library"
    )
    assert (found.gate, found.name, found.result) == (0, "library/sum", result)
    assert found.reason.startswith(reason)
    assert bool(found.reason) is bool(reason)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("lambda submission, evidence, case: 7", "'int' object is not iterable (own.py, line 3)"),
        ("lambda submission: ''", "(own.py, line 3)"),
        ("lambda submission, evidence, case: json.loads('{')", "(own.py, line 3)"),
        ("lambda submission, evidence, case: exit(2)", "SystemExit: 2 (own.py, line 3)"),
    ],
)
def test_a_rule_that_fails_is_told_with_its_own_place(source: str, said: str) -> None:
    names: dict[str, Any] = {}
    exec(compile(f"import json\nfrom sys import exit\nrule = {source}\n", "own.py", "exec"), names)
    found = Rule("sum", names["rule"]).opinion(Submission(), Evidence(), Case(""))
    assert isinstance(found, Inapplicable)
    assert found.why.endswith(said)


def test_a_pack_is_loaded_by_a_short_name_or_by_module_and_attribute() -> None:
    assert load_pack("ecom") is load_pack("benchmarks.shop.pack:PACK")


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("nonesuch", "no rule pack is called 'nonesuch': use one of ask, ecom"),
        ("nowhere.at:ALL", "cannot be loaded"),
        ("json:nothing", "cannot be loaded"),
        ("json:dumps", "is a function, not a gates.rules.Pack"),
    ],
)
def test_a_name_without_a_pack_is_told_in_one_line(name: str, named: str) -> None:
    with pytest.raises(PackError, match=named) as raised:
        load_pack(name)
    assert "\n" not in str(raised.value)
