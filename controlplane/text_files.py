"""Texts of the user's files in their own encodings, and changes to files by which no byte is lost.

A file is decoded as UTF-8, as UTF-16, or in the charset that `charset-normalizer` detects, if encoding the text again
gives the same bytes; else as Latin-1, which always does. A set of changes is made as a whole or not at all.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Final

import re2

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.journal.journal_lines import private_bytes, state_path
from controlplane.sandbox.files import (
    PERMISSIONS,
    open_parent,
    read_whole,
    remove_file,
    write_whole,
)
from controlplane.sandbox.interface import bounds

CHARSETS: Final = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "iso8859_2"),
    *("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"),
)
"""Charsets besides Unicode's that are detected: those in use for text files."""
CYRILLIC: Final = ("cp1251", "koi8_r")
SAMPLED_BYTES: Final = 32_768
BOMS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class ChangeRefused(ControlPlaneError):
    """A change that is not made, because it would harm a file, or cannot be written. No file is changed."""

    exit_code = 1

    def __init__(self, place: Path, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason

    def __reduce__(self) -> tuple[type[ChangeRefused], tuple[Path, str]]:
        """Let the process that makes changes send the refusal to the one that asked for them."""
        return ChangeRefused, (self.place, self.reason)


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
        return ", ".join(
            filter(None, (marked if marked != "utf-8" else "", "CRLF" if self.has_crlf else ""))
        )

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
    tried = (
        (_decoded(data[len(bom) :], encoding), encoding, bom)
        for encoding, bom in _likely_forms(data)
    )
    text, encoding, bom = next(
        (text, encoding, bom) for text, encoding, bom in tried if text is not None
    )
    ends = text.count("\n")
    return FileText(text, encoding, bom, has_crlf=ends > 0 and text.count("\r\n") == ends)


def is_text(head: bytes) -> bool:
    """Say whether the first bytes of a file are those of a text: without zero bytes, or UTF-16."""
    return (
        b"\0" not in head
        or head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        or bool(_utf_16_of(head))
    )


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
    return (
        encoding
        if sum(sign.isprintable() or sign.isspace() for sign in text) > 0.98 * len(text)
        else ""
    )


def _detected(data: bytes) -> str:
    """Return the likeliest charset, by the lines that hold other bytes than ASCII's."""
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:SAMPLED_BYTES]
    best = from_bytes(telling, cp_isolation=[*CHARSETS]).best()
    if best is None:
        return "cp1252"
    western = telling.decode("cp1252", "ignore")
    has_words = re2.search(
        r"[\x80-\xff]{3}", telling.decode("latin-1")
    )  # in Cyrillic they are runs of such bytes
    if best.encoding in CYRILLIC and not has_words and _decoded(telling, "cp1252"):
        return "cp1252"
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
    raw: bytes | None = None
    """The bytes after, if they are not those of the text in the file's form."""

    @classmethod
    def of(cls, root: Path, path: str, after: str | None, raw: bytes | None = None) -> FileChange:
        """Return a change of the file as it is now. Raises `ChangeRefused` for a hidden place, one behind a link,
        anything but a file, or a file that is too large to change."""
        place = root / path.lstrip("/")
        if any(part.startswith(".") for part in place.relative_to(root).parts):
            raise ChangeRefused(place, "a part of the path is hidden")
        link = _link_in(place, root)
        if link is not None:
            reason = f"{link} is a symbolic link to {link.readlink()}, and changes follow no link"
            raise ChangeRefused(place, f"{reason}; change the file itself, if it may be written")
        before = None
        mode = 0
        try:
            file = read_whole(place, root, bounds.MOST_EDITED_BYTES)
        except OSError as error:
            raise ChangeRefused(place, f"it cannot be changed: {error.strerror}") from error
        if file is not None:
            before, mode = file
        return cls(place, root, before, mode, after, raw)

    @cached_property
    def form(self) -> FileText:
        """The text before, in its form; an empty text in UTF-8 if there is no file."""
        return FileText("") if self.before is None else decode_text(self.before)

    @cached_property
    def data(self) -> bytes | None:
        """The bytes after. Raises `ChangeRefused` if the file's encoding lacks a character of the text."""
        if self.raw is not None:
            return self.raw
        try:
            return None if self.after is None else self.form.encode(self.after)
        except ValueError as error:
            reason = f"it {error}; use other characters, or convert the file to UTF-8 first"
            raise ChangeRefused(self.place, reason) from error


