"""A word that a script passed in two pieces is the script's own, like one that it passed whole.

A tool that appends each text to a file joins `the vau` and `lt of gold.` to `the vault of gold.`. If
the file is read later, then the word `vault` in it proves nothing.
"""

import pytest

from controlplane.agent.evidence.texts.own import OwnWords, ResultWords


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["the vau", "lt of gold."], id="two pieces"),
        pytest.param(["the va", "u", "lt of gold."], id="three pieces"),
        pytest.param(["the vau", "", "lt of gold."], id="an empty text between them"),
    ],
)
def test_the_joined_word_is_the_scripts_own(arguments: list[str]) -> None:
    own_words = OwnWords(ResultWords(texts=[]))

    own_words.add(arguments)

    assert "vault" in own_words.words


def test_words_with_a_blank_between_them_are_not_joined() -> None:
    own_words = OwnWords(ResultWords(texts=[]))

    own_words.add(["the vau ", "lt of gold."])

    assert "vault" not in own_words.words
