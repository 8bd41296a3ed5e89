"""Tools are known by what they are declared to do, wherever they lie and whatever they are called."""

import pytest

from benchmarks.bitgn.wire.remote_runtimes import ECOM
from benchmarks.ecom.runtime.shop_surface import EXECUTABLES
from benchmarks.shop.layout.shop_tools import possible_tools, tools_by_use

USUAL = {
    "identity": "/bin/id",
    "clock": "/bin/date",
    "checkout": "/bin/checkout",
    "discounts": "/bin/discount",
    "returns": "/bin/refund",
    "verification": "/bin/payments",
    "stock": "/bin/availability",
}
RENAMED = {
    "/opt/till": "checks a basket out",
    "/opt/me": "says who is signed in",
    "/opt/ab": "puts a discount on a basket",
    "/opt/zk": "prints files",
}


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        ({each.path: each.summary for each in EXECUTABLES}, USUAL),
        ({each.path: each.summary for each in ECOM.surface.executables}, USUAL),
        (dict.fromkeys(USUAL.values(), ""), USUAL),
        (RENAMED, {"identity": "/opt/me", "checkout": "/opt/till", "discounts": "/opt/ab"}),
        ({"/bin/id": "", "/usr/bin/whoami": ""}, {}),
        ({}, {}),
    ],
)
def test_a_tool_is_found_by_what_it_does_else_by_its_name(tools, found):
    assert tools_by_use(tools) == found


def test_without_a_declaration_what_has_no_ending_and_nothing_below_can_be_a_tool():
    assert possible_tools(["/bin/id", "/docs/a.md", "/docs", "/proc/x/b.json", "/proc"]) == {"/bin/id": ""}
