"""A sum in an answer is marked `computed` if a script made it from what it read.

    fees = harness.read("/fees.txt").content.split()      # 300, 470 and 300
    print(sum(int(fee) for fee in fees))                  # 1070

No file states 1070, but the script has computed it: so "All cost 1,070 EUR." is supported.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script

TOTAL = """
fees = harness.read("/fees.txt").content.split()
total = sum(int(fee) for fee in fees)
"""
"""The beginning of scripts."""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(TOTAL + "print(total)", id="sum"),
        pytest.param(TOTAL + "print(f'{total:,} in all')", id="formatted sum"),
        pytest.param(
            TOTAL + "print('=' * 20)\nprint(total)", id="below a line of signs"
        ),
        pytest.param(
            TOTAL + "for n in range(2):\n    print('=' * 20)\n    print(total)",
            id="in a loop",
        ),
        pytest.param(
            TOTAL
            + "def verify(sp):\n    return '1,070' in sp['answer']\n"
            + "print(total)",
            id="beside a function with the same number",
        ),
        pytest.param(
            TOTAL + "scratchpad['total'] = total", id="stored instead of printed"
        ),
        pytest.param("print(470 + 300 + 300)", id="numbers that files state"),
    ],
)
def test_a_value_computed_from_what_was_read_is_marked_so(script: str) -> None:
    mark = mark_after_script(
        script, files={"/fees.txt": "300\n470\n300\n"}, answer="All cost 1,070 EUR."
    )

    assert mark.support == "computed"


def test_a_number_that_a_script_only_writes_down_is_not_computed() -> None:
    """No file states 535."""
    mark = mark_after_script(
        "print(535 + 535)",
        files={"/fees.txt": "300\n470\n300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "unverified"
