"""A file can be cited for a value that a program picked from it.

The programs read `{"opens": "seven", "rows": [{"id": "b-104", "copies": 17}]}`. What a script passes to
a program may only choose a value: words of its arguments are not shown by the file.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_value_that_a_filter_picked_is_citable() -> None:
    """`/bin/pick FILTER FILE` prints what a jq filter picks."""
    trial = CitingTrial()
    trial.run("/bin/pick", ".opens", "/shelves/store.json", stdout='"seven"\n')

    assert trial.can_cite("/shelves/store.json", reason="it opens at seven")


def test_a_value_of_the_row_that_a_filter_chose_is_citable() -> None:
    """The filter has the id "b-104", but not the printed 17."""
    filter_text = '.rows[] | select(.id == "b-104") | .copies'
    trial = CitingTrial()
    trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 copies are there")


def test_the_id_in_a_filter_may_have_a_quotation_mark() -> None:
    filter_text = r'.rows[] | select(.id == "b\"104") | .copies'
    trial = CitingTrial()
    trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 copies are there")


def test_a_value_that_was_looked_up_by_an_id_is_citable() -> None:
    """`/bin/stock FILE ID` prints the id, and its number of copies."""
    trial = CitingTrial()
    trial.run("/bin/stock", "/shelves/store.json", "b-104", stdout="b-104\t17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 of b-104")
