"""The keys that terminals mean by the bytes they send."""

import pytest

from controlplane.view.keyboard import KEY_NAMES, split_key


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("n", ["n"]),
        ("np", ["n", "p"]),
        ("\x1b[A", ["up"]),
        ("\x1bOB\x1b[C\x1b[D", ["down", "right", "left"]),
        ("\x1b[5~\x1b[6~q", ["page up", "page down", "q"]),
        ("\x1b", ["escape"]),
        ("\x1bn", ["escape", "n"]),
        ("\x1b[15~n", ["\x1b[15~", "n"]),
        ("\x1b[1;5Cn", ["\x1b[1;5C", "n"]),
        ("\x1b[1;", ["\x1b[1;"]),
        ("\r\n\x7f", ["enter", "enter", "backspace"]),
        ("\x04", ["q"]),
        ("\u00e4\u6f22", ["\u00e4", "\u6f22"]),
    ],
)
def test_what_is_typed_is_split_into_keys(typed: str, keys: list[str]) -> None:
    found = []
    while typed:
        key, typed = split_key(typed)
        found.append(KEY_NAMES.get(key, key))
    assert found == keys
