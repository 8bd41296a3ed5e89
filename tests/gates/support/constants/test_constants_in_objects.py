"""A constant of a script stays a constant in a list, a dictionary or an object.

    rows = harness.read("/fees.txt").content.split()      # 3 rows
    out = [len(rows)]
    out.append(20 + 15)
    print(out)                                            # [3, 35]

The 3 is computed from a file. The 35 is made of constants, so an answer with it stays unverified.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script


@pytest.mark.parametrize(
    "script_end",
    [
        "scratchpad['x'] = []\n"
        "scratchpad['x'].append(20 + 15)\n"
        "print(scratchpad['x'], len(rows))",
        "out = {}\nout.setdefault('a', []).append(20 + 15)\nprint(len(rows), out)",
        "out = [len(rows)]\nsame = out\nsame.append(20 + 15)\nprint(out)",
        "def put(xs, x):\n"
        "    xs.append(x)\n"
        "out = [len(rows)]\n"
        "put(out, 20 + 15)\n"
        "print(out)",
        "import heapq\nout = [len(rows)]\nheapq.heappush(out, 20 + 15)\nprint(out)",
        "class Box:\n    pass\nbox = Box()\nbox.x = 20 + 15\nprint(box.x, len(rows))",
    ],
)
def test_a_constant_put_into_a_container_or_an_object_is_not_computed(
    script_end: str,
) -> None:
    script = 'rows = harness.read("/fees.txt").content.split()\n' + script_end

    mark = mark_after_script(
        script, {"/fees.txt": "300\n470\n300\n"}, answer="All cost 35 EUR."
    )

    assert mark.support == "unverified"
