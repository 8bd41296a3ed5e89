"""This project compared with the recorded behaviour of another solver for the shop.

A case is recorded for a part of the other solver, and a function in the folder `parts` answers it
with this project (see `recorded_cases.py`):

    {"part": "words", "input": {"text": "3pc"}, "expect": {"words": "3 pc"}, "note": "test: ..."}

The file with the cases is outside of the repository. Without it, these tests are skipped.
"""

import importlib
from pathlib import Path

import pytest

from tests.exoskeleton.answering_functions import ANSWERING_FUNCTIONS
from tests.exoskeleton.recorded_cases import Case, cases, differences

TESTS = Path(__file__).parents[1]
for module in sorted(Path(__file__).with_name("parts").rglob("*.py")):
    dotted_name = ".".join(module.relative_to(TESTS).with_suffix("").parts)
    importlib.import_module(f"tests.{dotted_name}")

CASES = cases()

needs_cases = pytest.mark.skipif(not CASES, reason="the recorded cases are not here")

LEAST_SHARE_OF_PROBES = 0.9
"""The share of probes that this project has to answer alike. Nobody knows that the other solver's
behaviour in a probe is right, so one in ten may differ."""


def required_cases() -> list[Case]:
    """Return the cases whose behaviour is known to be right."""
    return [case for case in CASES if case.is_required]


@needs_cases
@pytest.mark.parametrize("case", required_cases(), ids=lambda case: case.part)
def test_a_required_behaviour_holds(case: Case) -> None:
    assert differences(case) == [], case


@needs_cases
def test_nearly_all_probes_are_answered_alike() -> None:
    """The probes of all parts are counted together."""
    probes = [case for case in CASES if case.is_probe]
    failed_probes = [case for case in probes if differences(case)]

    allowed_failures = len(probes) * (1 - LEAST_SHARE_OF_PROBES)
    assert len(failed_probes) <= allowed_failures, failed_probes


@needs_cases
def test_every_function_answers_a_case() -> None:
    """A misspelt name of a part would leave its cases without an answer, and unchecked."""
    parts_of_cases = {case.part for case in CASES}

    assert set(ANSWERING_FUNCTIONS) == parts_of_cases
