"""A constant stays a constant on its way through the objects and functions of a script.

    rows = harness.read("/fees.txt").content.split()      # 3 rows
    out = [len(rows)]
    out.append(20 + 15)
    print(out)                                            # [3, 35]

`len(rows)` is computed; 35 is made of constants, and stays unverified.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script

# The beginning of scripts: three rows, of which none has a 35.
ROWS = 'rows = harness.read("/fees.txt").content.split()\n'
FILES = {"/fees.txt": "300\n470\n300\n"}


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
    mark = mark_after_script(ROWS + script_end, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"


@pytest.mark.parametrize(
    "script_end",
    [
        "match 20 + 15:\n    case n:\n        print(n, len(rows))",
        # 11 definitions of one name. At most 10, `MAX_FUNCTIONS_OF_ONE_NAME`, are followed.
        "def same(x):\n    return x\n" * 11 + "print(same(20 + 15), len(rows))",
        "functions = {'a': lambda x: x}\nprint(functions['a'](20 + 15), len(rows))",
        "try:\n"
        "    raise ValueError(20 + 15)\n"
        "except ValueError as e:\n"
        "    print(e, len(rows))",
    ],
)
def test_a_constant_that_takes_a_detour_is_not_computed(script_end: str) -> None:
    """It is the value of a pattern, a function or an exception."""
    mark = mark_after_script(ROWS + script_end, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"


def test_what_an_object_of_the_script_called_harness_returns_is_not_computed() -> None:
    """The script replaces `harness`, by which scripts read files, by an object of its own."""
    script = """
class Mine:
    def read(self, path):
        return 35
harness = Mine()
print(harness.read("/fees.txt"))
"""

    mark = mark_after_script(script, FILES, answer="All cost 35 EUR.")

    assert mark.support == "unverified"
