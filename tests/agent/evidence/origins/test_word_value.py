"""A word of a longer text is looked up by each of its *keys*, the spellings that mean the same.

`0001` has the keys `0001` and `1`. Each look-up takes time, so no key occurs twice.
"""

import pytest

from controlplane.agent.evidence.origins.values import value_of_word


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        pytest.param("Inv-2026017", ("inv-2026017",), id="id"),
        pytest.param("DE12345678", ("de12345678",), id="account"),
        pytest.param("0001", ("0001", "1"), id="number with zeros"),
    ],
)
def test_a_word_has_each_key_once(word: str, keys: tuple[str, ...]) -> None:
    assert value_of_word(word).keys == keys
