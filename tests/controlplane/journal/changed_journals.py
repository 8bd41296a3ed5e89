"""Journals with a change, as the bytes of the file.

A journal is a file of JSON lines, each with the hash of the line before it. Each function takes the
lines of a journal, and returns its bytes with one change: `without_sixth_line(lines)`. Where the
hashes no longer fit, the change is noticed.
"""


def unchanged(lines: list[bytes]) -> bytes:
    return b"".join(lines)


def first_half(lines: list[bytes]) -> bytes:
    return b"".join(lines[: len(lines) // 2])


def last_line_torn(lines: list[bytes]) -> bytes:
    return b"".join(lines[:-1]) + lines[-1][:50]


def without_last_line_feed(lines: list[bytes]) -> bytes:
    return b"".join(lines).removesuffix(b"\n")


def without_sixth_line(lines: list[bytes]) -> bytes:
    return b"".join(lines[:5] + lines[6:])


def time_of_tenth_line_changed(lines: list[bytes]) -> bytes:
    tenth_line = lines[9].replace(b'"at_ms":1', b'"at_ms":2')
    return b"".join([*lines[:9], tenth_line, *lines[10:]])


def time_of_first_line_changed(lines: list[bytes]) -> bytes:
    first_line = lines[0].replace(b'"at_ms":1', b'"at_ms":2')
    return b"".join([first_line, *lines[1:]])


def other_text_behind_fourth_line(lines: list[bytes]) -> bytes:
    return b"".join(lines[:4]) + b"and more\n"


def other_text_without_line_feed_behind_fourth_line(lines: list[bytes]) -> bytes:
    return b"".join(lines[:4]) + b"and more"


def first_line_torn(lines: list[bytes]) -> bytes:
    return lines[0][:40]


def a_letter(lines: list[bytes]) -> bytes:
    return b"a letter to a friend\n"


def other_json(lines: list[bytes]) -> bytes:
    """A line of JSON without any of the fields of an event."""
    return b'{"prev":"none"}\n'


def nothing(lines: list[bytes]) -> bytes:
    return b""
