"""A total that a script computes from files stays supported, however it gets into the output.

No file states 8000. So `big`, the number of fees above it, is not computed from files alone.
`total` is, although the script prints or stores `big` beside it: in a loop, a container or a
function.
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


@pytest.mark.parametrize(
    "script_end",
    [
        pytest.param(
            "for fee in fees:\n    print(fee, big)\nprint('total:', total)",
            id="count printed in a loop",
        ),
        pytest.param(
            "console.log('total:', total)\nif big:\n    print(big)",
            id="console.log instead of print",
        ),
        pytest.param(
            "scratchpad['total'] = total\nscratchpad['big'] = big", id="both stored"
        ),
        pytest.param(
            "scratchpad['all'] = [total]\nscratchpad['big'] = {'n': big}",
            id="both stored in containers",
        ),
        pytest.param(
            "def shown(number, limit=8000):\n    return f'{number}'\n"
            "print(big, shown(total), sep=': ')",
            id="shown by a function with a constant",
        ),
    ],
)
def test_a_total_is_computed_though_a_value_beside_it_depends_on_a_constant(
    script_end: str,
) -> None:
    mark = mark_after_script(
        TOTAL_AND_BIG + script_end,
        files={"/fees.txt": "300\n470\n300\n"},
        answer="All cost 1,070 EUR.",
    )

    assert mark.support == "computed"
