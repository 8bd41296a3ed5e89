"""A constant of a script stays a constant on its way through functions and exceptions.

    rows = harness.read("/fees.txt").content.split()      # 3 rows
    functions = {'a': lambda x: x}
    print(functions['a'](20 + 15), len(rows))             # 35 3

The 3 is computed from a file. The 35 is made of constants, so an answer with it stays unverified.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripts_that_read import mark_after_script


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
    script = 'rows = harness.read("/fees.txt").content.split()\n' + script_end

    mark = mark_after_script(
        script, {"/fees.txt": "300\n470\n300\n"}, answer="All cost 35 EUR."
    )

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

    mark = mark_after_script(
        script, {"/fees.txt": "300\n470\n300\n"}, answer="All cost 35 EUR."
    )

    assert mark.support == "unverified"
