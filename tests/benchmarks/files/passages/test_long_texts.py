"""Long texts are cut into passages of about 700 characters, at blanks and line ends.

A passage is what `harness.passages("cellar key")` shows of a file. No word is lost by the cuts.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from controlplane.agent.opening.ranking import words_of
from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import (
    FilesEnvironment,
    table_heads,
)
from controlplane.benchmarks.files.files_runtime import PASSAGE_CHARS, passages_in
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import environment_with_worker, write_files


@pytest.fixture
def loan_files(fork_server: ForkServer, tmp_path: Path) -> Iterator[FilesEnvironment]:
    """Three texts about loans of keys. Scripts may write in the folder `docs`."""
    write_files(
        tmp_path,
        {
            "docs/loans.md": "# Loans\n\nA loan may be kept for 14 days.\n\n"
            "- loan-02: kept until 2026-03-01.\n",
            "docs/desk.md": "The desk opens at nine.\n",
            "notes.md": "Call Ines about the LOANS.\n",
        },
    )
    sources = find_sources(tmp_path)
    with environment_with_worker(fork_server, sources, writable="docs") as environment:
        yield environment


# Searching all files for the passages that match some words best: the best one comes first.
#
# `harness.passages("keep loan-02")` in a script returns paragraphs with their file and line. The
# files are three short texts about loans of keys, and a script may write others below `docs`.


def write_text(environment: FilesEnvironment, path: str, content: str) -> None:
    """Write a file as a script does, in place of the old one if there is one."""
    arguments = {"path": path, "content": content, "if_match_sha256": ""}
    environment.call("write", arguments)


def test_best_passage_comes_first(loan_files: FilesEnvironment) -> None:
    """One paragraph is about loan-02."""
    result = loan_files.call("passages", {"words": "keep loan-02", "limit": 3})

    best_match, *_ = result["matches"]
    assert best_match["path"] == "/docs/loans.md"


def test_passages_beyond_the_limit_make_the_result_truncated(
    loan_files: FilesEnvironment,
) -> None:
    """Two files have the word."""
    write_text(loan_files, "/docs/a.md", "zebra\n")
    write_text(loan_files, "/docs/b.md", "zebra\n")

    one_passage = loan_files.call("passages", {"words": "zebra", "limit": 1})
    two_passages = loan_files.call("passages", {"words": "zebra", "limit": 2})

    assert one_passage["truncated"] is True
    assert two_passages["truncated"] is False


def test_text_that_a_script_wrote_is_found(loan_files: FilesEnvironment) -> None:
    """What a script writes is kept apart from the files on disk, and is searched with them."""
    write_text(loan_files, "/docs/desk.md", "zebra\n")

    passages = loan_files.call("passages", {"words": "zebra", "limit": 3})
    search = loan_files.call("search", {"pattern": "zebra", "root": "/", "limit": 0})

    assert passages["matches"] == [
        {"path": "/docs/desk.md", "line": 1, "text": "zebra"}
    ]
    assert passages["truncated"] is False
    assert search["matches"]
    assert loan_files.changes == {"/docs/desk.md": "zebra\n"}


# Words that a question spells otherwise than the text, or that no spaces part.
#
# `harness.passages(question)` returns the paragraphs that match best. One file has the answer, and
# five others have nothing of the kind.


@pytest.mark.parametrize(
    ("text", "question"),
    [
        pytest.param(
            "El café de Müller abre a las ocho.",
            "When does Cafe\u0301 Mu\u0308ller open?",
            id="accents as characters of their own in the question",
        ),
        pytest.param(
            "El cafe\u0301 de Mu\u0308ller abre a las ocho.",
            "When does Café MÜLLER open?",
            id="accents as characters of their own in the text",
        ),
        pytest.param(
            "The code is ＲＯＯＭ－１２.",
            "Which code has room-12?",
            id="wide letters",
        ),
        pytest.param("北京办公室的钥匙由王芳保管。", "谁保管钥匙？", id="Chinese"),
        pytest.param("東京の鍵は二階にあります。", "鍵はどこですか", id="Japanese"),
        pytest.param("กุญแจอยู่ที่ชั้นสอง", "กุญแจอยู่ที่ไหน", id="Thai"),
    ],
)
def test_words_are_found_in_every_script(
    text: str, question: str, fork_server: ForkServer, tmp_path: Path
) -> None:
    write_files(tmp_path, {"answer.txt": f"Preface.\n\n{text}\n"})
    for number in range(5):
        write_files(tmp_path, {f"other-{number}.txt": "Nothing of the kind.\n"})

    with environment_with_worker(fork_server, find_sources(tmp_path)) as environment:
        result = environment.call("passages", {"words": question, "limit": 3})

    best_match, *_ = result["matches"]
    assert best_match["path"] == "/answer.txt"


# Tables among the passages that match some words best: they come before prose.
#
# The words name a table if they have a word of its file's name, `flights.csv`, or of a column's name.
# Then it comes first even if some prose has more of the words. Its passage is its head, the first two
# lines. A small table is also searched like prose, and then the passage that was found is shown
# instead.


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


# The words by which passages of files are searched: plain words, of which one is needed.
#
# `harness.passages("cellar key")` in a script returns the paragraphs that match the words best.


def test_quotation_marks_and_operators_are_read_as_plain_words(
    loan_files: FilesEnvironment,
) -> None:
    """The search engine has a query language, in which these words would be an error."""
    result = loan_files.call("passages", {"words": 'a "quoted OR (odd', "limit": 3})

    assert result["shown"]


def test_search_without_a_word_is_refused(loan_files: FilesEnvironment) -> None:
    """Without a word, every passage would be as good as any other."""
    with pytest.raises(CallError, match="at least one word"):
        loan_files.call("passages", {"words": "?", "limit": 3})


def test_end_of_a_long_line_is_found(fork_server: ForkServer, tmp_path: Path) -> None:
    """A line of 9,000 characters is searched and shown in parts."""
    beginning = "The harbour was quiet and the weather fair. " * 200
    end = "The cellar key hangs behind the stove."
    write_files(tmp_path, {"log.txt": beginning + end})

    with environment_with_worker(fork_server, find_sources(tmp_path)) as environment:
        result = environment.call("passages", {"words": "cellar key", "limit": 1})

    (match,) = result["matches"]
    assert "cellar key hangs behind the stove" in match["text"]


@pytest.mark.parametrize("seed", range(20))
def test_every_word_of_a_text_is_in_a_passage(seed: int) -> None:
    """Only a word that is longer than a passage, `yyyy...`, is cut itself."""
    rng = Random(seed)
    words: list[str] = []
    text = ""
    for number in range(400):
        word = f"w{number}" + "x" * rng.randint(0, 30)
        words.append(word)
        text += word + rng.choice([" ", " ", ". ", "\n", "\n\n"])
    word_longer_than_a_passage = "y" * 2_000

    passages = [
        passage
        for _line, passage in passages_in(f"{text} {word_longer_than_a_passage}")
    ]

    words_of_passages = " ".join(passages).replace(".", " ").split()
    assert set(words) <= set(words_of_passages)
    for passage in passages:
        assert len(passage) <= PASSAGE_CHARS
