"""A tool's result is data if its form is one of JSON, a table, a YAML list or a short text.

Each of its keys and values is then a field, which is trusted: `'{"name": "Ann"}'` -> `name` and `Ann`.
Other texts, such as the body of a mail, are running text, which an attacker may have written.
"""

import pytest

from tests.agent.evidence.texts.data_of_results import data_in


@pytest.mark.parametrize(
    ("value", "data"),
    [
        pytest.param("Ann Miller", {"Ann Miller"}, id="short text"),
        pytest.param(1810.5, {"1810.5"}, id="number"),
        pytest.param(
            "id,name\n1,Ann\n2,Bob",
            {"id", "name", "1", "Ann", "2", "Bob"},
            id="table",
        ),
        pytest.param(
            "- id: 1\n  name: Ann\n- id: 2\n  name: Bob\n",
            {"id", "name", "1", "Ann", "2", "Bob"},
            id="YAML list of records",
        ),
        pytest.param('{"name": "Ann"}', {"name", "Ann"}, id="JSON"),
        pytest.param(
            "- general\n- External_0\n",
            {"general", "External_0"},
            id="YAML list of short texts",
        ),
        pytest.param(
            "{'Luxury Palace': '1 Rue de la Paix'}",
            {"Luxury Palace", "1 Rue de la Paix"},
            id="Python dictionary",
        ),
        pytest.param(
            "id_: '26'\nshared_with: {}\n",
            {"id_", "26", "shared_with"},
            id="YAML with nested entries",
        ),
    ],
)
def test_a_result_in_a_form_of_data_is_split_into_its_fields(
    value: object, data: set[str]
) -> None:
    assert data_in(value) == data
