"""A value is found in whatever notation a text or a script's output states it.

Answers and texts are by different authors: a page has `Distance 21.0975 km`, and the answer
"13.11 miles"; a script prints `0.29411764`, and the answer says "29.4 %".
"""

from __future__ import annotations

from random import Random

import pytest

from controlplane.gates.support.matching import is_stated
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun
from controlplane.gates.values.written_values import written_values


def stated_values(answer: str, source: Source) -> list[str]:
    """Return the values of an answer that a source states, as the answer writes them."""
    return [
        value.text for value in written_values(answer) if is_stated(value, [source])
    ]


NOTATIONS = (
    # Percentages, negatives and units
    ("27.5 %", "share: 0.275"),
    ("29.4%", "quote 0.29411"),
    ("% 13,8", "enflasyon %13,8"),
    ("13.8 %", "| ay | oran |\n|---|---|\n| Mart | %13,8 |"),
    ("-1,234.50", "Loss (1,234.50)"),
    ("-250", "Saldo 250,00-"),
    ("-1200.50 USD", "net -$1,200.50"),
    ("fell by 3.2 %", "change: -3.2 %"),
    ("13.11 miles", "Distance 21.0975 km"),
    ("1.5 h", "took 90 min"),
    # Durations
    ("6 h 10 min", "370 minutes"),
    ("370 min", "6 h 10 min"),
    ("3 h 25", "205 min"),
    ("2:40", "lasted 160 min"),
    ("2:40", "lasted 160 s"),
    ("2:40", "split 0:02:40"),
    ("3:25 min", "205 s"),
    ("3時間25分", "205 min"),
    ("17:10", "from 5:10 pm on"),
    ("9:45", "ab 9 Uhr 45"),
    ("9 Uhr 45", "from 9:45 am"),
    ("22.2 km/h", "at 12 knots"),
    ("12 nœuds", "12 kn"),
    ("45:09", "0:45:09"),
    ("39 h 58", "took 39h58 in all"),
    ("39h58", "2398 min"),
    ("25 h 00", "1500 min"),
    ("32:28", "| A | 32 | 28 |"),  # a score
    ("-5 %", "Rabatt (5 %)"),
    ("1.234,50-", "saldo: -1234.5"),
    ("3 weeks", "runs for three weeks"),
    ("7 días", "hasta siete días antes"),
    ("5 Tage", "Fünf Tage lang"),
    ("14 days", "within fourteen days"),
    ("14 Tage", "hält zwei Wochen"),
    ("120 min", "takes two hours"),
    ("131kL", "131000 L"),
    ("87.5 %", '{"grams": 25,\n"rate": 0.875}'),  # the first line is no heading
    # Dates, versions, addresses, cells
    ("2026-10-22 14:00", "最晚2026年10月22日14:00可以"),
    ("14 October 2026", "14 באוקטובר 2026"),
    ("2026-10-14", "14 أكتوبر 2026"),
    ("2.0.10", "since v2.0.10"),
    ("v2.0.10", "release 2.0.10"),
    ("1.10", "Version 1.10"),
    ("version 1.10", '{"version": "1.10"}'),
    ("Ada@Müller.de", "write to ada@müller.de"),
    ("101 and 2.3", "101,2.3"),
    # Units, currencies and signs that touch words without blanks
    ("1.2 m", "荷物は長さ120cmまで。"),
    ("450g", "1羽あたり450gです"),
    ("$12", "1kgあたり12ドル"),
    ("-1.2 °C", "水温は-1.2℃です"),
    ("-2.5 °C", "kept at minus 2.5 °C"),
    # Races, days to a month, columns beside a time
    ("7:34.2", "Zeit 7:34,2"),
    ("7:34.2", "454.2 s"),
    ("4 August 2026", "vom 4. bis zum 14. August 2026"),
    ("-18 cm", "02.03.2026 06:30  -18"),
    ("19:42 UTC", "frame,start_utc\nF1,2026-01-14 19:42"),
    # Rounded, as a word says, and copied with its marks
    ("about 86,300", "86284"),
    ("約86,300円", "86284円"),
    ("Die Aare ist 7.300 CHF wert", '{"wert": "7.300 CHF"}'),
    ("9780711260011", 'isbn="978-0-7112-6001-1"'),
    ("978-0-7112-6001-1", "9780711260011"),
    ("open from 13:30 to 22:00", 'hours: "13:30-22:00"'),
    ("about 47,300 EUR", "2025,North,47315 EUR"),
    ("21:01", "21時1分"),
    ("1h14m.", "74 minutes"),
    ("19½", "It is 19.5."),
    ("It is 2.5.", "rate: 2.5"),
    ("v6.1.10", "It is 6.1.10."),
    ("21:01", "It begins at kl. 21.01."),
    ("1,250 ms", "[2026-03-12 10:00:01] took 1,250 ms"),  # a log, and no JSON
    ("16.5 kg", "Preis: 12,5\nMenge: 16,5 kg"),  # no table
    ("12:10 UTC", "at 17:10+05:00"),
    ("22:10 UTC", "at 17:10-05:00"),
)


