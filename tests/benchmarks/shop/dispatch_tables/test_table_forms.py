"""Tables of packages and lanes in another form are refused, since a plan for misread lanes is wrong.

`dispatch_plan`, a function for agents, plans how a shop's packages are sent. It reads a table of
packages, and one of lanes: the connections between branches, with limited room. Their cells are
separated by tabs. A short row, for example, is refused: "other columns".
"""

import pytest

from controlplane.benchmarks.shop.dispatch import Rates, read_lanes, read_packages
from controlplane.sandbox.functions import CannotRead

PACKAGE_HEADER = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
LANE_HEADER = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"
LANE_HEADER_WITH_SIZE = "lane_id\tfrom\tto\tsize\teta\tcost_cents\tdelay_hint\n"


@pytest.mark.parametrize(
    ("table", "refusal"),
    [
        pytest.param("package_id\tdue_time\n", "no rows", id="no rows"),
        pytest.param(
            PACKAGE_HEADER + "p1\tstart\tend\tsoon\t1\n",
            "no whole number",
            id="the word `soon` as the time when it is due",
        ),
    ],
)
def test_a_table_of_packages_in_another_form_is_refused(
    table: str, refusal: str
) -> None:
    with pytest.raises(CannotRead, match=refusal):
        read_packages(table, late_cents=650)


@pytest.mark.parametrize(
    ("table", "refusal"),
    [
        pytest.param(
            LANE_HEADER_WITH_SIZE + "l1\tstart\tend\t1\t1\t5\t\n",
            "no single column for capacity",
            id="a column with another name",
        ),
        pytest.param(LANE_HEADER + "l1\tstart\n", "other columns", id="a short row"),
    ],
)
def test_a_table_of_lanes_in_another_form_is_refused(table: str, refusal: str) -> None:
    with pytest.raises(CannotRead, match=refusal):
        read_lanes(table, Rates(late_cents=650))
