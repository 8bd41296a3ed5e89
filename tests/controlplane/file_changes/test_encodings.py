"""The encoding in which a user's text file is written, and which nothing but its bytes tells.

    decode_text(b"caf\\xe9").text -> "café"

A file is read, and searched for words, as the text that its author saw.
"""

from pathlib import Path

import pytest

from controlplane import decode_text
from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import files_with_words
from controlplane.sandbox.files.text_words import words_of

TEXT_BY_ENCODING = {
    "cp1252": "Name;Größe\nMüller;3 €\n",
    "cp1250": "Zażółć gęślą jaźń, proszę pana.\n",
    "koi8_r": "Привет, как дела? Всё хорошо.\n",
    "shift_jis": "これは日本語の文章です。\n",
    "gb18030": "这是中文文本。你好吗\n",
    "utf-8": "Größe → 3\n",
    "utf-16-le": "Größe → 3, und noch ein paar Worte\n",
}
"""A text in a language for which its encoding is usual."""


@pytest.mark.parametrize("encoding", TEXT_BY_ENCODING)
def test_a_file_is_read_in_the_encoding_it_was_written_in(
    encoding: str, tmp_path: Path
) -> None:
    text = TEXT_BY_ENCODING[encoding]
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))

    sources = find_sources(tmp_path)

    assert sources["/a.txt"] == text


@pytest.mark.parametrize("encoding", TEXT_BY_ENCODING)
def test_a_file_in_any_encoding_is_found_by_its_words(
    encoding: str, tmp_path: Path
) -> None:
    """The search finds files that have the words of a question."""
    text = TEXT_BY_ENCODING[encoding]
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    words_at_its_beginning = words_of(text[:5])

    sources = find_sources(tmp_path)

    assert files_with_words(sources, words_at_its_beginning) == ["/a.txt"]


def test_a_lone_byte_that_is_not_utf_8_is_read_as_western_european() -> None:
    """In a Cyrillic encoding, the same bytes would be two letters that make no word."""
    assert decode_text(b"caf\xe9 \x80").text == "café €"


def test_many_bytes_that_form_cyrillic_words_are_read_as_cyrillic() -> None:
    """In a Western encoding, the same bytes would be words like "Ïðèâåò"."""
    text = "Привет, мир. Как дела"

    assert decode_text(text.encode("cp1251")).text == text
