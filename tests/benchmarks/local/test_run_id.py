"""An id of a run says all that another process needs, and nothing else is taken for one."""

import pytest

from benchmarks.local.local_benchmark import RunId


def test_a_runs_id_spells_all_of_it() -> None:
    run = RunId("ecom", -3, 12, "0123abcd")
    assert str(run) == "ecom-s-3-n12-0123abcd"
    assert RunId.parse(str(run)) == run


@pytest.mark.parametrize(
    "text", ["", "ecom-s0-n0-0123abcd", "ecom-s00-n1-0123abcd", "ecom-s0-n1-0123abcdx", "s0-n1-0123abcd"]
)
def test_what_is_no_id_is_none(text: str) -> None:
    assert RunId.parse(text) is None
