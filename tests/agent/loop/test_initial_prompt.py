from collections.abc import Mapping, Sequence

import pytest

from agent.evidence import Recorder
from agent.loop import InitialPromptLimits
from agent.loop.initial_prompt import build_initial_prompt
from sandbox import FileTree
from sandbox.interface import FILE_OPERATIONS, EachOf, OpeningCall, Plain, Surface

FILES = {"/RULES.MD": "the rules", "/docs/a.md": "a" * 300, "/docs/b.md": "b" * 300}
SURFACE = Surface(
    operations=FILE_OPERATIONS,
    rules_document="/RULES.MD",
    opening=(
        OpeningCall("tree", {"root": "/", "level": 2}),
        OpeningCall("read", {"path": "/RULES.MD"}),
        OpeningCall("read", {}, EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files"}, "paths")),
        OpeningCall("read", {"path": "/missing.md"}),
    ),
)


class Files:
    surface = SURFACE

    def __init__(self) -> None:
        self._tree = FileTree(FILES)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        return getattr(self._tree, operation)(**arguments)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        raise AssertionError

    def now(self) -> None:
        return None


def opened(limits: InitialPromptLimits) -> tuple[Recorder, str, str]:
    recorder = Recorder("t", Files(), lambda event: None)
    recorder.begin_step(0)
    opening = build_initial_prompt("Do {{it}}.", recorder, limits)
    return recorder, "".join(opening.pieces), opening.rules


def test_turn_one_holds_the_instruction_and_what_the_opening_calls_show() -> None:
    recorder, text, rules = opened(InitialPromptLimits())
    assert text.startswith("<instruction>\nDo {{it}}.\n</instruction>")
    assert '<section title="read /docs/b.md">\n' + "b" * 300 + "\n</section>" in text
    assert "  docs/" in text
    assert '<section title="read /missing.md">\n(failed: not_found' in text
    assert rules == "the rules"
    assert recorder.evidence_log.cite("/RULES.MD", "it holds the rules") == "/RULES.MD"


def test_what_was_cut_is_said_and_cannot_be_cited() -> None:
    recorder, text, _ = opened(InitialPromptLimits(section_chars=250, total_chars=1000))
    assert "50 characters of read /docs/b.md are not shown and do not count as read" in text
    assert recorder.evidence_log.cite("/docs/b.md", "the bbbbbb rule") == "/docs/b.md"
    recorder, text, _ = opened(InitialPromptLimits(section_chars=1000, total_chars=100))
    assert " characters of read /docs/a.md are not shown and do not count as read" in text
    assert "(Not opened for want of room: read /docs/b.md, read /missing.md.)" in text
    with pytest.raises(ValueError, match=r"/docs/b\.md"):
        recorder.evidence_log.cite("/docs/b.md", "the bbbbbb rule")


def test_the_gates_have_the_rules_also_where_turn_one_has_no_room_for_them() -> None:
    recorder, text, rules = opened(InitialPromptLimits(total_chars=0))
    assert rules == "the rules"
    assert "the rules" not in text
    assert [each.operation for each in recorder.calls] == ["read", "find"]
