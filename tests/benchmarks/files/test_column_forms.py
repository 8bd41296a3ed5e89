"""How cells that are written as text become numbers and dates, and when a query over them is refused."""

import pytest

from benchmarks.files.tables import Table
from sandbox.interface import CallError

UNCERTAIN = "a;b\nx;1.234\ny;2.500\nz;12\n"
WORDS = "n,amount\na,5\nb,7\nc,n/a\nd,100\n"
DAYS = "d,x\n03/04/2025,1\n05/04/2025,2\n"


def asked(text: str, sql: str, form: str = "", path: str = "/a.csv") -> str:
    return str(Table(path, text, form).query(sql, 100)["content"]).partition("\n")[2].strip().replace("\n", " ")


@pytest.mark.parametrize(
    ("text", "sql", "rows"),
    [
        ('p,n\n"$1,234.50",2\n"1,100",1\n12.00,4\n', "select sum(p), sum(p * n) from t", "2346.5,3617"),
        ("p;n\n1.234,50;2\n89,90;1\n12,00;4\n", "select sum(p) from t", "1336.4"),
        ("p;n\n1 234,5 €;2\n−2,00 €;1\n", "select p from t where p > 3", "1234.5"),
        ("p\n1'234'567\n'1\n5\n", 'select count(*) from t where "p as number" = 5', "1"),
        ("p\n12 %\n7.5 %\n", "select avg(p) from t", "9.75"),
        ("a;b;c\nx;1.234;1,5\ny;2.500;3\n", "select sum(b), sum(c) from t", "3734,4.5"),
        ('{"a": "1.234,5", "b": 1.5}\n{"a": "2,5", "b": 1.123}\n', "select sum(a), sum(b) from t", "1237,2.623"),
        ('{"a": 1.234}\n{"a": 2.5}\n{"a": 1e300}\n', "select a from t where a < 9", "1.234 2.5"),
        ('{"a": 1.234}\n{"a": 2.345}\n', "select sum(a) from t", "3.579"),
        ("note;b\nx;1.234\n3,5;2.500\ny;\n", "select \"b as written\" from t where note = 'x'", "1.234"),
        ("a,b\n1,0.125\n2,3.500\n", "select sum(b) from t", "3.625"),
        ("a\n1\n2\n3\n", "select sum(a) over (order by a rows 1 preceding) from t", "1 3 5"),
        (DAYS.replace("05/", "13/"), "select x from t where d > '2025-04-05'", "2"),
        ("d\n03.04.2025\n05.04.2025\n", "select d from t order by d desc", "2025-04-05 2025-04-03"),
        (UNCERTAIN, "select * from t where a = 'x'", "x,1.234"),
        (DAYS, 'select "d as written" from t where x = 1', "03/04/2025"),
        (WORDS, 'select sum("amount as number") from t', "112"),
        (WORDS, """select n from t where "amount as written" = 'n/a'""", "c"),
        (WORDS, "select * from t limit 1", "a,5,5"),
        ("a,note\n1,gift\n2,42\n3,call\n", "select a from t where note like '%gif%'", "1"),
        ("id\n007\n12\n", "select id from t", "007 12"),
    ],
)
def test_cells_are_read_by_the_form_of_their_column(text: str, sql: str, rows: str) -> None:
    assert asked(text, sql, path="/a.jsonl" if text.startswith("{") else "/a.csv") == rows


@pytest.mark.parametrize(
    ("text", "sql", "said"),
    [
        (UNCERTAIN, "select sum(b) from t", "'1.234' may be with a decimal point or comma: say form='decimal comma'"),
        (UNCERTAIN, "select * from t where b > 100", "b is not certain, as '1.234' may"),
        (UNCERTAIN, "select a from t order by b desc limit 1", "b is not certain, as '1.234' may"),
        (UNCERTAIN, 'select * from t where "b as written" > 100', "is text: compare it with a text in quotes"),
        (UNCERTAIN, 'select a from t where "b as written" in (1, 12)', "b as written is text: compare it with a text"),
        ("id\n007\n12\n", "select id from t where 7 = id", "id is text: compare it with a text in quotes"),
        (DAYS, "select x from t where d > '2025-04-30'", "'day first' or 'month first'"),
        (DAYS.replace("05/", "13/"), "select x from t where d = '13/04/2025'", "invalid date"),
        (WORDS, "select * from t where amount > 6", "'n/a' is no number"),
        (WORDS, "select max(amount) from t", '"amount as number" is null there'),
        ("a,x\n1,5 km\n2,7 km\n", "select sum(x) from t", r"sum\(VARCHAR\)"),
        ("a,x\n1,5 km\n2,7 km\n", "select * from t where x > 6", "is text: compare it with a text in quotes"),
        ("a,x\n1,5 km\n2,7 km\n", "select x * 2 from t", r"\*\(VARCHAR"),
        ("a,x\n1,5 km\n2,7 km\n", "select cast(x as double) from t", "Could not convert string"),
        ("x\n1,500\n2,000\n", "select sum(x) from t", "x is not certain, as line 2 has more cells than the first line"),
        ("a,x\n1,$5\n2,€7\n", "select sum(x) from t", r"it has \$ and €"),
        (
            "a,x\n1,1.5\n2,2.50\n3,3\n4,1,5\n".replace("4,1,5", '4,"3,5"'),
            "select sum(x) from t",
            "different decimal marks",
        ),
    ],
)
def test_what_is_not_certain_is_not_computed_with(text: str, sql: str, said: str) -> None:
    with pytest.raises(CallError, match=said):
        asked(text, sql)
