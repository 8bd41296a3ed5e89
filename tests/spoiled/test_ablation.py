"""What `--without` switches off, and what it leaves."""

import json
import subprocess
import sys

from benchmarks.shop.language import request_kinds
from gates.checks import posed_instructions
from tests.spoiled.ablation import LEAST_WORDS, word_lists, words_of


def measured(*options: str) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.spoiled", "--seeds", "1", "--jobs", "1", "--json", "--part", "open"]
    chosen = ["--families", "calendar-date", "--kinds", "wrong-recorded-value,dropped-reference"]
    found = subprocess.run([*command, *chosen, *options], check=True, capture_output=True, text=True, timeout=60)
    rows = json.loads(found.stdout)["rows"]
    return {"total": sum(each["total"] for each in rows), "stopped": sum(each["stopped"] for each in rows)}


def test_phrases_of_rules_are_word_lists_and_shapes_are_none() -> None:
    names = word_lists()
    for name in ("gates.claims.statements._OPEN", "benchmarks.shop.language.request_kinds.CHECKOUT"):
        assert name in names
    for name in ("gates.claims.contradicted_refusals._MAIL", "benchmarks.shop.language.record_kinds._SKU"):
        assert name not in names


def test_the_words_of_formats_are_a_part_of_their_own() -> None:
    assert "gates.language.value_forms._FILLER" in word_lists(of_formats=True)
    assert set(word_lists()).isdisjoint(word_lists(of_formats=True))


def test_less_is_stopped_without_a_part_of_the_rules() -> None:
    whole, bare = measured(), measured("--without", "recomputation,word-lists")
    assert whole["total"] == bare["total"] > 0
    assert bare["stopped"] < whole["stopped"] == whole["total"]


def test_the_signs_that_make_a_request_by_themselves_spell_no_words() -> None:
    for each in (request_kinds._BLOCK_SIGNS, posed_instructions._WRAPPER):
        assert len(set(words_of(each))) < LEAST_WORDS
    assert len(set(words_of(request_kinds.CONTROL_BLOCK))) >= LEAST_WORDS
