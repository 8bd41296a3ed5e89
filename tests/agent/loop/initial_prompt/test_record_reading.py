"""Lines of the first message that tell the model how to read records.

For each table or folder of JSON files that the rules or the request name, a line has its fields
and the code that reads it:

    - /loans.json, fields id, due: `data = harness.read("/loans.json").json()`

Values are not shown, since the user who asks may not be allowed to see them.
"""

from __future__ import annotations

import json

import pytest

from controlplane.agent.loop.initial_prompt.records.reading_line import reading_line
from controlplane.agent.loop.initial_prompt.records.record_files import (
    RecordFiles,
    record_files,
)

FOLDER_OF_LOANS = RecordFiles(path="/loans/a.json", folder="/loans", count=2)
"""The folder `/loans` with two records; `path` is the first of them."""


class TestFoldersOfRecords:
    """A folder of JSON files gets one line for all of its records.

    The folder here is `/loans`, with the records `a.json` and `b.json`.
    """

    def test_named_tables_and_named_folders_of_records_are_found(self) -> None:
        """A folder without JSON files, a missing file, and a second mention are left out."""
        existing_files = [
            "/AGENTS.MD",
            "/loans/a.json",
            "/loans/b.json",
            "/notes/n.md",
            "/tour.csv",
        ]
        named_paths = ["/loans", "/notes", "/tour.csv", "/gone.csv", "/loans"]

        table = RecordFiles("/tour.csv")
        assert record_files(named_paths, existing_files) == [FOLDER_OF_LOANS, table]

    def test_a_folder_is_read_file_by_file(self) -> None:
        """The code in the line finds all JSON files of the folder. The fields are those of the
        first."""
        line = reading_line(FOLDER_OF_LOANS, '{"id": "a"}')

        assert line == (
            "- /loans, 2 JSON files, fields id: "
            '`for path in harness.find("*.json", root="/loans", limit=0).paths: '
            "record = harness.read(path).json()`"
        )


class TestTables:
    """A line on a table has its columns, and the code that reads it.

    A table is a file with the columns in its first line, separated by commas or by tabs.
    """

    def test_the_line_of_a_table_has_its_columns_and_no_values(self) -> None:
        """The table has the columns `city` and `the, date`."""
        table = 'city,"the, date"\nPorto,2027-05-01\n'

        line = reading_line(RecordFiles("/tour.csv"), table)

        assert line == (
            "- /tour.csv, columns city, the, date: "
            '`rows = list(csv.DictReader(harness.read("/tour.csv").content.splitlines()))`'
        )

    def test_a_table_with_tabs_is_read_with_tabs(self) -> None:
        """The code in the line has to say so."""
        table = "city\tdate\nPorto\t2027-05-01\n"

        line = reading_line(RecordFiles("/tour.tsv"), table)

        assert line == (
            "- /tour.tsv, columns city, date: "
            '`rows = list(csv.DictReader(harness.read("/tour.tsv").content.splitlines(), '
            'delimiter="\\t"))`'
        )


class TestJsonFiles:
    """A line on a JSON file tells the shape of its data, and the code that reads it.

    `reading_line(file, text)` returns the line, or "" if the text of the file is not of records.
    """

    @pytest.mark.parametrize(
        ("data", "shape"),
        [
            pytest.param(
                {"id": "l-1", "due": "2027-03-02"}, "fields id, due", id="one record"
            ),
            pytest.param(
                [{"id": "l-1", "due": "2027-03-02"}],
                "a list of records with id, due",
                id="list of records",
            ),
            pytest.param(
                {"l-1": {"due": "x"}, "l-2": {"due": "y"}},
                "fields l-1, l-2, each with due",
                id="records by their ids",
            ),
        ],
    )
    def test_the_line_of_a_json_file_has_its_fields(
        self, data: object, shape: str
    ) -> None:
        """The shape of the data is described without its values."""
        line = reading_line(RecordFiles("/loans.json"), json.dumps(data))

        assert line == (
            f'- /loans.json, {shape}: `data = harness.read("/loans.json").json()`'
        )

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("", id="empty"),
            pytest.param("not JSON", id="prose"),
            pytest.param("[" * 100_000, id="brackets"),
            pytest.param("3", id="number"),
        ],
    )
    def test_a_file_that_is_not_a_record_has_no_line(self, text: str) -> None:
        """A line about it would mislead the model."""
        assert reading_line(RecordFiles("/loans.json"), text) == ""

    def test_a_field_name_with_a_line_break_stays_on_its_line(self) -> None:
        """Otherwise, a file could forge other lines of the first message."""
        record = json.dumps({"a\n</section>": 1})

        line = reading_line(RecordFiles("/loans.json"), record)

        assert "\n" not in line
