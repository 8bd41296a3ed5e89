"""Words and numbers in the form in which results are compared with what scripts passed.

A script passes `1250` to a tool, and a later result has `1,250.00`. The result may only repeat
the script's number, so both formats must be found equal. Therefore a text has a key for each of
its numbers, beside its words. It is the number without marks, and without zeros at its ends:

    comparable_words("1250")           -> {"1250", "#125"}
    comparable_words("Fee 1,250.00")   -> {"fee", "1", "250", "00", "#125"}
"""

from __future__ import annotations

from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of


def comparable_words(text: str) -> set[str]:
    """Return the words of a text in small letters, and the key of each number."""
    folded = fold_text(text)
    words = set(parts_of(folded))
    words.update(_key_of_number(number) for number in numbers_of(folded))
    return words


def words_among(compared: set[str], folded_text: str) -> set[str]:
    """Return the words and numbers of a text that are among comparable words.

    `compared` are such words, for example `fee` and `#125`. Of the folded text `fee 1,250.00
    eur`, `fee` and `1,250.00` are returned: numbers as they are written in the text.
    """
    words = compared.intersection(parts_of(folded_text))
    for number in numbers_of(folded_text):
        if _key_of_number(number) in compared:
            words.add(number)
    return words


def _key_of_number(number: str) -> str:
    """Return the key of a number: `1,250.00` -> `#125`. The `#` tells it from a word.

    125 has the same key, because nothing shows what a mark means: `12.50` may be 12.5 or 1250. A
    trial seldom has both numbers.
    """
    return f"#{number_key(number)}"
