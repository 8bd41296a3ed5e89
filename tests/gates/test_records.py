"""Records that a trial read, in whatever format they are.

The gates read `{"id": "task-7"}`, `id: task-7` and a table with the column `id` as the same
record. Texts come from unknown authors, so reading them takes bounded time.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.records import parse
from controlplane.sandbox.interface import bounds
from tests.support.executed_work import assert_linear

TASK_VALUES = (("id", "task-7"), ("owner_id", "user-3"), ("state", "open"))


class TestFormatsOfRecords:
    """A record has the same fields and values in every format.

    `{"id": "task-7"}`, `id: task-7` and a table with the column `id` are the same record. Texts
    of other forms are not records, so that words of prose are not taken for values.
    """

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
    def test_a_record_has_the_same_values_in_every_format(
        self, text: str, path: str
    ) -> None:
        """Each text is the task task-7, which belongs to user-3 and is open."""
        assert parse(text, path) == TASK_VALUES

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
    def test_texts_without_the_form_of_a_record_are_not_records(
        self, text: str
    ) -> None:
        assert parse(text) == ()


class TestHostileRecords:
    """A text may come from anybody, so that reading it takes bounded time.

    `parse` must not raise, whatever the text is, and twice as long a text may take only twice
    the work.
    """

    @pytest.mark.parametrize(
        ("beginning", "piece", "end", "path"),
        [
            pytest.param('{"a": [', "1,", "1]}", "/a.json", id="long list"),
            pytest.param("", "a: b\n", "", "/a.md", id="many lines"),
            pytest.param("", "| a | b |\n", "", "/a.md", id="long table of Markdown"),
            pytest.param("", " ", "{", "/a", id="blanks"),
            pytest.param("", "[", "", "/a.json", id="only brackets"),
        ],
    )
    def test_parsing_a_hostile_text_is_linear_work(
        self, beginning: str, piece: str, end: str, path: str
    ) -> None:
        """The piece is repeated many times between the beginning and the end."""
        assert_linear(lambda count: parse(beginning + piece * count + end, path), 1_000)

    @pytest.mark.parametrize("opening", ["", "{", "[", "a: "])
    @given(
        text=st.text(max_size=300),
        path=st.sampled_from(["/a.json", "/a.csv", "/a.md", "/a"]),
    )
    def test_any_text_can_be_parsed(self, opening: str, text: str, path: str) -> None:
        """No text makes the parser raise, whatever format its beginning and its path promise."""
        for _name, value in parse(opening + text, path):
            assert isinstance(value, str)
