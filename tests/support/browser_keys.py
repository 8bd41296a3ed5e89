"""Key presses as events of the browser's protocol.

`key_events("a")` has two: the key `a` goes down, which types the text "a", and up again.
"""

from typing import Any

KEY_CODES = {"Enter": 13, "Escape": 27, "Tab": 9}
"""The numbers by which pages know the keys that type no letter."""


def key_events(key: str) -> list[dict[str, Any]]:
    """Return the events of pressing and releasing a key: `a`, or `Enter`."""
    key_up: dict[str, Any] = {
        "type": "keyUp",
        "key": key,
        "windowsVirtualKeyCode": KEY_CODES.get(key, 0),
    }
    key_down = {**key_up, "type": "keyDown"}
    if len(key) == 1:
        key_down["text"] = key
    elif key == "Enter":
        key_down["text"] = "\r"
    return [key_down, key_up]
