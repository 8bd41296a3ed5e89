"""Random CSV files: whatever a file looks like, every word of it is in a cell."""

import random

from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


def random_lines(rng: random.Random, delimiter: str) -> list[str]:
    """Return a header and rows of 1 to 4 cells, such as `w7;"w6` with stray quotation marks.

    Every cell has a word of its own.
    """
    words = [f"w{number}" for number in range(rng.randrange(4, 60))]
    lines = [f"head{delimiter}tail"]
    while words:
        cells: list[str] = []
        for _ in range(rng.randrange(1, 5)):
            if words:
                beginning = rng.choice(["", '"', " "])
                cells.append(beginning + words.pop())
        lines.append(delimiter.join(cells))
    return lines


def test_no_word_of_a_random_file_is_lost() -> None:
    """300 files with random delimiters, quotation marks and row lengths are read."""
    rng = random.Random(7)
    for _ in range(300):
        delimiter = rng.choice(",;\t|")
        lines = random_lines(rng, delimiter)

        csv_file = read_csv("\n".join(lines))

        read_text = "\n".join("\t".join(cells) for cells in csv_file.cells)
        for line in lines[1:]:
            words = line.replace(delimiter, " ").replace('"', " ").split()
            for word in words:
                assert word in read_text
