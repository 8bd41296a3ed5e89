"""What is typed is split into keys, so that a letter inside a key's bytes is not taken for that letter."""

import pytest

from controlplane.view.keyboard import split_key


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("n", ["n"]),
        ("fp", ["f", "p"]),
        ("\x1b[Af", ["\x1b[A", "f"]),
        ("\x1bOB\x1b[C", ["\x1bOB", "\x1b[C"]),
        ("\x1b[5~q", ["\x1b[5~", "q"]),
        ("\x1bn", ["\x1b", "n"]),
        ("\x1b[1;5Cn", ["\x1b[1;5C", "n"]),
        ("\x1b[1;", ["\x1b[1;"]),
        ("\u00e4\u6f22", ["\u00e4", "\u6f22"]),
        ("", []),
    ],
)
def test_what_is_typed_is_split_into_keys(typed: str, keys: list[str]) -> None:
    found = []
    while typed:
        key, typed = split_key(typed)
        found.append(key)
    assert found == keys
    assert split_key("") == ("", "")
