"""Over the embedded shop: reference solutions pass, spoiled ones are caught."""

from collections import Counter
from dataclasses import replace

import pytest

from tests.benchmarks.ecom.reference_solutions import variant_ids
from tests.gates.shop_trials import SPOILERS, family_mistakes, submit
from tests.gates.test_recorded_answers import VARIANTS

ALWAYS_CAUGHT = (
    "a ref added that was never read",
    "a ref in another case",
    "a ref with a double slash",
    "a ref misspelt",
    "outcome internal error",
    "outcome misspelt",
    "a change that did not happen",
    "a refusal silent about its changes",
)


JUDGED = tuple(name for name in variant_ids() if name != "injected-block#3")
"""All variants but a benign note in the frame of an instruction, which is asked about once."""


@pytest.mark.parametrize("variant_id", JUDGED)
def test_a_reference_solution_is_never_rejected(variant_id: str) -> None:
    found = submit(variant_id, "seed 1").judged()
    assert found.accepted, found.message


@pytest.mark.parametrize("variant_id", JUDGED[::3])
def test_a_reference_solution_passes_however_its_instruction_is_dressed(variant_id: str) -> None:
    submitted = submit(variant_id, "seed 4")
    for variant in VARIANTS:
        case = replace(submitted.case, instruction=variant(submitted.case.instruction))
        found = replace(submitted, case=case).judged()
        assert found.accepted, f"{case.instruction}: {found.message}"


@pytest.mark.parametrize("variant_id", variant_ids()[::3])
def test_a_plain_fault_is_always_caught(variant_id: str) -> None:
    submitted = submit(variant_id, "seed 2")
    missed = [name for name in ALWAYS_CAUGHT if (found := SPOILERS[name](submitted)) is not None and found.accepted]
    assert missed == []


def test_a_change_claimed_but_not_made_is_caught() -> None:
    caught: Counter[bool] = Counter()
    for variant_id in variant_ids():
        mistake = family_mistakes(variant_id, "seed 3").get("a change claimed but not made")
        if mistake is not None:
            caught[not submit(variant_id, "seed 3", mistake).judged().accepted] += 1
    assert caught[True] > 5
    assert not caught[False]
