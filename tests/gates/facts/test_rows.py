import pytest

from gates.facts import facts_of, rows_of
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


@pytest.mark.parametrize("text", ["", "id", "a,b\n1", "1,2\n3,4", "[1, 2]", "[", 'a,"b\nc'])
def test_what_is_no_table_gives_none(text: str) -> None:
    assert rows_of(text) == ()


def test_only_what_tools_printed_is_a_table() -> None:
    text = "id,state\nt-1,open\nt-2,done\n"
    evidence = evidence_with({"/a/list.csv": text}, ran=(ran("/bin/sql", "select"),), printed={"/bin/sql": text})
    (table,) = facts_of(evidence).tables
    assert (table.tool, table.rows) == ("/bin/sql", ROWS)
