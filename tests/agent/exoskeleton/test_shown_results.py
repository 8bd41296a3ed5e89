"""What a model reads of its calls' results: short, and what stands above only once."""

import json

import pytest

from agent.events import ConversationOpened, SaidMessage
from agent.evidence import Recorder
from agent.exoskeleton import SolverBindings
from agent.exoskeleton.exoskeleton import build_exchange
from agent.exoskeleton.offered_tools import LONGEST_READ, ShownResults
from agent.loop import LoopSettings
from agent.model import ToolCall
from sandbox.interface import FILE_OPERATIONS, Operation, ToolSchema
from tests.agent.first_message.test_first_message import FILES, NOTICES, Dated
from tests.support.library import BOOKS_BY

TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS)
READ = next(operation for operation in FILE_OPERATIONS if operation.name == "read")
READ_ALL = Operation("read_all", BOOKS_BY.parameters, BOOKS_BY.fields, "all of a file", finds=BOOKS_BY.finds)
RULES = "# Rules\n\n" + "Lend a book to whoever asks for it.\n" * 10
RECORD = json.dumps({"id": "b-1", "rows": [{"sku": f"S-{at}", "count": at} for at in range(200)]}, indent=2)


def results(*, may_write=False):
    return ShownResults(keeps_layout=may_write)


def read_of(results, path, content, **given):
    is_part = given.pop("truncated", False)
    result = {"path": path, "content": content, "truncated": is_part, "sha256": "5" * 64, "content_type": "text"}
    arguments = {"path": path, "start_line": 0, "end_line": 0} | given
    return results.shown(READ, arguments, result | {"path": path.replace("/alias", "")})


def test_a_text_that_stands_above_is_referred_to_until_it_changes():
    shown = results()
    assert read_of(shown, "/docs/rules.md", RULES) == RULES
    assert (
        read_of(shown, "/docs/rules.md", RULES) == "(unchanged: it stands above as the result of read /docs/rules.md)"
    )
    assert read_of(shown, "/docs/rules.md", RULES + "Today only.\n").endswith("Today only.\n")


def test_a_text_shown_whole_in_the_initial_prompt_is_not_shown_again():
    calls = {"whole": ("/docs/rules.md", RULES), "cut": ("/docs/long.md", f"{RULES}\n(9 characters are not shown)")}
    exchange = []
    for name, (path, content) in calls.items():
        call = ToolCall(id=name, name="read", arguments=json.dumps({"path": path}))
        exchange += [
            SaidMessage(role="assistant", content="", tool_calls=(call,)),
            SaidMessage(role="tool", content=content, tool_call_id=name),
        ]
    shown = results()
    opened = ConversationOpened(
        trial_id="t", at_ms=0, system="", first_message=(), exchange=tuple(exchange), calls=(), rules=""
    )
    shown.take_initial_prompt(opened, TOOL_SCHEMA)
    assert "stands above as the result of read /docs/rules.md" in read_of(shown, "/docs/rules.md", RULES)
    assert read_of(shown, "/docs/long.md", f"{RULES}123456789") == f"{RULES}123456789"


def test_a_function_result_that_is_found_again_is_referred_to():
    shown, found = results(), {"value": ["x" * 300], "refs": [], "notes": []}
    first, second = (shown.shown(BOOKS_BY, {"author": "Austen"}, found) for _ in range(2))
    assert json.loads(first) == found
    assert second == "(unchanged: it stands above as the result of books_by)"


def test_a_record_is_one_line_and_of_a_long_one_the_model_learns_from_which_line_it_goes_on():
    shown = results()
    short = json.dumps({"id": "b-1", "note": 'a "key": and more'}, indent=2)
    assert json.loads(read_of(shown, "/b.json", short)) == json.loads(short)
    assert "\n" not in read_of(shown, "/b.json", short)
    text = read_of(shown, "/c.json", RECORD)
    assert len(text) < LONGEST_READ + 200
    line = int(text.rpartition("from line ")[2].split()[0])
    rest = "".join(RECORD.splitlines(keepends=True)[line - 1 :])
    beginning = text.partition("\n[...")[0]
    assert json.loads(beginning + rest) == json.loads(RECORD)
    assert rest in read_of(shown, "/c.json", rest, start_line=line), "and it is shown as it stands"


def test_where_files_may_be_written_their_texts_stand_as_they_are_with_their_hash():
    told = read_of(results(may_write=True), "/c.json", RECORD)
    assert told == '{"sha256":"' + "5" * 64 + f'"}}\n{RECORD}'
    assert "sha256" not in read_of(results(), "/c.json", RECORD)


@pytest.mark.parametrize(
    ("operations", "way"), [(FILE_OPERATIONS, "start_line"), ((*FILE_OPERATIONS, READ_ALL), "read_all")]
)
def test_a_cut_result_says_how_to_read_on(operations, way):
    shown = results()
    opened = ConversationOpened(trial_id="t", at_ms=0, system="", first_message=(), exchange=(), calls=(), rules="")
    shown.take_initial_prompt(opened, ToolSchema(operations=operations))
    long = read_of(shown, "/docs/a.md", "a line of twenty ch.\n" * 2_000)
    part = read_of(shown, "/exports/a.csv", "a,b\n1,2\n", truncated=True)
    for told, line in ((long, 191), (part, 3)):
        note = told.rpartition("[... ")[2]
        assert f"from line {line} on" in note
        assert way in note


def test_a_notice_is_said_to_be_in_force_beside_the_request() -> None:
    recorder = Recorder("t", Dated(files=FILES | NOTICES), lambda event: None)
    recorder.begin_step(0)
    opened = build_exchange("Check out cart-1.", recorder, LoopSettings(), SolverBindings())
    last = "".join(opened.first_message)
    assert "read /docs/news/2031-05-01-calls.md (in force)\n" in last
    assert "read /docs/news/2031-05-20-carts.md (not yet in force)\n" in last
    assert last.index("(in force)") < last.index("Check out cart-1.")
