"""A rule pack whose rules read a workspace, each in the way that its instruction names."""

from collections.abc import Callable
from types import MappingProxyType

from gates import Case, Pack, Recomputation, Submission
from gates.reading import DoesNotApply, ReadCall, Reader, Unread
from gates.types import Evidence

NOTE = "/note.txt"


def fault_of_word(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject an answer that is not the last word of the note."""
    note = reader.read(NOTE)
    assert evidence.has_trace
    return "" if note.split()[-1] == submission.answer else "The note says another word: read it again."


def fault_of_deed(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Do what the instruction names, for a test of what may be done."""
    return DEEDS.get(case.instruction, lambda reader: "")(reader)


def _loop(reader: Reader) -> str:
    reader.read(NOTE)
    while True:
        pass


def _crowd(reader: Reader) -> str:
    reader.call_all([ReadCall("read", {"path": f"/{number}.txt"}) for number in range(50)])
    return "never"


def _one_by_one(reader: Reader) -> str:
    for number in range(45):
        try:
            reader.stat(f"/{number}.txt")
        except Unread as missing:
            if missing.code != "not_found":
                raise
    return "never"


def _change(reader: Reader) -> str:
    reader.call_all([ReadCall("write", {"path": "/new.txt", "content": "mine"})])
    return "never"


def _run(tool: str) -> Callable[[Reader], str]:
    return lambda reader: reader.run(tool) and "it ran"


def _odd(reader: Reader) -> str:
    return str(int(reader.read(NOTE)))


def _unknown(reader: Reader) -> str:
    msg = "no number is stated"
    raise DoesNotApply(msg)


def _broken(reader: Reader) -> str:
    reader.read(NOTE)
    raise RuntimeError


def _large(reader: Reader) -> str:
    return reader.read("/large.txt")[:0]


DEEDS = MappingProxyType(
    {
        "loop": _loop,
        "crowd": _crowd,
        "one by one": _one_by_one,
        "change": _change,
        "tool that changes": _run("/bin/checkout"),
        "unknown tool": _run("/bin/other"),
        "identity": _run("/bin/id"),
        "no such operation": lambda reader: str(reader.call_all([ReadCall("dig", {})])),
        "other arguments": lambda reader: str(reader.call_all([ReadCall("read", {"place": NOTE})])),
        "missing": lambda reader: reader.read("/gone.txt"),
        "long path": lambda reader: reader.read("/" + "x" * 5_000),
        "odd": _odd,
        "unknown": _unknown,
        "broken": _broken,
        "large": _large,
    }
)
PACK = Pack("reading", (), (Recomputation("word", fault_of_word), Recomputation("deed", fault_of_deed)))
NAME = "tests.support.reading_pack:PACK"
