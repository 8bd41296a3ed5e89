"""Tables among the passages that match some words best: they come before prose.

The words name a table if they have a word of its file's name, `flights.csv`, or of a column's name.
Then it comes first even if some prose has more of the words. Its passage is its head, the first two
lines. A small table is also searched like prose, and then the passage that was found is shown
instead.
"""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import table_heads
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox import ForkServer
from controlplane.sandbox.files.text_words import words_of
from tests.benchmarks.files.opened_files import environment_with_worker


def test_tables_that_the_words_name_come_before_prose(
    fork_server: ForkServer, tmp_path: Path
) -> None:
    """The question is about two tables, and some prose has more of its words.

    `flights.csv` is named by its file, and is too large to be searched. `w.csv` is named by
    its column `Month`. `other.csv` has no word of the question.
    """
    question = "How many flights were there in which month?"
    prose = (
        "How many flights were there in the month of July? "
        "There were many flights from here to there.\n\n"
    )
    (tmp_path / "prose.md").write_text(prose * 40)
    # Tables are found by name in any encoding and size: this one has more than 0.01 MB.
    (tmp_path / "flights.csv").write_text("year,dep_delay\n2013,5\n" * 1_000)
    month_table = "origin,Month\nB6,7\nSea Gr\xfc\xdfe,8\n"
    (tmp_path / "w.csv").write_text(month_table, encoding="cp1252")
    (tmp_path / "other.csv").write_bytes("item,fee\n".encode("utf-16-be"))

    sources = find_sources(tmp_path, file_mb=0.01)
    with environment_with_worker(fork_server, sources) as environment:
        result = environment.call("passages", {"words": question, "limit": 20})

    first_match, second_match, *other_matches = result["matches"]
    assert first_match["path"] == "/flights.csv"
    assert first_match["text"] == "year,dep_delay\n2013,5"
    assert second_match["path"] == "/w.csv"
    assert second_match["text"] == "origin,Month\nB6,7\nSea Gr\xfc\xdfe,8"
    assert {match["path"] for match in other_matches} == {"/prose.md"}


def test_table_is_named_by_its_file_or_by_a_column() -> None:
    """`plane` is in the file name `planes.csv`, and is a column of `cars.csv`."""
    sources = SourceFiles.of_texts(
        {
            "/cars.csv": "seats,plane\ny,z\n",
            "/items.csv": "a\n",
            "/planes.csv": "seat\nx\n",
        }
    )

    heads = table_heads(sources, words_of("Which plane?"))

    assert heads == [["/cars.csv", "seats,plane\ny,z"], ["/planes.csv", "seat\nx"]]