@pytest.mark.parametrize(("answer", "text"), NOTATIONS)
def test_a_value_is_found_in_another_notation(answer: str, text: str) -> None:
    values = [value.text for value in written_values(answer)]

    assert values != []
    assert stated_values(answer, Source("", text)) == values


@pytest.mark.parametrize(
    "text", [text for pair in NOTATIONS for text in pair] + ["4.4. and 1.250,50 €"]
)
def test_what_is_read_out_of_a_text_is_found_in_it(text: str) -> None:
    values = [value.text for value in written_values(text)]

    assert stated_values(text, Source("", text)) == values


LAYOUTS = (
    "{}",
    "It is {}.",
    "({})",
    "**{}**",
    "– {} –",
    "- fee: {}",
    "| name | {} |",
    "<td>{}</td>",
    "name={}",
    "合計は{}です",
    "= {}, then",
)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_read_out_of_any_layout_is_found_in_it(seed: int) -> None:
    forms = [form for pair in NOTATIONS for form in pair]
    forms += [
        "https://example.org/a?x=6/",
        "+49 (0) 30 1234567",
        "3.4 million €",
        "KR_204",
    ]
    choice = Random(seed).choice
    for _ in range(20):
        parts = [choice(LAYOUTS).format(choice(forms)) for _ in range(2)]
        text = choice((" ", "\n", "; ")).join(parts)
        values = [value.text for value in written_values(text)]

        assert stated_values(text, Source("", text)) == values, text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("3 weeks", "three days"),
        ("3 weeks", "a week of three"),
        ("1 day", "someone days"),
        ("0.2", "20 % discount"),  # a factor is not what the text says
        ("12 %", "12 rooms"),
        ("1.1", "Version 1.10"),
        ("11.39 miles", "Distance 21.0975 km"),
        ("161 min", "2:40"),
        ("32:29", "| A | 32 | 28 |"),
        ("-3.2 %", "3.2 %"),
        ("5 °C", "-5 °C"),
        ("1012.3", "101,2.3"),
        ("86,300", "86284"),  # without a word such as `about`
        ("+3.2 %", "change: -3.2 %"),
        ("+1,250 USD", "| correction | -USD 1,250 |"),
        ("450 kg", "1羽あたり450gです"),
        ("12円", "1kgあたり12ドル"),
        ("31.5m", "路線,距離km\n系統21,31.5"),
        ("600 min", "frame,exposure_s\nF1,600"),
        ("14", "14 ตุลาคม 2569"),
    ],
)
def test_a_similar_notation_states_another_value(answer: str, text: str) -> None:
    assert stated_values(answer, Source("", text)) == []


def test_a_script_prints_a_quotient_above_1_as_a_page_does_not() -> None:
    assert stated_values("120 %", Source("", "1.2", is_printed=True)) == ["120"]
    assert stated_values("120 %", Source("", "version: 1.2")) == []


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        ("4.38 %", "4.378125"),
        ("0.45 EUR", "0.44499999999999995"),  # a float of 0.445
        ("2,417.4 million", "2417.4000000000001"),
        ("2.42 billion", "2417.4"),
        ("41.7 hl", "4170"),
    ],
)
def test_a_script_prints_numbers_without_unit_and_scale(
    answer: str, printed: str
) -> None:
    values = [value.text for value in written_values(answer)]

    assert stated_values(answer, Source("", printed, is_printed=True)) == values
    assert stated_values(answer, Source("", f"total: {printed} pcs.")) == []


def test_the_question_may_group_digits_in_either_way() -> None:
    marker = ValueMarker([], question="Reichen 24.000 Flaschen?")

    [mark] = marker.marks("Nein, 24,000 reichen nicht.")

    assert mark.support == "given"


# What a script computes is computed in whatever way it counts dates, factors and units.

