"""Special attributes that a script may read lead nowhere."""

from sandbox.language.attribute_names import INTERNALS, METHODS, NEIGHBOURS, TEXTS
from sandbox.library.module_facades import offered


def test_special_attributes_that_can_be_read_of_others_lead_nowhere() -> None:
    somewhere = METHODS | INTERNALS | {"__dict__", "__globals__", "__traceback__", "__self__", "__func__"}
    assert somewhere.isdisjoint(TEXTS | NEIGHBOURS)
    assert "os" not in offered()
