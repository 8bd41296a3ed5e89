from dataclasses import replace

import pytest

from gates.facts import facts_of, rows_of
from gates.facts.rows import MAX_TABLE_CHARS
from gates.types import SeenText, Touch
from tests.gates.facts.read_texts import evidence_with, ran

ROWS = ({"id": "t-1", "state": "open"}, {"id": "t-2", "state": "done"})


@pytest.mark.parametrize(
    "text",
    [
        "id,state\nt-1,open\nt-2,done\n",
        "id\tstate\nt-1\topen\nt-2\tdone",
        "id | state\nt-1 | open\nt-2 | done",
        '[{"id": "t-1", "state": "open"}, {"id": "t-2", "state": "done"}]',
    ],
)
def test_a_table_gives_rows_by_column(text: str) -> None:
    assert rows_of(text) == ROWS


@pytest.mark.parametrize(
    "text",
    ["", "id", "a,b\n1", "1,2\n3,4", "[1, 2]", "[", 'a,"b\nc', '[{"a": 1}, 2]', "a,1\n2,3",
     "a,b\n1,2\n3"],
)  # fmt: skip
def test_what_is_no_table_gives_none(text: str) -> None:
    assert rows_of(text) == ()


def test_only_what_tools_printed_is_a_table() -> None:
    text = "id,state\nt-1,open\nt-2,done\n"
    evidence = evidence_with({"/a/list.csv": text}, ran=(ran("/bin/sql", "select"),), printed={"/bin/sql": text})
    (table,) = facts_of(evidence).tables
    assert (table.tool, table.rows) == ("/bin/sql", ROWS)


def test_a_header_and_one_row_are_a_table() -> None:
    assert rows_of("id,state\nt-1,open") == ROWS[:1]


def test_of_an_object_in_a_list_what_is_no_plain_value_is_left_out() -> None:
    assert rows_of('[{"id": "t-1", "tags": ["a"], "by": {"c": 1}, "none": null}]') == ({"id": "t-1"},)


@pytest.mark.parametrize(("columns", "is_one"), [(60, True), (61, False)])
def test_a_table_has_sixty_columns_at_most(columns: int, is_one: bool) -> None:
    line = ",".join(["a"] * columns)
    assert bool(rows_of(f"{line}\n{line}")) is is_one


@pytest.mark.parametrize("seen", [SeenText("id,state\nt-1,open", is_whole=False), SeenText("nothing")])
def test_a_text_that_was_cut_or_lists_nothing_is_no_table(seen: SeenText) -> None:
    evidence = evidence_with(ran=(ran("/bin/sql", "select"),))
    printed = replace(evidence, touches={"/bin/sql": Touch("/bin/sql", frozenset({"execute"}), (seen,))})
    assert facts_of(printed).tables == ()


@pytest.mark.parametrize(("chars", "is_one"), [(MAX_TABLE_CHARS, True), (MAX_TABLE_CHARS + 1, False)])
def test_a_table_has_so_many_characters_at_most(chars: int, is_one: bool) -> None:
    assert bool(rows_of("id\n" + "x" * (chars - 3))) is is_one
