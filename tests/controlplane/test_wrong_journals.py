"""Files that are not journals, damaged journals, and unknown names of runs and trials."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Type, check_line, inside
from tests.support.phonebook import PLAYED as PHONEBOOK


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a finished run."""
    folder = tmp_path_factory.mktemp("finished")
    assert inside("run", *PHONEBOOK, cwd=folder).code == 0
    return next(folder.glob("runs/*.jsonl"))


def cut_in_a_line(data: bytes) -> bytes:
    return data[:-30]


def without_a_line(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def with_a_changed_first_line(data: bytes) -> bytes:
    return data.replace(b'"phonebook', b'"Phonebook', 1).replace(b"run_opened", b"run_Opened", 1)


def with_a_changed_byte(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    lines[7] = lines[7].replace(b'"at_ms":1', b'"at_ms":2', 1)
    return b"".join(lines)


WRONG_JOURNALS = [
    (lambda data: b"a letter to a friend\n", 2, "is not a journal"),
    (lambda data: b'{"type": "run_opened"}\n', 2, "is not a journal"),
    (lambda data: b"", 2, "is not a journal: it holds no whole line of one"),
    (lambda data: data[:40], 2, "is not a journal"),
    (without_a_line, 5, "is damaged at line 6: it does not follow the line before it"),
    (with_a_changed_first_line, 5, "is damaged at line 1", "its bytes do not match its hash"),
    (with_a_changed_byte, 5, "is damaged at line 8", "its bytes do not match its hash"),
    (lambda data: cut_in_a_line(data) + b"and more\n", 5, "is damaged at line"),
]


@pytest.mark.parametrize("verb", [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)], ids=str)
@pytest.mark.parametrize(
    ("spoil", "code", "says"), [(journal[0], journal[1], journal[2:]) for journal in WRONG_JOURNALS]
)
def test_a_file_that_is_no_journal_or_a_damaged_one(
    spoil: Callable[[bytes], bytes],
    code: int,
    says: tuple[str, ...],
    verb: tuple[str, ...],
    finished: Path,
    type_in: Type,
    tmp_path: Path,
) -> None:
    data = spoil(finished.read_bytes())
    (tmp_path / "it.jsonl").write_bytes(data)
    check_line(type_in(*verb, "it.jsonl"), code, "it.jsonl", *says)
    assert (tmp_path / "it.jsonl").read_bytes() == data


def test_a_journal_whose_last_line_was_cut_is_read_and_gone_on_with(
    finished: Path, type_in: Type, tmp_path: Path
) -> None:
    (tmp_path / "it.jsonl").write_bytes(cut_in_a_line(finished.read_bytes()))
    replayed = type_in("replay", "it.jsonl", "--verify")
    assert (replayed.code, "the last line was cut off" in replayed.out) == (0, True)
    assert type_in("resume", "it.jsonl").code in (0, 1)
