"""A folder of JSON files gets one line in the first message, which tells the model how to read it.

The rules and the request name paths. A named folder with JSON files has a line, and so does a named
table, a CSV file. The line of the folder has the fields of its first record, and the code that reads all
records. Values are not shown, since the user who asks may not be allowed to see them.
"""

from controlplane.agent.loop.initial_prompt.first_message import (
    RecordFiles,
    reading_line,
    record_files,
)

FOLDER_OF_LOANS = RecordFiles(path="/loans/a.json", folder="/loans", count=2)
"""The folder `/loans` with two records; `path` is the first of them."""


def test_named_tables_and_named_folders_of_records_are_found() -> None:
    named_paths = [
        "/loans",
        "/notes",  # has no JSON file
        "/tour.csv",
        "/gone.csv",  # does not exist
        "/loans",  # for the second time
    ]
    existing_files = [
        "/AGENTS.MD",
        "/loans/a.json",
        "/loans/b.json",
        "/notes/n.md",
        "/tour.csv",
    ]

    found = record_files(named_paths, existing_files)

    table = RecordFiles(path="/tour.csv", folder="", count=1)
    assert found == [FOLDER_OF_LOANS, table]


def test_a_folder_is_read_file_by_file() -> None:
    """The code in the line finds all JSON files of the folder. The fields are those of the
    first."""
    line = reading_line(FOLDER_OF_LOANS, '{"id": "a"}')

    assert line == (
        "- /loans, 2 JSON files, fields id: "
        '`for path in harness.find("*.json", root="/loans", limit=0).paths: '
        "record = harness.read(path).json()`"
    )
