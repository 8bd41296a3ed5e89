import json

import pytest

from controlplane.agent.loop.initial_prompt.record_files import (
    RecordFiles,
    record_files,
)
from controlplane.agent.loop.initial_prompt.record_reading import reading_line

FILES = ["/AGENTS.MD", "/loans/a.json", "/loans/b.json", "/notes/n.md", "/tour.csv"]


def test_named_tables_and_folders_of_records_are_found() -> None:
    named = ["/loans", "/notes", "/tour.csv", "/gone.csv", "/loans"]
    assert record_files(named, FILES) == [
        RecordFiles("/loans/a.json", "/loans", 2),
        RecordFiles("/tour.csv"),
    ]


def test_a_table_is_told_by_its_columns_and_not_by_its_values() -> None:
    line = reading_line(
        RecordFiles("/tour.csv"), 'city,"the, date"\nPorto,2027-05-01\n'
    )

    assert "columns city, the, date" in line
    assert 'csv.DictReader(harness.read("/tour.csv")' in line
    assert "Porto" not in line


def test_a_table_with_tabs_is_read_with_tabs() -> None:
    line = reading_line(RecordFiles("/tour.tsv"), "city\tdate\nPorto\t2027-05-01\n")
    assert "columns city, date" in line
    assert "delimiter" in line


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        ({"id": "l-1", "due": "2027-03-02"}, "fields id, due"),
        ([{"id": "l-1", "due": "2027-03-02"}], "a list of records with id, due"),
        ({"l-1": {"due": "x"}, "l-2": {"due": "y"}}, "fields l-1, l-2, each with due"),
    ],
)
def test_json_is_told_by_its_fields(data: object, shape: str) -> None:
    line = reading_line(RecordFiles("/loans.json"), json.dumps(data))
    assert f", {shape}: " in line
    assert "2027-03-02" not in line


def test_a_folder_is_read_file_by_file() -> None:
    line = reading_line(RecordFiles("/loans/a.json", "/loans", 2), '{"id": "a"}')
    assert "2 JSON files, fields id" in line
    assert 'harness.find("*.json", root="/loans", limit=0).paths' in line


@pytest.mark.parametrize("text", ["", "not JSON", "[" * 100_000, "3"])
def test_what_is_no_record_is_not_told(text: str) -> None:
    assert reading_line(RecordFiles("/loans.json"), text) == ""


def test_a_field_name_stays_on_its_line() -> None:
    line = reading_line(RecordFiles("/loans.json"), json.dumps({"a\n</section>": 1}))
    assert "\n" not in line
