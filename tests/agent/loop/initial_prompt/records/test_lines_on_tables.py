"""A table gets a line in the first message, with its columns and the code that reads it.

A table is a file with the columns in its first line, separated by commas or by tabs. Values are not
shown, since the user who asks may not be allowed to see them.
"""

from controlplane.agent.loop.initial_prompt.first_message import (
    RecordFiles,
    reading_line,
)


def test_the_line_of_a_table_has_its_columns_and_no_values() -> None:
    """The table has the columns `city` and `the, date`."""
    table = 'city,"the, date"\nPorto,2027-05-01\n'

    line = reading_line(RecordFiles("/tour.csv"), table)

    assert line == (
        "- /tour.csv, columns city, the, date: "
        '`rows = list(csv.DictReader(harness.read("/tour.csv").content.splitlines()))`'
    )


def test_a_table_with_tabs_is_read_with_tabs() -> None:
    """The code in the line has to say so."""
    table = "city\tdate\nPorto\t2027-05-01\n"

    line = reading_line(RecordFiles("/tour.tsv"), table)

    assert line == (
        "- /tour.tsv, columns city, date: "
        '`rows = list(csv.DictReader(harness.read("/tour.tsv").content.splitlines(), '
        'delimiter="\\t"))`'
    )
