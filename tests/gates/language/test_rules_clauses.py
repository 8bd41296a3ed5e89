"""Demands of the workspace's rules, for the kind of thing that is asked for."""

import pytest

from gates.language.answer_contract import derive_contract

COUNT = ["exactly in the form `<C:%d>`"]
DATE = "a text with a date in the form `YYYY-MM-DD`"
PATHS = "paths, one per line, sorted alphabetically"


@pytest.mark.parametrize(
    ("instruction", "rules", "demands"),
    [
        ("How many desks are there?", "Counts are answered as <C:%d>.", COUNT),
        ("How many desks are there, and where?", "Counts are answered as <C:%d>.", []),
        ("Who is it?", "Counts are answered as <C:%d>.", []),
        ("How many desks are there?", "The log counts as <C:%d>.", []),
        ("How many desks are there?", "If Ada asks, counts are answered as <C:%d>.", []),
        (
            "How many desks are there?",
            "If the question asks for a count, answer with <C:%d>.",
            COUNT,
        ),
        ("How many desks are there?", "Counts are never answered as <C:%d>.", []),
        (
            "When is it due?",
            "Dates in answers are written as YYYY-MM-DD.",
            [DATE],
        ),
        ("How many are due?", "Dates in answers are written as YYYY-MM-DD.", []),
        (
            "Which paths hold drafts?",
            "Lists of paths: one per line, sorted.",
            [PATHS],
        ),
        ("Who is it?", "Every answer is JSON.", ["JSON and nothing else"]),
        ("Who is it?", "Every answer is a sentence of at most one line.", []),
        ("Who is it?", "", []),
        ("How many desks are there?", "The desk is open. " * 120 + "Counts are answered as <C:%d>.", COUNT),
        ("How many desks are there?", "When counts change, answer with <C:%d>.", []),
        ("How many desks are there?", "Counts of desks only.", []),
        ("How many desks are there?", "Counts as an integer alone are given at the desk.", []),
        ("How many desks are there?", "Counts are given as JSON only.", []),
    ],
)
def test_a_rule_binds_what_it_speaks_of(instruction: str, rules: str, demands: list[str]) -> None:
    assert [clause.demand for clause in derive_contract(instruction, rules).clauses] == demands


def test_a_rule_that_contradicts_the_instruction_is_reported_and_not_enforced() -> None:
    contract = derive_contract("How many? Reply with the number only.", "Counts are answered as <C:%d>.")
    assert "contradict" in contract.conflict
    assert not contract.is_enforced
