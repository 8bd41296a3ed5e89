"""The scratchpad as it was last sent to the parent. It is sent again only if it has changed.

The scratchpad is the dict in which a script keeps what later scripts need. The parent stores it,
because this process may end at any time.
"""

from __future__ import annotations

import json
from typing import Any, Final

from controlplane.sandbox.child.step.scratchpad.decoded_values import decode
from controlplane.sandbox.child.step.scratchpad.encoded_values import encode
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.document_sizes import is_larger
from controlplane.sandbox.interface.plain_data import Plain

_SHOWN_KEY_CHARS: Final = 80


class SentScratchpad:
    """Compares the scratchpad of a step with its form that was sent to the parent last."""

    def __init__(self, scratchpad: dict[str, Any], max_bytes: int) -> None:
        self._scratchpad = scratchpad
        self._max_bytes = max_bytes
        self._sent: Plain = None
        """The encoded scratchpad that was sent last, or that the next message will send."""

    def fill(self, encoded: Plain) -> None:
        """Give the scratchpad the content that it had at the end of the last step.

        Raises `Damaged` if it cannot be read; then the scratchpad stays empty.
        """
        self._sent = encoded
        dict.update(self._scratchpad, decode(encoded))

    def take_changed(self) -> Plain:
        """Return the encoded scratchpad if it changed since it was last sent, otherwise None.

        From then on it counts as sent, so the caller must send it with the next message.
        Raises an error if the scratchpad cannot be kept. Methods of its values, which a script
        may have written, may raise any other.
        """
        encoded = encode(dict(self._scratchpad))
        if encoded == self._sent:
            return None
        check_size(encoded, self._max_bytes)
        self._sent = encoded
        return encoded

    def copy(self) -> dict[str, Any]:
        """Return a copy with the values that the parent and the next step get.

        They are encoded and decoded: a dataclass becomes a dict.
        """
        copy: dict[str, Any] = decode(encode(dict(self._scratchpad)))
        return copy


def check_size(encoded: Any, max_bytes: int) -> None:
    """Raise `ValueError` if an encoded scratchpad is too large.

    The message names its largest key.
    """
    # The JSON of a key is a list with the key and its value: `["rows", [1, 2]]`.
    json_by_key = {
        key: json.dumps([key, value]).encode() for key, value in encoded.items()
    }
    all_json = b"".join(json_by_key.values())
    size = len(all_json)

    # `is_larger` counts lists and mappings, also the list made above for each key. The
    # scratchpad itself does not have these, so that many more are allowed.
    lists_made_here = len(json_by_key)
    has_too_many_parts = is_larger(
        all_json, bounds.MOST_SCRATCHPAD_PARTS + lists_made_here
    )

    if size > max_bytes:
        fault = f"{size} bytes, at most {max_bytes} are kept"
    elif has_too_many_parts:
        fault = f"more than {bounds.MOST_SCRATCHPAD_PARTS} lists and mappings"
    else:
        return
    largest_key = max(json_by_key, key=lambda key: len(json_by_key[key]))
    msg = f"the scratchpad has {fault}; its largest key is {largest_key[:_SHOWN_KEY_CHARS]!r}"
    raise ValueError(msg)
