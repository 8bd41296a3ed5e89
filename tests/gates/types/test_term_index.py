"""A text holds the terms of its words, compounds, stems and numbers, and no others."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gates.types.term_index import TermIndex
from gates.types.terms import fold_text, lookup_terms, number_key, stem

TOKEN = re.compile(r"[^\W_]+(?:[-_.@:/'][^\W_]+)*")
NUMBER = re.compile(r"\d+(?:[.,'\u00a0\u202f]\d+)*")


def all_terms(text: str) -> set[str]:
    """Every term of a text, by their definition."""
    folded = fold_text(text)
    words = set(re.findall(r"[^\W_]+", folded))
    stems = {stem(word) for word in words if word.isalpha()}
    return words | stems | set(TOKEN.findall(folded)) | set(map(number_key, NUMBER.findall(folded)))


@pytest.mark.parametrize(
    ("text", "held", "not_held"),
    [
        ("stocks", {"stocks", "stock*"}, {"stock", "stocks*"}),
        ("stockss", {"stockss", "stock*"}, {"stocks*"}),
        ("stock", {"stock", "stock*"}, {"stoc*"}),
        ("glass grass7", {"glas*"}, {"glass*", "grass*"}),
        ("cats 1234s abcd7s", {"cat*"}, {"cats*", "1234*", "abcd*"}),
        ("gas as", {"gas*", "as*"}, {"ga*", "a*"}),
        ("b-104.x", {"b", "104", "b-104.x", "#104"}, {"b-104", "104.x", "b*-"}),
        ("x/b-104", {"x/b-104"}, {"b-104", "x/b", "x b-104"}),
        ("xa-b a b", {"a", "b", "xa-b"}, {"a-b"}),
        ("a-b-c", {"a-b-c"}, {"a-b", "b-c"}),
        ("a b, .a-b", {"a-b"}, {"a-a"}),
        ("stocked", {"stocked", "stock*"}, {"stocked*", "stoc*"}),
        ("-b-104-", {"b-104"}, {"-b-104", "b-104-"}),
        ("1,199.00 07", {"#1199", "#7", "1", "199", "00"}, {"#119", "#11990", "#0"}),
        ("0.00", {"#"}, {"#0"}),
        ("1..04 abc", {"#1", "#4"}, {"#104", "#14", "#abc"}),
        ("", set(), {"", "#", "*"}),
    ],
)
def test_a_text_holds_its_terms_alone(text: str, held: set[str], not_held: set[str]) -> None:
    index = TermIndex(text)
    assert {each for each in held | not_held if index.holds(each)} == held


LETTERS = st.text(
    alphabet=st.sampled_from([*"abs017", *"-_.@:/'", *" ,\n", "é", "\u0301", "\u00a0", "記", "²", "ß"]), max_size=30
)


@given(LETTERS, LETTERS)
@example("a-b b-a", "a-b")
@example("aaaaas", "aaaaab")
@settings(deadline=None)
def test_it_holds_exactly_what_its_words_define(text: str, asked: str) -> None:
    index, terms = TermIndex(text), all_terms(text)
    asked_for = terms | {form for token in TOKEN.findall(fold_text(asked)) for form in lookup_terms(token)}
    assert {each for each in asked_for if index.holds(each)} == terms


@given(LETTERS, st.lists(LETTERS, max_size=30))
@example("-ba b-", ["stock stocks"])
@example("stocked", [f"stock{each}" for each in "abcdefghijklmnopq"])
@example("a-b 1,2 cats", ["a-b 12 cat", *"cdefghijklmnopqrstuvwxyz"])
@settings(deadline=None)
def test_it_holds_any_of_many_terms_if_it_holds_one_of_them(text: str, asked: list[str]) -> None:
    found = {form for each in asked for token in TOKEN.findall(fold_text(each)) for form in lookup_terms(token)}
    assert TermIndex(text).holds_any(frozenset(found)) == any(map(TermIndex(text).holds, found))


@pytest.mark.parametrize(
    ("text", "term", "is_held"),
    [
        ("a word", "word", True),
        ("words", "word", False),
        ("stocked", "stock*", True),
        ("stock7", "stock*", False),
        ("cats", "cat*", True),
        ("a-b-c", "a-b-c", True),
        ("a-b-c", "a-b", False),
        ("1,199", "#1199", True),
    ],
)
def test_one_of_many_terms_is_held_as_if_it_were_alone(text: str, term: str, *, is_held: bool) -> None:
    others = frozenset(form for each in "jklmnopqrstuvwxyz" for form in (each * 6, each * 5 + "*", f"{each}-{each}"))
    assert not TermIndex(text).holds_any(others)
    assert TermIndex(text).holds_any(others | {term}) is is_held


@pytest.mark.parametrize(
    ("other", "last", "term", "is_held"),
    [
        ("xab", "ab", "ab", True),
        ("xstocks", "stocky", "stock*", True),
        ("xstock", "stock", "stock*", True),
        ("xstocks", "stockss", "stocks*", False),
        ("xcat", "cats", "cat*", True),
        ("xab", "abs", "ab*", False),
        ("xglass", "glass", "glass*", False),
        ("xglass", "glasses", "glass*", True),
        ("xglass", "glass glass7", "glass*", False),
        ("9104", "1,04.0", "#104", True),
        ("1.,04", "1.,04", "#104", False),
        ("xa-b", "a-b", "a-b", True),
    ],
)
def test_a_term_is_found_behind_many_places_where_it_is_a_part(
    other: str, last: str, term: str, *, is_held: bool
) -> None:
    many = f"{other} " * 20
    assert TermIndex(many + last).holds(term) is is_held
    assert not TermIndex(many).holds(term)
