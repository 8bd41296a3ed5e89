"""Plans of dispatch waves."""

import pytest

from benchmarks.shop.dispatch import Rates, given_rates, read_lanes, read_packages
from sandbox.functions import CannotRead

RATES = Rates({"unlikely": 0.05, "likely": 0.405}, {"short": (1, 2), "long": (5, 7)}, 650)
PACKAGE_TABLE = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
LANE_TABLE = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


@pytest.mark.parametrize(
    ("read", "table", "said"),
    [
        (read_packages, "package_id\tdue_time\n", "no rows"),
        (read_packages, PACKAGE_TABLE + "p1\ts\td\tsoon\t1\n", "no whole number"),
        (read_lanes, LANE_TABLE.replace("capacity", "size") + "a\ts\td\t1\t1\t5\t\n", "no single column for capacity"),
        (read_lanes, LANE_TABLE + "a\ts\n", "other columns"),
    ],
)
def test_a_table_of_another_shape_is_refused(read, table, said):
    with pytest.raises(CannotRead, match=said):
        read(table, RATES if read is read_lanes else RATES.late_cents)


def test_a_caller_gives_rates_in_the_words_of_the_hints():
    given = given_rates(650, {"unlikely": 5, "likely": 40.5, "short": [1, 2], "long": [5, 7]})
    assert given == RATES
    assert given_rates(0, {}) == Rates()
    for delays in ("often", {"often": "20"}, {"often": 120}, {"short": [1]}, {"short": ["a", "b"]}):
        with pytest.raises(CannotRead, match="neither trips in 100 nor"):
            given_rates(0, delays)
