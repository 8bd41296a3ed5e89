"""What instructions demand of an answer's form, over many wordings; a third of them no pattern was written from."""

from pathlib import Path

import pytest

from gates.language.answer_contract import derive_contract
from tests.gates.language.contract_corpus import CORPUS, CORPUS_APART, expected_demands, read_corpus

APART_SHARE = 0.8
"""The least share of the wordings that were set aside whose contract is read rightly."""


def is_read_rightly(want: str, instruction: str, rules: str) -> bool:
    found = {clause.demand for clause in derive_contract(instruction, rules).clauses}
    return found == expected_demands(want)


@pytest.mark.parametrize(("want", "instruction", "rules"), list(read_corpus(CORPUS)))
def test_a_contract_is_the_one_that_a_careful_reader_derives(want: str, instruction: str, rules: str) -> None:
    assert {clause.demand for clause in derive_contract(instruction, rules).clauses} == expected_demands(want)


def test_most_contracts_that_were_set_aside_are_read_rightly() -> None:
    lines = list(read_corpus(CORPUS_APART))
    assert sum(is_read_rightly(*line) for line in lines) > APART_SHARE * len(lines)


@pytest.mark.parametrize("path", [CORPUS, CORPUS_APART])
def test_the_corpus_holds_enough_of_both(path: Path) -> None:
    lines = list(read_corpus(path))
    assert len(lines) > 150
    assert 40 < sum(want == "-" for want, _, _ in lines) < len(lines) / 2
