import pytest

from toolkit import CannotRead
from toolkit.layout import columns_called, table_rows


def test_a_table_is_read_by_the_words_of_its_headers():
    rows = table_rows("Lane_ID, from ,cost cents\na,b,3\n\nc,d,4\n")
    assert rows == [{"lane id": "a", "from": "b", "cost cents": "3"}, {"lane id": "c", "from": "d", "cost cents": "4"}]
    assert columns_called(rows, {"cost": ("price", "cost"), "start": ("from",)}) == {
        "cost": "cost cents",
        "start": "from",
    }


@pytest.mark.parametrize("text", ["a\tb\n1\n", "a\ta\n1\t2\n"])
def test_an_uneven_table_is_refused(text):
    with pytest.raises(CannotRead, match="headers twice, or a row"):
        table_rows(text)


def test_no_column_and_several_are_refused():
    rows = table_rows("from a,from b\n1,2\n")
    for words in (("to",), ("from",)):
        with pytest.raises(CannotRead, match="no single column for place"):
            columns_called(rows, {"place": words})
