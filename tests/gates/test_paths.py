"""Paths have one spelling, and a wrong one leads to the nearest that is known."""

import pytest

from gates.evidence import canonical, nearest, spelling_key, split_fragment


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("/docs/a.md", "/docs/a.md"),
        ("docs/a.md", "/docs/a.md"),
        ("//docs///a.md/", "/docs/a.md"),
        ("/docs/./a.md", "/docs/a.md"),
        ("/docs/x/../a.md", "/docs/a.md"),
        ("/../../a.md", "/a.md"),
        ("/docs/.hidden", "/docs/.hidden"),
        ("/docs/..a", "/docs/..a"),
        ("/a b/c d.md", "/a b/c d.md"),
        ("", "/"),
        ("/", "/"),
        (".", "/"),
    ],
)
def test_a_path_has_one_spelling(path: str, right: str) -> None:
    assert canonical(path) == right


@pytest.mark.parametrize(
    ("reference", "parts"),
    [("/a.tsv#row=7", ("/a.tsv", "#row=7")), ("/a.tsv", ("/a.tsv", "")), ("/a#b#c", ("/a", "#b#c"))],
)
def test_a_fragment_begins_at_the_first_hash(reference: str, parts: tuple[str, str]) -> None:
    assert split_fragment(reference) == parts


def test_composed_and_decomposed_letters_fold_together() -> None:
    assert spelling_key("/K\u00fcste.md") == spelling_key("/Ku\u0308ste.md") != spelling_key("/Kuste.md")


@pytest.mark.parametrize(
    ("path", "known", "near"),
    [
        ("/x/b-104.json", ["/shelf/b-104.json", "/x/c.json"], "/shelf/b-104.json"),
        ("/x/b-104.json", ["/x/b-105.json", "/y/zzz.txt"], "/x/b-105.json"),
        ("/docs/loan.md", ["/docs/fees.md", "/docs/Loans.md"], "/docs/Loans.md"),
        ("/x/b104.json", ["/x/b.txt", "/x/a104.json"], "/x/a104.json"),
        ("/docs/loan.md", ["/docs/l", "/docs/loans.md"], "/docs/loans.md"),
        ("/x/c.md", ["/x/a.md", "/x/b.md"], "/x/a.md"),
        ("/x", [], ""),
        ("/docs/ab.md", ["/docs/b.md"], "/docs/b.md"),
        ("/x/b-104.json", ["/y/b-105.json", "/x/deep/b-104b.json", "/y/x.json"], ""),
        ("/x/b-104.json", ["/y/B-104.md"], "/y/B-104.md"),
        ("/x/b-104.json#row=7", ["/y/b-104", "/y/b-104.x.json"], "/y/b-104"),
        ("loans.md", ["/docs/Loans.md"], "/docs/Loans.md"),
        ("/loans", ["/fees.md", "/docs/fees.md"], "/fees.md"),
    ],
)
def test_the_nearest_path_goes_by_its_last_name_first(path: str, known: list[str], near: str) -> None:
    assert nearest(path, known) == near