PAGES = (
    Source("/course.md", "Start: 17 May 2026, 09:30. It closes 2 h 45 min later.\n"),
    Source("/fees.md", "2.15 GBP each, 480 GBP flat, and 20 % VAT on both.\n"),
    Source("/way.md", "The way is 21.0975 km long.\n"),
    Source("/ferry.md", "Sails on 8 June at 21:40, arrives at 06:15. VAT 6.2 %.\n"),
    Source("/mail.txt", "Date: Mon, 6 Apr 2026\n"),
    Source("/feed.md", "15 kg for each of 4 hives, at 1,35 € a kg.\n"),
)


@pytest.mark.parametrize(
    ("script", "printed", "answer"),
    [
        pytest.param(
            "from datetime import datetime, timedelta\n"
            "print(datetime(2026, 5, 17, 9, 30) + timedelta(hours=2, minutes=45))",
            "2026-05-17 12:15:00\n",
            "It closes at 12:15.",
            id="dates and durations",
        ),
        pytest.param(
            "n = len(harness.read('/fees.md').content)\n"
            "print(harness.read('/fees.md').content)\n"
            "net = n * 2.15 + 480\n"
            "print(n, net, round(net * 1.2, 2))",
            "2.15 GBP each, 480 GBP flat, and 20 % VAT on both.\n\n51 589.65 707.58\n",
            "It is 707.58 GBP.",
            id="a percentage as a factor",
        ),
        pytest.param(
            "n = len(harness.read('/fees.md').content)\n"
            "print(harness.read('/fees.md').content)\n"
            "net = n * 2.15 + 480\n"
            "print(n, net, round(net * 1.33, 2))",
            "2.15 GBP each, 480 GBP flat, and 20 % VAT on both.\n\n51 589.65 784.23\n",
            "It is 589.65 GBP.",
            id="an invented factor in a neighbouring expression",
        ),
        pytest.param(
            "secs = 3600 + 12 * 60 + 7\nprint(secs / 21.0975)",
            "205.09538\n",
            "A pace of 3:25 min/km.",
            id="seconds as minutes and seconds",
        ),
        pytest.param(
            "n = len(harness.read('/fees.md').content)\nprint(n * 2.15 * 1.062)",
            "116.4483",
            "It is 116.45 GBP.",
            id="a factor of three decimals",
        ),
        pytest.param(
            "from datetime import datetime\n"
            "print(datetime(2000, 1, 2, 6, 15) - datetime(2000, 1, 1, 21, 40))",
            "8:35:00",
            "The crossing takes 8 h 35 min.",
            id="times on any day",
        ),
        pytest.param(
            "import datetime as dt\nprint(dt.date(2026, 6, 8) + dt.timedelta(days=20))",
            "2026-06-28",
            "On 28 June 2026.",
            id="a day whose year stands elsewhere",
        ),
        pytest.param(
            "km = 21.0975\nprint(km / 1.609344 * 2)",
            "26.2187\n",
            "Both ways are 26.22 miles.",
            id="the factor of the unit",
        ),
        pytest.param(
            "n = len(harness.read('/way.md').content)\nprint(n, n * 1000)",
            "70 564.0",
            "It is 564 GBP.",
            id="two numbers beside each other",
        ),
        pytest.param(
            "n = len(harness.read('/way.md').content)\nprint(n * 2109750)",
            "105487500\n",
            "It is 105,487,500 steps.",
            id="a stated length in another unit",
        ),
        pytest.param(
            "n = len(harness.read('/way.md').content)\nprint(n / 365.25)",
            "0.2464\n",
            "It is 0.2464.",
            id="the days of a mean year",
        ),
        pytest.param(
            "m = {(9, 1480): harness.read('/way.md').content}\n"
            "print(len(m[9, 1480]) * 21.0975)",
            "569.63\n",
            "It is 569.63.",
            id="keys of a dictionary",
        ),
    ],
)
def test_a_script_computes_a_value(script: str, printed: str, answer: str) -> None:
    marker = ValueMarker(PAGES, script_runs=[ScriptRun(script, printed)])

    [mark] = marker.marks(answer)

    assert mark.support == "computed"


