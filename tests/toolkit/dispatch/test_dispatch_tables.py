import pytest

from toolkit import CannotRead
from toolkit.dispatch import read_lanes, read_packages
from toolkit.dispatch.lane_delays import ON_TIME

PACKAGES = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
LANES = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


def test_hints_become_chances():
    sure, often = read_lanes(LANES + "a\ts\td\t1\t2\t5\t\nb\ts\td\t1\t2\t5\tdelays often; short when delayed\n")
    assert sure.delays == ON_TIME
    assert [delay for delay, _ in often.delays] == [0, 1, 2, 3]
    assert sum(chance for _, chance in often.delays) == pytest.approx(1)


@pytest.mark.parametrize(
    ("read", "table", "said"),
    [
        (read_packages, "package_id\tdue_time\n", "no rows"),
        (read_packages, PACKAGES + "p1\ts\td\tsoon\t1\n", "no whole number"),
        (read_lanes, LANES.replace("capacity", "size") + "a\ts\td\t1\t1\t5\t\n", "no single column for capacity"),
        (read_lanes, LANES + "a\ts\n", "other columns"),
    ],
)
def test_a_table_of_another_shape_is_refused(read, table, said):
    with pytest.raises(CannotRead, match=said):
        read(table)
