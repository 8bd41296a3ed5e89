"""The texts of files in UTF-8, as bytes.

A search over thousands of files is faster on bytes than on texts, since most files are in UTF-8
already. Files in another encoding, such as UTF-16, are converted first.
"""

from __future__ import annotations

from codecs import BOM_UTF8

from controlplane.text_files import decode_text


def in_utf_8(data: bytes) -> bytes:
    """Return the text that a file's bytes stand for in UTF-8."""
    if is_plain(data) and _is_utf_8(data):
        return data
    return decode_text(data).text.encode("utf-8", "replace")


def is_plain(data: bytes) -> bool:
    """Return True if the data has neither a byte order mark nor the null bytes of UTF-16."""
    return b"\0" not in data and not data.startswith(BOM_UTF8)


def _is_utf_8(data: bytes) -> bool:
    """Return True if the data is UTF-8. This is ten times as fast as `decode_text`."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
