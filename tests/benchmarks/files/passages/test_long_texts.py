"""Long texts are cut into passages of about 700 characters, at blanks and line ends.

A passage is what `harness.passages("cellar key")` shows of a file. No word is lost by the cuts.
"""

from pathlib import Path
from random import Random

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_runtime import PASSAGE_CHARS, passages_in
from controlplane.sandbox import ForkServer
from tests.benchmarks.files.opened_files import environment_with_worker, write_files


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
