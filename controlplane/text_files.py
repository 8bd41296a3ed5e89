"""Decodes the user's text files in their own encodings, without losing a byte.

A file is decoded as UTF-8, as UTF-16, or in the charset that `charset-normalizer`
detects. An encoding is used only if encoding the text again gives the same bytes;
Latin-1, the last choice, always does.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import re2

_CHARSETS: Final = (
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "koi8_r",
    "iso8859_2",
    "shift_jis",
    "euc_jp",
    "gb18030",
    "big5",
    "euc_kr",
)
"""The charsets besides Unicode's that are detected. Other charsets are rare in text files."""
_CYRILLIC: Final = ("cp1251", "koi8_r")
"""Charsets that are often detected by mistake, so that the text is checked for Cyrillic words."""
_SAMPLED_BYTES: Final = 32_768
"""The number of bytes of a file that are examined to detect its encoding."""
_LEAST_ZERO_SHARE: Final = 0.4
"""A text may be UTF-16 in a Latin script if at least this share of its byte pairs have
a zero byte in one place: all of them in the first byte, or all in the second."""
_MOST_STRAY_ZERO_SHARE: Final = 0.04
"""At most this share of the byte pairs of a UTF-16 text have their zero byte in the other place."""
_LEAST_READABLE_SHARE: Final = 0.98
"""At least this share of the characters of a UTF-16 text are printable or white space."""
_BOMS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, and how the file stores it: encoding, byte-order mark and line ends."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    has_crlf: bool = False
    """Every line ends with a carriage return and a line feed."""

    @property
    def form(self) -> str:
        """The encoding and line ends in words, such as `cp1252, CRLF`; empty for plain UTF-8."""
        parts = []
        if self.bom:
            parts.append(f"{self.encoding} with a byte-order mark")
        elif self.encoding != "utf-8":
            parts.append(self.encoding)
        if self.has_crlf:
            parts.append("CRLF")
        return ", ".join(parts)

    def encode(self, text: str) -> bytes:
        """Return the bytes of another text in the same encoding, with the same line ends.

        Raises `ValueError` if the encoding lacks a character. The message is a
        predicate, such as `is written in cp1252, which has no '→' (line 3)`.
        """
        if self.has_crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            msg = f"is written in {self.encoding}, which has no {text[error.start]!r} (line {line})"
            raise ValueError(msg) from None


def decode_text(data: bytes) -> FileText:
    """Return the text of a file with its encoding. Encoding the text again gives the same bytes."""
    for encoding, bom in _likely_forms(data):
        text = _decoded(data[len(bom) :], encoding)
        if text is not None:
            line_ends = text.count("\n")
            has_crlf = line_ends > 0 and text.count("\r\n") == line_ends
            return FileText(text, encoding, bom, has_crlf=has_crlf)
    msg = "Latin-1 fits any bytes"
    raise AssertionError(msg)


def is_text(head: bytes) -> bool:
    """Return True if the first bytes of a file are text: they have no zero byte, or are UTF-16."""
    if b"\0" not in head:
        return True
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    return bool(_utf_16_of(head))


def _likely_forms(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield possible encodings, each with its byte-order mark, the likeliest first.

    The last one can decode any bytes.
    """
    for bom, encoding in _BOMS.items():
        if data.startswith(bom):
            yield encoding, bom
    utf_16 = _utf_16_of(data)
    if utf_16:
        yield utf_16, b""
    yield "utf-8", b""
    yield _detected(data), b""  # Detection is slow, so it comes late.
    yield "latin-1", b""


def _decoded(data: bytes, encoding: str) -> str | None:
    """Return the text of `data`; None if it cannot be decoded and encoded without a change."""
    try:
        text = data.decode(encoding)
        if encoding == "utf-8" or text.encode(encoding) == data:
            return text
    except UnicodeError:
        pass
    return None


def _utf_16_of(head: bytes) -> str:
    """Return the UTF-16 encoding of a text without a byte-order mark; empty if it is not UTF-16.

    UTF-16 stores a character in a pair of bytes. For a Latin letter, one of them is
    zero: `A` is `00 41` in big-endian order, and `41 00` in little-endian order.
    """
    sample = head[:_SAMPLED_BYTES]
    if len(sample) % 2:
        sample = sample[:-1]
    pairs = max(len(sample) // 2, 1)
    first_zeros = sample[0::2].count(0) / pairs
    second_zeros = sample[1::2].count(0) / pairs

    # Many zeros must be in one place of the pairs, and almost none in the other.
    if max(first_zeros, second_zeros) < _LEAST_ZERO_SHARE:
        return ""
    if min(first_zeros, second_zeros) > _MOST_STRAY_ZERO_SHARE:
        return ""
    encoding = "utf-16-be" if first_zeros > second_zeros else "utf-16-le"

    # Binary data may have zeros at such places, too, but not as readable text.
    text = sample.decode(encoding, "replace")
    readable_count = 0
    for character in text:
        if character.isprintable() or character.isspace():
            readable_count += 1
    if readable_count > _LEAST_READABLE_SHARE * len(text):
        return encoding
    return ""


def _detected(data: bytes) -> str:
    """Return the most likely charset, judged by the lines with bytes outside ASCII."""
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    lines = [line for line in data.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)[:_SAMPLED_BYTES]
    guess = from_bytes(sample, cp_isolation=list(_CHARSETS)).best()

    # cp1252 is the most common charset. Take it in place of two guesses: of a charset that
    # gives the same text, and of a Cyrillic one if the words are not Cyrillic.
    if guess is None or str(guess) == sample.decode("cp1252", "ignore"):
        return "cp1252"
    if guess.encoding in _CYRILLIC and not (
        re2.search(r"[\x80-\xff]{3}", sample.decode("latin-1")) is not None
    ):
        if _decoded(sample, "cp1252"):
            return "cp1252"
    return guess.encoding
