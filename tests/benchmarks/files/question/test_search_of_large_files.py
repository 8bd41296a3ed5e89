"""A file of more than 1 MB is searched only if the call names it, since that may take long.

Both files of the folder have the word: the short `a.txt`, and `large.csv` in each of its rows.
"""

from controlplane.benchmarks.files.files_environment import FilesEnvironment


def test_large_file_is_not_searched_along_with_the_others(
    environment_with_large_table: FilesEnvironment,
) -> None:
    """The other file, `a.txt`, has the word, too. To search the large one takes long."""
    search = environment_with_large_table.call("search", {"pattern": "word"})
    passages = environment_with_large_table.call("passages", {"words": "word"})

    assert search["searched"] == "1 of 1 files"
    assert {match["path"] for match in passages["matches"]} == {"/a.txt"}


def test_large_file_is_searched_if_the_call_names_it(
    environment_with_large_table: FilesEnvironment,
) -> None:
    """The row `77,a word` is on line 79, below the header and the rows 0 to 76."""
    search = environment_with_large_table.call(
        "search", {"pattern": "^77,", "root": "/large.csv"}
    )

    assert search["matches"] == [
        {"path": "/large.csv", "line": 79, "text": "77,a word"}
    ]
