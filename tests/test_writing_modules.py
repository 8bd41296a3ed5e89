"""The product changes files of users through one module.

`sandbox/files/disk_files.py` takes care of links, hidden files and earlier versions. Another module
with a call such as `open(path, "w")` would do without this care, so it is found in the source, and
has to be known here.
"""

from tests.support.entries.source_entries import sources
from tests.support.entries.writing_calls import writes_files


def test_one_module_writes_files_of_users() -> None:
    writing_modules: set[str] = set()
    for path, source in sources():
        if writes_files(source):
            writing_modules.add(path)

    file_writer = "sandbox/files/disk_files.py"
    programs_of_developers = {
        "gates/values/cldr_tables.py",  # makes the product's table of names of months and units
        "benchmarks/ecom/record.py",  # makes the recording of the embedded benchmark
    }
    # Exports of a run go into a file that the user names in the command.
    exports = {
        "controlplane/report/export/csv_table.py",
        "controlplane/report/export/table_rows.py",
    }
    # Nothing in these is a document of the user.
    other_writers = {
        "benchmarks/containers/container_variables.py",  # a temporary file with variables of a task
        "benchmarks/files/tables/raw_rows.py",  # a table in memory, for DuckDB
        "controlplane/file_changes.py",  # a lock, so that one process writes at a time
        "controlplane/configuration/config_trust.py",  # a list of hashes in the product's own folder
        "sandbox/child/walls/file_walls.py",  # /proc/self/uid_map, for the kernel
    }
    assert writing_modules == {
        file_writer,
        *programs_of_developers,
        *exports,
        *other_writers,
    }
