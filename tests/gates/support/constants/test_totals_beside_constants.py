"""A total that a script computes from files stays supported beside a number that is not.

No file states 8000. So `big`, the number of fees above it, is not computed from files alone, and an
answer with it is unverified. `total`, printed or stored beside it, is computed from files.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script

TOTAL_AND_BIG = """
fees = [int(fee) for fee in harness.read("/fees.txt").content.split()]
total = sum(fees)
big = sum(1 for fee in fees if fee > 8000)
"""
"""The beginning of scripts."""


def test_a_number_that_depends_on_a_constant_is_unverified() -> None:
    mark = mark_after_script(
        TOTAL_AND_BIG + "print(big)",
        files={"/fees.txt": "9000\n" * 35},
        answer="There are 35 big fees.",
    )

    assert mark.support == "unverified"


@pytest.mark.parametrize(
    "script_end",
    [
        pytest.param(
            "scratchpad['answer'] = f'All cost {total:,} EUR.'\nprint(fees, big)",
            id="answer from the total, print of the count",
        ),
        pytest.param(
            "text = f'{total:,}'\n"
            "scratchpad['answer'] = 'All cost ' + text + ' EUR.'\n"
            "print(total, big)",
            id="answer in parts",
        ),
        pytest.param(
            "scratchpad['answer'], scratchpad['n'] = f'All cost {total:,} EUR.', big",
            id="two values assigned at once",
        ),
        pytest.param(
            "print(f'{big} above, all cost {total:,} EUR.')", id="both in one text"
        ),
        pytest.param("print(f'{big} above')\nprint('total', total)", id="both printed"),
    ],
)
def test_a_total_is_computed_though_a_value_beside_it_depends_on_a_constant(
    script_end: str,
) -> None:
    """The script prints or stores both."""
    mark = mark_after_script(
        TOTAL_AND_BIG + script_end,
        files={"/fees.txt": "300\n470\n300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "computed"
