"""A record that a trial read has the same fields and values in every format.

The gates, which compare an answer with what was read, take `{"id": "task-7"}`, `id: task-7` and a
table with the column `id` for the same record. Texts of other forms are not records, so that words
of prose are not taken for values.
"""

from __future__ import annotations

import pytest

from controlplane.gates.records import parse
from controlplane.sandbox.interface import bounds


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param(
            '{"id": "task-7", "owner_id": "user-3", "state": "open"}',
            "/a.json",
            id="JSON",
        ),
        pytest.param(
            '{"id":"task-7","owner_id":"user-3","state":"open"}',
            "/a.json",
            id="JSON without blanks",
        ),
        pytest.param(
            '\n{\n\t"id" :\t"task-7",\n"owner_id"\n:"user-3","state":"open"}\n',
            "/a",
            id="JSON in many lines, without an extension",
        ),
        pytest.param(
            "id: task-7\nowner_id: user-3\nstate: open\n", "/a.yaml", id="YAML"
        ),
        pytest.param(
            "id: task-7\nowner_id: user-3\n\nstate: open",
            "/a.txt",
            id="lines of a text",
        ),
        pytest.param(
            "---\nid: task-7\nowner_id: user-3\nstate: open\n---\n",
            "/a.md",
            id="front matter of Markdown",
        ),
        pytest.param(
            "id;owner_id;state\ntask-7; user-3 ;open\ncut;row\n",
            "/a.csv",
            id="table with an incomplete last row",
        ),
    ],
)
def test_a_record_has_the_same_values_in_every_format(text: str, path: str) -> None:
    record = parse(text, path)

    assert record == (("id", "task-7"), ("owner_id", "user-3"), ("state", "open"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("Plain words.", id="prose"),
        pytest.param("# Title\nkey: value", id="page with a title"),
        pytest.param('{"cut": ', id="cut off"),
        pytest.param("{" * 50_000, id="only brackets"),
        pytest.param(f'{{"a": "{"x" * bounds.MOST_RECORD_CHARS}"}}', id="too long"),
    ],
)
def test_texts_without_the_form_of_a_record_are_not_records(text: str) -> None:
    assert parse(text) == ()
