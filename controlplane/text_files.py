"""Texts of the user's files in their own encodings, and changes to files by which no byte is lost.

A file is decoded as UTF-8, as UTF-16, or in the charset that `charset-normalizer` detects, if encoding the text again
gives the same bytes; else as Latin-1, which always does. A set of changes is made as a whole or not at all.
"""

from __future__ import annotations

import codecs
import errno
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from controlplane.errors import ControlPlaneError, UsageError
from sandbox.files import StagedFile, read_whole, remove_file, write_whole

CHARSETS: Final = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "iso8859_2"),
    *("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"),
)
"""Charsets besides Unicode's that are detected: those in use for text files."""
SAMPLED_BYTES: Final = 32_768
BOMS: Final = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class ChangeRefused(ControlPlaneError):
    """Changes that are not made, because they would harm a file. No file is changed."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class FileText:
    """A text with the form that it has in its file."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    has_crlf: bool = False
    """Every line ends with a carriage return and a line feed."""

    @property
    def form(self) -> str:
        """The form in words, as `cp1252, CRLF`; empty for plain UTF-8."""
        marked = f"{self.encoding} with a byte-order mark" if self.bom else self.encoding
        return ", ".join(filter(None, (marked if marked != "utf-8" else "", "CRLF" if self.has_crlf else "")))

    def encode(self, text: str) -> bytes:
        """Return another text in the same form. Raises `ValueError` if the encoding lacks a character."""
        if self.has_crlf:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            msg = f"is written in {self.encoding}, which has no {text[error.start]!r} (line {line})"
            raise ValueError(msg) from None


def decode_text(data: bytes) -> FileText:
    """Return the text of a file with its form; encoding the text gives the same bytes."""
    tried = ((_decoded(data[len(bom) :], encoding), encoding, bom) for encoding, bom in _likely_forms(data))
    text, encoding, bom = next((text, encoding, bom) for text, encoding, bom in tried if text is not None)
    ends = text.count("\n")
    return FileText(text, encoding, bom, has_crlf=ends > 0 and text.count("\r\n") == ends)


def is_text(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of a text: without zero bytes, or UTF-16."""
    return b"\0" not in head or head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or bool(_utf_16_of(head))


def _likely_forms(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield encodings, each with its byte-order mark; the last one fits any bytes."""
    yield from ((encoding, bom) for bom, encoding in BOMS.items() if data.startswith(bom))
    yield _utf_16_of(data) or "utf-8", b""
    yield "utf-8", b""
    yield _detected(data), b""  # It is slow.
    yield "latin-1", b""


def _decoded(data: bytes, encoding: str) -> str | None:
    """Return the text if it encodes to the same bytes, else None."""
    try:
        text = data.decode(encoding)
        return text if encoding == "utf-8" or text.encode(encoding) == data else None
    except UnicodeError:
        return None


def _utf_16_of(head: bytes) -> str:
    """Return the UTF-16 encoding of a text without a byte-order mark; empty if its zero bytes are not spread so."""
    head = head[: min(len(head), SAMPLED_BYTES) // 2 * 2]
    even, odd = (head[place::2] for place in (0, 1))
    shares = [half.count(0) / max(len(half), 1) for half in (even, odd)]
    if max(shares) < 0.4 or min(shares) > 0.04:
        return ""
    encoding = "utf-16-be" if shares[0] > shares[1] else "utf-16-le"
    text = head.decode(encoding, "replace")
    return encoding if sum(sign.isprintable() or sign.isspace() for sign in text) > 0.98 * len(text) else ""


def _detected(data: bytes) -> str:
    """Return the likeliest charset, by the lines that hold other bytes than ASCII's."""
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:SAMPLED_BYTES]
    best = from_bytes(telling, cp_isolation=[*CHARSETS]).best()
    if best is None:
        return "cp1252"
    western = telling.decode("cp1252", "ignore")
    return "cp1252" if str(best) == western else best.encoding


@dataclass(frozen=True)
class FileChange:
    """A file's bytes now, and its text after a change."""

    place: Path
    root: Path
    """The folder above `place`, below which no part of its path is a link."""
    before: bytes | None
    """None if there is no file."""
    mode: int
    """The file's mode; 0 if there is no file."""
    after: str | None
    """None deletes the file."""

    @classmethod
    def of(cls, root: Path, path: str, after: str | None) -> FileChange:
        """Return a change of the file as it is now. Raises `ChangeRefused` for a hidden place, one behind a link,
        anything but a file, or a file that is too large to change."""
        place = root / path.lstrip("/")
        parts = place.relative_to(root).parts
        if any(part.startswith(".") for part in parts):
            msg = f"{place}: a part of the path is hidden; nothing is written"
            raise ChangeRefused(msg)
        try:
            before, mode = read_whole(place, root, 16_000_000) or (None, 0)
        except OSError as error:
            reason = "it is a link" if error.errno == errno.ELOOP and place.is_symlink() else error.strerror
            msg = f"{place} cannot be changed: {reason}; nothing is written"
            raise ChangeRefused(msg) from error
        return cls(place, root, before, mode, after)

    @cached_property
    def form(self) -> FileText:
        """The text before, in its form; an empty text in UTF-8 if there is no file."""
        return FileText("") if self.before is None else decode_text(self.before)

    @cached_property
    def data(self) -> bytes | None:
        """The bytes after. Raises `ChangeRefused` if the file's encoding lacks a character of the text."""
        try:
            return None if self.after is None else self.form.encode(self.after)
        except ValueError as error:
            msg = f"{self.place} {error}: nothing is written; ask for other words, or convert the file to UTF-8 first"
            raise ChangeRefused(msg) from error

    def undo(self) -> None:
        """Restore the file."""
        with suppress(OSError):
            if self.before is None:
                remove_file(self.place, self.root)
            else:
                write_whole(self.place, self.before, self.root, mode=self.mode & 0o777)


def make_changes(changes: Mapping[str, FileChange], kept: Path) -> None:
    """Make all changes, or none, and keep the old versions below the folder `kept`, whose content they replace. Keys
    are the paths below the roots, and below `kept`. Raises `ChangeRefused` if a file is not as it was or its encoding
    lacks a character, `UsageError` if it cannot be written."""
    new = {path: change.data for path, change in changes.items()}
    above = {folder for change in changes.values() for folder in change.place.parents if not folder.exists()}
    shutil.rmtree(kept, ignore_errors=True)
    staged: dict[str, StagedFile] = {}
    place = kept
    try:
        with ExitStack() as undone:
            kept.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path, change in changes.items():
                place = kept
                if change.before is not None:
                    write_whole(kept / path.lstrip("/"), change.before, kept, mode=0o600)
                place = change.place
                if (data := new[path]) is not None:
                    staged[path] = StagedFile.of(place, data, change.root)
            for path, change in changes.items():
                place = change.place
                if FileChange.of(change.root, path, None).before != change.before:
                    msg = f"{place} was changed meanwhile: nothing is written; ask again to work on it as it is now"
                    raise ChangeRefused(msg)
                undone.callback(change.undo)
                if path in staged:
                    staged[path].put()
                else:
                    remove_file(place, change.root)
            undone.pop_all()
    except OSError as error:
        msg = f"{place} cannot be written: {error.strerror}; nothing is written"
        raise UsageError(msg) from error
    finally:
        for left in staged.values():
            left.drop()
        for folder in sorted(above, key=lambda folder: -len(folder.parts)):
            with suppress(OSError):  # It holds something.
                folder.rmdir()
