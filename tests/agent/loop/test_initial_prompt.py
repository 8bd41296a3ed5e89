import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agent.events import AgentEvent, CallDone, CallSent
from agent.evidence import Recorder
from agent.loop import LeftOpen, PromptError, read_prompts
from agent.loop.initial_prompt import FOLDER, MOST_CHARS, build_initial_prompt
from sandbox.interface import FILE_OPERATIONS, EachOf, InitialCall, Plain, ToolSchema
from tests.agent.first_message.test_first_message import Shop

FILES = {"/RULES.MD": "the rules", "/docs/a.md": "a" * 12_100, "/docs/b.md": "b" * 12_100}
TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    rules_document="/RULES.MD",
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall("read", {"path": "/RULES.MD"}),
        InitialCall("read", {}, EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files"}, "paths")),
        InitialCall("read", {"path": "/missing.md"}),
    ),
)


def opened(most_chars: int) -> tuple[Recorder, str, str]:
    recorder = Recorder("t", Shop(TOOL_SCHEMA, files=FILES), lambda event: None)
    recorder.begin_step(0)
    initial_calls = build_initial_prompt("Do {{it}}.", recorder, most_chars)
    return recorder, "".join(initial_calls.first_message), initial_calls.rules


def test_a_cut_is_shown_and_the_cut_text_cannot_be_cited() -> None:
    recorder, text, _ = opened(120_000)
    assert "b\n</section>\n(100 more characters:" in text
    assert recorder.evidence_log.check_citation("/docs/b.md", "the bbbbbb rule")[0] == "/docs/b.md"
    recorder, text, _ = opened(100)
    assert "a\n</section>\n(" in text
    assert "(There was no room to open everything.)" in text
    with pytest.raises(ValueError, match=r"/docs/b\.md"):
        recorder.evidence_log.check_citation("/docs/b.md", "the bbbbbb rule")


SHELF = {f"/docs/{number:02}.md": f"document {number}" for number in range(20)}
MANY = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(
        InitialCall("tree", {"root": "/", "level": 2}),
        InitialCall("read", {}, EachOf("find", {"name": "*.md", "root": "/docs", "limit": 20}, "paths")),
        InitialCall("exec", {"path": "/bin/odd"}),
        InitialCall("read", {"path": "/docs/07.md"}),
    ),
)


class Crowded(Shop):
    """Counts the calls that are under way."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        super().__init__(tool_schema, files=SHELF)
        self.highest = 0
        self.most_beside_a_change = 0
        self.under_way = 0

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":
            self.most_beside_a_change = max(self.most_beside_a_change, self.under_way)
        return super().call(operation, arguments)

    def begin(self, operation: str, arguments: Mapping[str, Plain]) -> Callable[[], dict[str, Plain]]:
        self.under_way += 1
        self.highest = max(self.highest, self.under_way)

        def finish() -> dict[str, Plain]:
            self.under_way -= 1
            return self.call(operation, arguments)

        return finish


def initial_events(environment: Crowded) -> tuple[list[AgentEvent], str]:
    events: list[AgentEvent] = []
    recorder = Recorder("t", environment, events.append)
    recorder.begin_step(0)
    prompt = build_initial_prompt("Read.", recorder)
    assert [recorder.evidence_log.check_citation(path, "holds a document")[0] for path in SHELF] == [*SHELF]
    return events, "".join(prompt.first_message)


def test_reading_calls_of_a_batch_go_out_at_once_where_the_environment_allows_it() -> None:
    side_by_side = Crowded(replace(MANY, reads_side_by_side=True))
    events, text = initial_events(side_by_side)
    assert side_by_side.highest == 20
    assert side_by_side.most_beside_a_change == 0

    one_by_one = Crowded(MANY)
    events_one_by_one, text_one_by_one = initial_events(one_by_one)
    assert one_by_one.highest == 0
    assert text == text_one_by_one
    for kind in (CallSent, CallDone):
        told, told_one_by_one = (
            [each.model_dump(exclude={"at_ms", "elapsed_ms"}) for each in some if isinstance(each, kind)]
            for some in (events, events_one_by_one)
        )
        assert told == told_one_by_one


class Leaving(Crowded):
    """Raises what is not a failure of a call while other calls are under way."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if arguments.get("path") == "/docs/00.md":
            raise LeftOpen
        return super().call(operation, arguments)


def test_a_trial_that_is_left_while_calls_are_under_way_waits_for_them() -> None:
    environment = Leaving(replace(MANY, reads_side_by_side=True))
    recorder = Recorder("t", environment, lambda event: None)
    recorder.begin_step(0)
    with pytest.raises(LeftOpen):
        build_initial_prompt("Read.", recorder)
    assert environment.highest == 20
    assert environment.under_way == 0


def changed(name: str, change: Callable[[str], str]) -> Callable[[Path], object]:
    """Return what changes one text of a folder."""

    def write(folder: Path) -> None:
        path = folder / f"{name}.md"
        path.write_text(change(path.read_text()))

    return write


WRONG_FOLDERS = {
    "a hole that nothing fills": (
        changed("warning", lambda text: f"{text}The {{{{weather}}}}.\n"),
        r"mine/warning\.md, line 2: it has the hole \{\{weather\}\}, which nothing fills \(known: left\)",
    ),
    "no hole for what is asked": (
        changed("first_message", lambda text: text.replace("{{instruction}}", "it")),
        r"mine/first_message\.md lacks the hole \{\{instruction\}\}",
    ),
    "too long": (changed("nudge", lambda text: "x" * (MOST_CHARS + 1)), r"mine/nudge\.md is longer than 32,000"),
    "far too long": (changed("nudge", lambda text: "é" * 9 * MOST_CHARS), r"mine/nudge\.md is longer than 32,000"),
    "empty": (changed("system", lambda text: " \n"), r"mine/system\.md is empty"),
    "two that are missing": (
        lambda folder: [(folder / each).unlink() for each in ("time.md", "context.md")],
        r"mine has no time\.md, context\.md; .*: copy those to be kept from .*prompts",
    ),
    "no UTF-8": (lambda folder: (folder / "time.md").write_bytes(b"a\nb\xff"), r"time\.md, line 2: it is not UTF-8"),
    "a folder in a file's place": (
        lambda folder: [(folder / "time.md").unlink(), (folder / "time.md").mkdir()],
        r"cannot read .*time\.md: Is a directory",
    ),
    "no folder": (lambda folder: shutil.rmtree(folder), "there is no folder .*mine"),
}


@pytest.mark.parametrize("fault", WRONG_FOLDERS)
def test_a_folder_that_cannot_replace_the_prompts_is_refused(fault: str, tmp_path: Path) -> None:
    spoil, says = WRONG_FOLDERS[fault]
    shutil.copytree(FOLDER, tmp_path / "mine")
    spoil(tmp_path / "mine")
    with pytest.raises(PromptError, match=says) as refused:
        read_prompts(tmp_path / "mine")
    assert "\n" not in str(refused.value)


def test_a_folder_made_for_an_earlier_version_is_read(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(FOLDER, mine)
    (mine / "first_message.md").rename(mine / "turn_one.md")
    (mine / "check_draft.md").rename(mine / "review.md")
    assert read_prompts(mine) == read_prompts()