@pytest.mark.parametrize(
    ("script", "printed", "answer"),
    [
        pytest.param(
            "from datetime import date, timedelta\n"
            "print(date(2026, 5, 16) + timedelta(days=2))",
            "2026-05-18\n",
            "On 18 May 2026.",
            id="a date that no text states",
        ),
        pytest.param(
            "from datetime import datetime\n"
            "print((datetime(2000, 1, 9, 6, 15) - datetime(2000, 1, 1, 21, 40)).days)",
            "7\n",
            "It takes 7 days.",
            id="days between times on any day",
        ),
        pytest.param(
            "import datetime as dt\nprint(dt.date(2027, 6, 8) + dt.timedelta(days=20))",
            "2027-06-28",
            "On 28 June 2027.",
            id="a day in a year that no text states",
        ),
        pytest.param(
            "n = len(harness.read('/fees.md').content)\nprint(n * 1.33)",
            "67.83\n",
            "It is 67.83 GBP.",
            id="an invented factor",
        ),
        pytest.param(
            "km = 21.0975\nprint(km / 1.852 * 2)",
            "22.78",
            "Both ways are 22.78 miles.",
            id="the factor of another unit",
        ),
        pytest.param(
            "import json\n"
            "boats = json.loads(harness.read('/boats.json').content)\n"
            "print(sum(boat['weight_kg'] for boat in boats))",
            "91\n",
            "Together they weigh 91 t.",
            id="another unit than that of the column",
        ),
        pytest.param(
            "rows = harness.read('/due.csv').json()\n"
            "print(sum(row['fine_eur'] for row in rows))",
            "40.7\n",
            "They add up to 40.70 $.",
            id="another currency than that of the column, by a sign of several",
        ),
        pytest.param(
            "from datetime import date\n"
            "rows = harness.read('/due.csv').json()\n"
            "print((date.fromisoformat(rows['back']) - date.fromisoformat(rows['due'])).days)",
            "40\n",
            "It came 40 weeks late.",
            id="weeks for days",
        ),
        pytest.param(
            "print(4 * 15 * 1.35)",
            "81.0\n",
            "It costs 81.00 CHF.",
            id="another currency than that of the numbers",
        ),
    ],
)
def test_a_script_with_a_made_up_input_computes_nothing(
    script: str, printed: str, answer: str
) -> None:
    marker = ValueMarker(PAGES, script_runs=[ScriptRun(script, printed)])

    [mark] = marker.marks(answer)

    assert mark.support == "unverified"


def test_a_difference_is_computed_from_the_amounts_beside_it() -> None:
    prices = Source("/rooms.md", "weekday 680元\nholiday 880元\n")

    marks = ValueMarker([prices]).marks("假日价880元，比平日的680元贵200元。")

    assert [mark.support for mark in marks] == ["found", "found", "computed"]


def test_the_second_amount_of_a_difference_may_leave_out_the_unit() -> None:
    stay = Source("/stay.md", "27 days in all\nfree: 14\n")

    marks = ValueMarker([stay]).marks("27 days, of which 14 are free, so 13 days.")
    of_others = ValueMarker([stay]).marks("27 days, for 14 guests, so 13 days.")

    assert [mark.support for mark in marks] == ["found", "found", "computed"]
    assert [mark.support for mark in of_others] == ["found", "found", "unverified"]


@pytest.mark.parametrize("path", ["/week 37.md", "week 37.md", "./week 37.md"])
def test_a_path_is_no_number_of_a_script(path: str) -> None:
    sales = Source("/week 37.md", "12.40\n18.35\n")
    script = ScriptRun(
        f"rows = harness.read('{path}').content.split()\n"
        "scratchpad['total'] = sum(map(float, rows))\n"
        "print(scratchpad['total'])",
        "30.75\n",
    )

    [mark] = ValueMarker([sales], script_runs=[script]).marks("It is 30.75.")

    assert mark.note == "= sum(map(float, rows)), from /week 37.md"


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        ("By 14 June 2026, after 21 days.", "computed"),
        ("By 15 June 2026, after 21 days.", "unverified"),
        ("By 17 June 2026, after 24 days.", "unverified"),  # no text has 24 days
    ],
)
def test_a_day_is_counted_from_one_in_the_question(answer: str, support: str) -> None:
    terms = Source("/terms.md", "Bills are due after 21 days.\n")
    marker = ValueMarker([terms], question="When is the bill of 24 May due?")

    mark, *_ = marker.marks(answer)

    assert mark.support == support


@pytest.mark.parametrize(
    ("answer", "supports"),
    [
        ("Since 15 March 2022, so for 4 years.", ["found", "computed"]),
        ("Since 15 March 2022, so for 5 years.", ["found", "unverified"]),
        ("Since 15 March 2021, so for 4 years.", ["unverified", "unverified"]),
    ],
)
def test_full_years_are_counted_to_a_day_in_the_question(
    answer: str, supports: list[str]
) -> None:
    tenants = Source("/tenants.csv", "name,since\nHeike Brandt,2022-03-15\n")
    marker = ValueMarker([tenants], question="For how long, on 20 April 2026?")

    assert [mark.support for mark in marker.marks(answer)] == supports
