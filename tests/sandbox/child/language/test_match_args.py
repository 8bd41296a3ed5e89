"""`__match_args__ = ("a",)` in a class lets the pattern `case A(x)` read the attribute `a`.

A pattern reads attributes without a check. So the names must stand in the script, where the
compiler sees that none begins with an underscore.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


def test_an_ordinary_name_is_allowed():
    assert is_allowed("class A:\n    __match_args__ = ('a',)")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("class A:\n    __match_args__ = ('_a',)", id="underscore"),
        pytest.param("class A:\n    __match_args__ = names", id="computed names"),
    ],
)
def test_names_that_may_need_a_check_are_refused(script):
    assert not is_allowed(script)