def _link_in(place: Path, root: Path) -> Path | None:
    """Return the first part of a path below `root` that is a symbolic link; None without any."""
    part = root
    for name in place.relative_to(root).parts:
        part = part / name
        if part.is_symlink():
            return part
    return None


CHANGED_MEANWHILE: Final = "it was changed meanwhile; ask again to work on it as it is now"


@dataclass(frozen=True, slots=True)
class _Step:
    """One change in the journal of a set of changes, whose old and new bytes lie in files."""

    place: str
    root: str
    old: str
    """Empty if there is no file."""
    new: str
    """Empty for a deletion."""
    old_hash: str
    new_hash: str

    @property
    def name(self) -> str:
        """The file's name in its folder."""
        return self.place.rpartition(os.sep)[2]

    def now(self) -> tuple[str, tuple[int, ...]]:
        """Return the hash of the file as it is, and what changes with every change of it."""
        found = read_whole(Path(self.place), Path(self.root), bounds.MOST_EDITED_BYTES)
        return _hash(found and found[0]), self.stamp()

    def stamp(self, folder: int | None = None) -> tuple[int, ...]:
        """Return what changes with every change of the file; `folder` is the descriptor of its folder."""
        with suppress(FileNotFoundError):
            status = os.lstat(self.place if folder is None else self.name, dir_fd=folder)
            return status.st_ino, status.st_ctime_ns, status.st_size
        return ()

    def make(self, folder: int) -> None:
        """Put the new bytes into their place in an open folder, or remove the file. Raises `OSError`."""
        if not self.new:
            os.unlink(self.name, dir_fd=folder)
            return
        try:
            os.replace(self.new, self.name, dst_dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            write_whole(Path(self.place), Path(self.new).read_bytes(), Path(self.root))

    def undo(self) -> None:
        """Restore the file, unless it has been changed since."""
        place, root = Path(self.place), Path(self.root)
        with suppress(OSError):
            if self.now()[0] == self.new_hash and self.old:
                mode = Path(self.old).stat().st_mode & PERMISSIONS
                write_whole(place, Path(self.old).read_bytes(), root, mode=mode)
            elif self.now()[0] == self.new_hash:
                remove_file(place, root)


def make_changes(changes: Mapping[str, FileChange], kept: Path) -> None:
    """Make all changes, or none, and keep the old versions below the folder `kept`, whose content they then replace.
    Keys are the paths below the roots, and below `kept`.

    A process of its own makes them, from a journal: it goes on if this one is killed, and `finish_changes` if both are.
    Raises `ChangeRefused` if a file is not as it was or its encoding lacks a character, `UsageError` if it cannot be
    written."""
    new = {path: change.data for path, change in changes.items()}
    finish_changes(kept)
    work, place, steps = _work(kept), kept, list[_Step]()
    shutil.rmtree(work, ignore_errors=True)
    try:
        if kept.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
        for number, (path, change) in enumerate(changes.items()):
            place, old, staged = kept, work / "old" / path.lstrip("/"), work / f"new/{number}"
            (work / "old").mkdir(parents=True, exist_ok=True, mode=0o700)
            if change.before is not None:
                _keep(old, change, kept.parent)
            if (data := new[path]) is not None:
                write_whole(staged, data, kept.parent)
                if change.before is not None:
                    staged.chmod(change.mode & PERMISSIONS)
            held = (
                str(old) if change.before is not None else "",
                str(staged) if data is not None else "",
            )
            steps.append(
                _Step(str(change.place), str(change.root), *held, _hash(change.before), _hash(data))
            )
        os.sync()  # The journal names only what is on the disk, and what is there takes its place at once.
        write_whole(
            _journal(kept, makes=True), json.dumps([*map(astuple, steps)]).encode(), mode=0o600
        )
    except OSError as error:
        shutil.rmtree(work, ignore_errors=True)
        msg = f"{place} cannot be written: {error.strerror}; nothing is written"
        raise UsageError(msg) from error
    receiver, sender = os.pipe()
    if not (
        child := os.fork()
    ):  # It ends by itself: a worker of a pool waits on if this process is killed.
        fault: ControlPlaneError | None = None
        try:
            os.setsid()
            finish_changes(kept)
        except ControlPlaneError as error:
            fault = error
        except BaseException as error:  # noqa: BLE001 - the border of a process
            fault = UsageError(f"the changes cannot be made: {type(error).__name__}: {error}")
        os.write(sender, pickle.dumps(fault))
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        told = file.read()
    os.waitpid(child, 0)
    if not told:
        finish_changes(kept)  # It was killed.
    elif (fault := pickle.loads(told)) is not None:
        raise fault


def finish_changes(kept: Path) -> bool:
    """Make the changes of a journal that is left, or undo them if one cannot be made; return whether there were any.
    Raises as `make_changes` does."""
    steps = _steps(_journal(kept))
    if not steps:
        return False
    above = {folder for step in steps for folder in Path(step.place).parents if not folder.exists()}
    place, done = "", list[_Step]()
    try:
        left = list[tuple[_Step, tuple[int, ...]]]()
        for step in steps:
            place = step.place
            found, stamp = step.now()
            if found not in (step.old_hash, step.new_hash):
                raise ChangeRefused(Path(place), CHANGED_MEANWHILE)
            if found == step.new_hash:
                done.append(step)
            else:
                left.append((step, stamp))
        for (parent, root), group in groupby(
            left, key=lambda pair: (Path(pair[0].place).parent, pair[0].root)
        ):
            with open_parent(parent / "x", Path(root), makes=True) as (folder, _):
                for step, stamp in group:
                    place = step.place
                    if step.stamp(folder) != stamp:
                        raise ChangeRefused(Path(place), CHANGED_MEANWHILE)
                    done.append(step)
                    step.make(folder)
        shutil.rmtree(kept, ignore_errors=True)
        (_work(kept) / "old").rename(kept)
        write_whole(
            _journal(kept, "changed"), json.dumps([*map(astuple, steps)]).encode(), mode=0o600
        )
    except (ChangeRefused, OSError) as error:
        for step in done:
            step.undo()
        for made in sorted(above, key=lambda above: -len(above.parts)):
            with suppress(OSError):  # It holds something.
                made.rmdir()
        if isinstance(error, ChangeRefused):
            raise
        raise ChangeRefused(Path(place), f"it cannot be written: {error.strerror}") from error
    finally:
        _journal(kept).unlink(missing_ok=True)
        shutil.rmtree(_work(kept), ignore_errors=True)
    return True


def undoing_changes(kept: Path) -> dict[str, FileChange]:
    """Return what takes the last changes back, by path below their root. Raises `UsageError` if there are none, and
    `ChangeRefused` if a file was changed since."""
    changes: dict[str, FileChange] = {}
    for step in _steps(_journal(kept, "changed")):
        path = f"/{Path(step.place).relative_to(step.root)}"
        is_kept = step.old and kept.is_dir()
        found = read_whole(kept / path[1:], kept, bounds.MOST_EDITED_BYTES) if is_kept else None
        old = found and found[0]
        if _hash(old) != step.old_hash:
            msg = f"{kept}: the old version of {path} is gone or was changed; nothing is undone"
            raise UsageError(msg)
        change = FileChange.of(
            Path(step.root), path, None if old is None else decode_text(old).text, old
        )
        if _hash(change.before) != step.new_hash:
            reason = (
                f"it was changed since: nothing is undone; its old version is {kept / path[1:]}"
            )
            raise ChangeRefused(change.place, reason)
        changes[path] = change
    if not changes:
        msg = f"there is no change to undo: none was made with the journals in {kept.parent}"
        raise UsageError(msg)
    return changes


def _keep(old: Path, change: FileChange, root: Path) -> None:
    """Keep a file as it is: the file itself, where a link can hold it, since a file whose last name goes takes a disk
    milliseconds. Raises `OSError`."""
    with open_parent(old, root, makes=True) as (folder, name):
        try:
            os.link(change.place, name, dst_dir_fd=folder, follow_symlinks=False)
        except OSError:
            write_whole(old, change.before or b"", root, mode=0o600)


def _work(kept: Path) -> Path:
    """Return the folder of a set of changes until it is made."""
    return kept.with_name(f"{kept.name}.new")


def _journal(kept: Path, kind: str = "changes", *, makes: bool = False) -> Path:
    """Return the place of the journal of changes, or of those `changed` last, where nobody but the user can have
    written it."""
    name = hashlib.sha256(os.fsencode(kept.absolute())).hexdigest()[:16]
    return state_path(f"controlplane/{kind}-{name}.json", makes=makes)


def _steps(journal: Path) -> list[_Step]:
    data = private_bytes(journal.relative_to(state_path("")).as_posix(), bounds.MOST_UNDO_BYTES)
    return [_Step(*values) for values in json.loads(data or b"[]")]


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
