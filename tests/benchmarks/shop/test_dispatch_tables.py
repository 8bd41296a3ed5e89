"""The input of `dispatch_plan`, the function that plans how a shop's packages are sent.

It reads a table of packages, and one of lanes: the connections between branches, with
limited room. Lanes may be delayed. How often and for how long is stated by a page of
the shop, or in the call: `delays={"likely": 40.5, "long": [5, 7]}`.
"""

import pytest

from controlplane.benchmarks.shop.dispatch.call_rates import rates_in_call
from controlplane.benchmarks.shop.dispatch.delays import DelayLength, Rates
from controlplane.benchmarks.shop.dispatch.lane_table import read_lanes
from controlplane.benchmarks.shop.dispatch.package_table import read_packages
from controlplane.sandbox.functions import CannotRead

RATES = Rates(
    shares={"unlikely": 0.05, "likely": 0.405},
    lengths={"short": DelayLength(1, 2), "long": DelayLength(5, 7)},
    late_cents=650,
)
"""How often and how long lanes are delayed, and what lateness costs.

The table says of a lane only "delays unlikely; short when delayed", for example. By these rates,
5 of 100 trips by the lane are late then, by 1 or 2 units of time.
"""

# The first lines of the two tables, whose cells are separated by tabs
PACKAGE_HEADER = "package_id\tfrom_store_id\tto_store_id\tdue_time\tmargin_cents\n"
LANE_HEADER = "lane_id\tfrom\tto\tcapacity\teta\tcost_cents\tdelay_hint\n"


class TestTables:
    """A table in another form is refused, since a plan for misread lanes would be wrong.

    `PACKAGE_HEADER` and `LANE_HEADER` are the first lines of the two tables, `RATES` how often and
    how long lanes are delayed.
    """

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
    def test_a_table_of_packages_in_another_form_is_refused(self, table, refusal):
        with pytest.raises(CannotRead, match=refusal):
            read_packages(table, RATES.late_cents)

    @pytest.mark.parametrize(
        ("table", "refusal"),
        [
            pytest.param(
                LANE_HEADER.replace("capacity", "size") + "l1\tstart\tend\t1\t1\t5\t\n",
                "no single column for capacity",
                id="a column with another name",
            ),
            pytest.param(
                LANE_HEADER + "l1\tstart\n", "other columns", id="a short row"
            ),
        ],
    )
    def test_a_table_of_lanes_in_another_form_is_refused(self, table, refusal):
        with pytest.raises(CannotRead, match=refusal):
            read_lanes(table, RATES)


class TestRatesInCall:
    """A call may state how often and how long lanes are delayed, by the words of their hints.

    The table says of a lane only "delays unlikely; short when delayed", for example. In
    the call, `{"unlikely": 5, "short": [1, 2]}` says that 5 of 100 trips by it are late,
    by 1 or 2 units of time.
    """

    def test_a_caller_may_give_rates_by_the_words_of_the_hints(self):
        """A word for how often, `unlikely`, has a percentage: 5 % are a share of 0.05.

        A word for how long, `short`, has the shortest and the longest delay.
        """
        delays = {"unlikely": 5, "likely": 40.5, "short": [1, 2], "long": [5, 7]}

        rates = rates_in_call(late_cents=650, delays=delays)

        assert rates == RATES

    def test_a_caller_need_not_give_rates(self):
        """By default the function reads the rates from the page on dispatch."""
        no_rates = Rates()

        assert rates_in_call(late_cents=0, delays={}) == no_rates

    @pytest.mark.parametrize(
        "delays",
        [
            pytest.param("often", id="a text"),
            pytest.param({"often": "20"}, id="a text as percentage"),
            pytest.param({"often": 120}, id="more than 100 percent"),
            pytest.param({"short": [1]}, id="one end of a length"),
            pytest.param({"short": ["a", "b"]}, id="texts as length"),
        ],
    )
    def test_rates_in_another_form_are_refused(self, delays):
        """The message says that it is "neither trips in 100 nor [shortest, longest]"."""
        with pytest.raises(CannotRead, match="neither trips in 100 nor"):
            rates_in_call(late_cents=0, delays=delays)
