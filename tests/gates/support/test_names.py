"""A value from a neighbouring row is unverified, if the answer names a row of the same table.

A mark says under which name of the answer a found value stands: `results.csv:2, under Mei Tan`.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.marks import Mark, support_text
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun

RESULTS = Source(
    "/results.csv",
    "name,club,status,time\n"
    "Mei Tan,Dene Runners,done,1:25:21\n"
    "Sara Lindqvist,Vale Harriers,done,1:29:46\n"
    "Aled Rhys,Dene Runners,open,1:37:41\n",
)
REVIEWS = Source(
    "/reviews.md",
    "# 评价\n\n| 客人 | 评分 | 内容 |\n|---|---|---|\n"
    "| 王玮 | 4.8 | 院子很安静，早餐的豆浆好喝。 |\n| 王伟 | 3.6 | 山景不错，但热水要等十分钟。 |\n",
)
POSTS = Source(
    "/posts.json",
    '[\n {"name": "Ada Obi", "from": "08:15"},\n {"name": "Ben Carr", "from": "08:45"}\n]\n',
)


BOATS = Source(
    "/boats.tsv",
    "id\tboat\tlength_m\tseats_up\tseats_down\tcabins\n"
    "F-1\tSula\t44.5\t120\t310\t64\n"
    "F-2\tAlca\t61.2\t150\t475\t88\n",
)
TANKS = Source("/tanks.csv", "水槽,担当,容量L\nT-05,佐藤,4200\nT-50,田中,2400\n")
BUSES = Source(
    "/buses.md",
    "# 記録\n\n- 車両701: 2026年2月18日に点検。\n- 車両702: 2026年2月20日に点検。\n",
)
DAYS = Source(
    "/days.txt",
    "2026年5月3日(日) 夜の水族館 定員120名\n2026年5月5日(火) ことし飼育員 定員24名\n",
)
CARDS = Source(
    "/cards.json",
    '[\n {"name": "Ada Holm", "card": "2210 4471 0093"},\n'
    ' {"name": "Ida Holm", "card": "2210 4417 0093"}\n]\n',
)
HALLS = Source(
    "/halls.json",
    '[\n {\n  "hall": "North",\n  "rent": 250\n },\n {\n  "hall": "South",\n  "rent": 300\n }\n]\n',
)
DESKS = Source(
    "/desks.yaml", "ada:\n  floor: 2\n  phone: 417\nben:\n  floor: 3\n  phone: 462\n"
)
CLUBS = Source(
    "/clubs.yaml", "- club: Rowing\n  fee: 80 EUR\n- club: Chess\n  fee: 35 EUR\n"
)
FERRIES = Source(
    "/bookings.xml",
    '<list>\n <b id="K-1"><name>Ida Holm</name><fare>48.50</fare></b>\n'
    ' <b id="K-2"><name>Ada Holm</name><fare>96.00</fare></b>\n</list>\n',
)
UNITS = Source(
    "/units.toml",
    "[F1]\nserial = AK-93\nboxes = 287\n\n[F2]\nserial = AK-39\nboxes = 301\n",
)
CHARGES = Source(
    "/charges.md",
    "# Charges\n\n* Processing fee: 0.3464 % of the value, at least $33.58\n"
    "* Harbour fee: 0.125 % of the value\n",
)
TARIFF = Source(
    "/tariff.csv",
    'code,goods,rate\n6109.10.00,"T-shirts, knitted",16.5%\n6203.42.40,"Trousers, woven",16.6%\n',
)
SHIFTS = Source(
    "/shifts.yaml",
    "- officer: M. Duarte\n  badge: 4471\n- officer: P. Okafor\n  badge: 4417\n",
)
SINGERS = Source(
    "/singers.csv",
    "name;voice;phone\nCecilia Norén;Alt 1;070-998 11 03\nElin Norén;Alt 2;072-310 44 90\n",
)
ROOMS = Source(
    "/rooms.md", "# East wing\n\nDeposit: 90 EUR\n\n# West wing\n\nDeposit: 120 EUR\n"
)


def only_mark(answer: str, source: Source, *scripts: ScriptRun) -> Mark:
    """Return the mark of the only value of an answer."""
    [mark] = ValueMarker([source], script_runs=scripts).marks(answer)
    return mark


@pytest.mark.parametrize(
    ("answer", "source", "support"),
    [
        ("Mei Tan ran 1:25:21.", RESULTS, "/results.csv:2, under Mei Tan"),
        ("王伟打了3.6分。", REVIEWS, "/reviews.md:6, under 王伟"),
        ("Ben Carr came at 08:45.", POSTS, "/posts.json:3, under Ben Carr"),
        ("They came at 08:45.", POSTS, "/posts.json:3"),
    ],
)
def test_a_found_value_has_the_name_that_the_answer_writes(
    answer: str, source: Source, support: str
) -> None:
    assert support_text(only_mark(answer, source)) == support


@pytest.mark.parametrize(
    ("answer", "source", "note"),
    [
        (
            "Mei Tan ran 1:29:46.",
            RESULTS,
            "found under Sara Lindqvist, and the answer names Mei Tan",
        ),
        (
            "王伟打了4.8分，院子很安静，早餐的豆浆好喝。",
            REVIEWS,
            "found under 王玮, and the answer names 王伟",
        ),
        (
            "Ada Obi came at 08:45.",
            POSTS,
            "found under Ben Carr, and the answer names Ada Obi",
        ),
    ],
)
def test_a_value_in_the_row_of_another_name_is_unverified(
    answer: str, source: Source, note: str
) -> None:
    mark = only_mark(answer, source)

    assert mark.support == "unverified"
    assert mark.note == note


@pytest.mark.parametrize(
    ("answer", "source", "own", "other"),
    [
        ("The rent of South is 250 EUR.", HALLS, "North", "South"),
        ("Ada has the number 462.", DESKS, "ben", "ada"),
        ("Chess costs 80 EUR.", CLUBS, "Rowing", "Chess"),
        ("Ada Holm pays 48.50.", FERRIES, "Ida Holm", "Ada Holm"),
        ("In the East wing one leaves 120 EUR.", ROOMS, "West wing", "East wing"),
        ("F2 has 287 boxes.", UNITS, "F1", "F2"),
        (
            "The processing fee is at least $33.58, and 0.125 %.",
            CHARGES,
            "Harbour fee",
            "Processing fee",
        ),
        ("Below 6109.10.00, 16.6 % is due.", TARIFF, "6203.42.40", "6109.10.00"),
        ("P. Okafor has the badge 4471.", SHIFTS, "M. Duarte", "P. Okafor"),
        # Names beside signs without blanks, fields whose names begin so, and lines of a list of days
        ("水槽T-05の容量は2,400Lです。", TANKS, "T-50", "T-05"),
        ("車両702は2026年2月18日に点検しました。", BUSES, "車両701", "車両702"),
        ("ことし飼育員の日は2026年5月3日です。", DAYS, "夜の水族館", "ことし飼育員"),
        # Digits in groups are one number
        ("The card of Ada Holm is 2210 4417 0093.", CARDS, "Ida Holm", "Ada Holm"),
        # A column, whose name has the same words but one
        ("Sula has 310 seats up on deck.", BOATS, "seats_down", "seats_up"),
    ],
)
def test_a_value_in_the_record_or_column_of_another_name_is_unverified(
    answer: str, source: Source, own: str, other: str
) -> None:
    [*_, mark] = ValueMarker([source]).marks(answer)

    assert mark.support == "unverified"
    assert mark.note == f"found under {own}, and the answer names {other}"


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("The rent of South is 300 EUR.", HALLS),
        ("水槽T-50の容量は2,400Lです。", TANKS),
        ("夜の水族館は2026年5月3日です。", DAYS),
        ("The card of Ada Holm is 2210 4471 0093.", CARDS),
        ("F2 has 301 boxes.", UNITS),
        ("The harbour fee is 0.125 %.", CHARGES),
        ("Below 6203.42.40, 16.6 % is due.", TARIFF),
        ("P. Okafor has the badge 4417.", SHIFTS),
        ("Ada has the number 417.", DESKS),
        ("Chess costs 35 EUR.", CLUBS),
        ("Ada Holm pays 96.00.", FERRIES),
        ("In the East wing one leaves 90 EUR.", ROOMS),
        ("Sula has 120 seats up on deck.", BOATS),
        ("Sula has 310 seats below.", BOATS),
        ("Sula has 120 seats up and 310 down.", BOATS),
        ("Sula has 120 seats, up to 310 with those below.", BOATS),
    ],
)
def test_a_value_in_the_record_or_column_that_the_answer_names_is_found(
    answer: str, source: Source
) -> None:
    marks = ValueMarker([source]).marks(answer)

    assert {mark.support for mark in marks} == {"found"}


HOPS = Source(
    "/hops.md",
    "Dry hop: Saphir 2.1 kg and Mosaic 0.9 kg, for 3 days.\nRent 700 EUR, cleaning 60 EUR.\n"
    "Loading: 640 pM (Alba), 21 pM (Nova).\n",
)
LEVELS = Source(
    "/levels.csv", "day,level\n2026-05-01,88.5\n2026-05-02,91.4\n2026-05-03,79.2\n"
)


@pytest.mark.parametrize(
    ("answer", "question", "note"),
    [
        (
            "It takes 2.1 kg of Mosaic.",
            "",
            "found under Saphir, and the answer names Mosaic",
        ),
        (
            "It takes 2.1 kg.",
            "How much Mosaic?",
            "found under Saphir, and the answer names Mosaic",
        ),
        (
            "The cleaning is 700 EUR.",
            "",
            "found under Rent, and the answer names cleaning",
        ),
        ("Nova gets 640 pM.", "", "found under Alba, and the answer names Nova"),
        ("Nova gets 21 pM.", "", ""),
        ("It takes 0.9 kg of Mosaic.", "", ""),
        ("It takes 0.9 kg.", "How much Mosaic?", ""),
        ("It takes 2.1 and 0.9 kg.", "How much Mosaic?", ""),
    ],
)
def test_the_amount_of_another_clause_is_unverified(
    answer: str, question: str, note: str
) -> None:
    [mark, *_] = ValueMarker([HOPS], question=question).marks(answer)

    assert mark.note == note


PRICES = Source(
    "/prices.html",
    "<table>\n<tr><th>Service</th><th>Member</th><th>Guest</th></tr>\n"
    "<tr><td>Court</td><td>EUR 18.–</td><td>EUR 26.50</td></tr>\n"
    "<tr><td>Racket</td><td>EUR 4.–</td><td>EUR 7.25</td></tr>\n</table>\n",
)


@pytest.mark.parametrize(
    ("answer", "supports"),
    [
        ("Mei Tan ran 1:29:46, Sara Lindqvist 1:25:21.", ["unverified"] * 2),
        ("1:29:46 for Mei Tan and 1:25:21 for Sara Lindqvist.", ["unverified"] * 2),
        ("- Mei Tan: 1:29:46\n- Sara Lindqvist: 1:25:21", ["unverified"] * 2),
        ("Mei Tan ran 1:25:21, Sara Lindqvist 1:29:46.", ["found"] * 2),
        ("Mei Tan and Sara Lindqvist ran 1:25:21 and 1:29:46.", ["found"] * 2),
        ("Mei Tan beat Sara Lindqvist by 1:25:21 to 1:29:46.", ["found"] * 2),
    ],
)
def test_two_names_with_exchanged_values(answer: str, supports: list[str]) -> None:
    marks = ValueMarker([RESULTS]).marks(answer)

    assert [mark.support for mark in marks] == supports


@pytest.mark.parametrize(
    ("code", "answer", "doubt"),
    [
        ("18 * 40", "Members pay 720 EUR.", ""),
        ("18 * 40 + 26.5 * 0", "A member pays 720 EUR.", ""),
        (
            "26.5 * 40",
            "A member pays 1,060 EUR.",
            "computed from 26.5 of Guest, and the answer names Member",
        ),
        (
            "7.25 * 40",
            "For the court a guest pays 290 EUR.",
            "computed from 7.25 of Racket, and the answer names Court",
        ),
        ("26.5 * 40", "For the court a guest pays 1,060 EUR.", ""),
    ],
)
def test_a_number_of_a_script_stands_under_a_name(
    code: str, answer: str, doubt: str
) -> None:
    printed = answer.replace(",", "").split()[-2]  # the amount before `EUR.`
    script = ScriptRun(f"print({code})", f"{printed}\n")
    marker = ValueMarker(
        [PRICES], question="What do 40 hours cost?", script_runs=[script]
    )

    [mark] = marker.marks(answer)

    assert mark.support == ("unverified" if doubt else "computed")
    assert mark.note == doubt or not doubt


@pytest.mark.parametrize(
    ("answer", "supports"),
    [
        ("On 2 May it was 88.5.", ["found", "unverified"]),
        ("On 2 May it was 91.4.", ["found", "found"]),
        ("It rose from 88.5 on 1 May to 91.4.", ["found", "found", "found"]),
        ("On 2 May 91.4 was left, 88.5 before.", ["found", "found", "found"]),
    ],
)
def test_a_row_may_have_a_date_as_its_name(answer: str, supports: list[str]) -> None:
    marks = ValueMarker([LEVELS]).marks(answer)

    assert [mark.support for mark in marks] == supports


@pytest.mark.parametrize(
    ("answer", "supports"),
    [
        ("Quiet is kept from 21:30 to 06:30.", ["found", "unverified"]),
        ("Quiet is kept from 21:30 to 05:45.", ["found", "found"]),
        ("The door is shut 20:15 - 06:30.", ["found", "found"]),
        ("Quiet begins at 21:30, the day at 06:30.", ["found", "found"]),
    ],
)
def test_the_ends_of_a_range_stand_in_one_line(
    answer: str, supports: list[str]
) -> None:
    rules = Source(
        "/rules.txt", "Quiet: 21:30 – 05:45\nGates open at 06:30.\nShut from 20:15.\n"
    )

    marks = ValueMarker([rules]).marks(answer)

    assert [mark.support for mark in marks] == supports


def test_an_id_and_other_values_of_its_row_do_not_vouch_for_a_value() -> None:
    marks = ValueMarker([BOATS]).marks("F-1 is 44.5 m long. It has 88 cabins.")

    assert [mark.support for mark in marks] == ["found", "found", "unverified"]
    assert marks[2].note == "found under F-2, and the answer names F-1"


def test_a_script_that_prints_the_cells_of_a_table_does_not_vouch_for_a_value() -> None:
    script = ScriptRun(
        "for row in harness.table('/boats.tsv').rows: print(row['id'], row['cabins'])",
        "F-1 64\nF-2 88\n",
    )

    marks = ValueMarker([BOATS], script_runs=[script]).marks("F-1 has 88 cabins.")

    assert [mark.support for mark in marks] == ["found", "unverified"]


def test_the_question_names_the_row_if_the_answer_does_not() -> None:
    marker = ValueMarker([BOATS], question="How long is Sula?")

    assert [mark.support for mark in marker.marks("It is 61.2 m.")] == ["unverified"]
    assert [mark.support for mark in marker.marks("It is 44.5 m.")] == ["found"]
    assert [mark.support for mark in marker.marks("Alca is 61.2 m.")] == ["found"]
    marks = marker.marks("It is 44.5 m, and the longest is 61.2 m.")
    assert [mark.support for mark in marks] == ["found", "found"]


def test_what_the_answer_took_from_a_row_does_not_vouch_for_the_row() -> None:
    marker = ValueMarker([SINGERS], question="Which number has Elin Norén?")

    [*_, wrong] = marker.marks("Elin Norén (Alt 1) has 070-998 11 03.")
    [*_, right] = marker.marks("Elin Norén (Alt 2) has 072-310 44 90.")
    [*_, of_other] = marker.marks("Cecilia Norén (Alt 1) has 070-998 11 03.")

    assert wrong.note == "found under Cecilia Norén, and the answer names Elin Norén"
    assert right.support == of_other.support == "found"


@pytest.mark.parametrize(
    "printed",
    [
        "Mei Tan 89.6875\nSara Lindqvist 94.0625\n",
        "{'Mei Tan': 89.6875, 'Sara Lindqvist': 94.0625}\n",
        "[('Mei Tan', 89.6875), ('Sara Lindqvist', 94.0625)]\n",
    ],
)
def test_names_may_exchange_what_a_script_printed(printed: str) -> None:
    script = ScriptRun(
        "shares = harness.table('/results.csv', columns='name, speed').rows\n"
        "print(f'{dict(shares)}')",
        printed,
    )
    marker = ValueMarker([RESULTS], script_runs=[script])

    right = marker.marks("- Mei Tan: 89.7 %\n- Sara Lindqvist: 94.1 %")
    wrong = marker.marks("- Mei Tan: 94.1 %\n- Sara Lindqvist: 89.7 %")

    assert [mark.support for mark in right] == ["computed", "computed"]
    assert [mark.support for mark in wrong] == ["unverified", "unverified"]


@pytest.mark.parametrize(("count", "support"), [(3, "computed"), (4, "unverified")])
def test_a_sum_of_numbers_is_not_divided_by_one_more(count: int, support: str) -> None:
    script = ScriptRun(f"print((80 + 35 + 65) / {count} + 1000)", "1075.25\n")
    fees = Source("/fees.md", "80, 35 and 65 EUR\n")

    mark = only_mark("It is 1,075.25 EUR.", fees, script)

    assert mark.support == support


@pytest.mark.parametrize(
    ("column", "answer", "note"),
    [
        ("seats_up", "There are 785 cabins.", "cabins"),
        ("seats_up", "There are 785 seats down below.", "seats_down"),
        ("seats_up", "There are 785 seats up on deck.", ""),
        ("seats_up", "There are 785 places.", ""),
    ],
)
def test_a_sum_of_another_column_than_the_answer_names_is_unverified(
    column: str, answer: str, note: str
) -> None:
    script = ScriptRun(
        "rows = harness.table('/boats.tsv').rows\n"
        f"print(sum(int(row['{column}']) for row in rows))",
        "785\n",
    )

    mark = only_mark(answer, BOATS, script)

    if note:
        assert mark.note == f"computed from {column}, and the answer names {note}"
    else:
        assert mark.support == "computed"


def test_a_name_that_belongs_to_another_value_says_nothing_of_this_one() -> None:
    """The second time is that of a runner whom the answer does not name."""
    marks = ValueMarker([RESULTS]).marks("Mei Tan won in 1:25:21, before 1:29:46.")

    assert [mark.support for mark in marks] == ["found", "found"]


def test_a_value_that_a_script_computed_is_not_doubted_for_a_line_that_has_it_too() -> (
    None
):
    """The points of another row are the sum by chance."""
    points = Source(
        "/points.csv", "name,points\nMei Tan,40\nMei Tan,45\nAled Rhys,85\n"
    )
    script = ScriptRun(
        "rows = harness.table('/points.csv').rows\n"
        "print(sum(row['points'] for row in rows if row['name'] == 'Mei Tan'))",
        "85\n",
    )

    mark = only_mark("Mei Tan has 85 points.", points, script)

    assert mark.support == "computed"


# A script selects rows by names, too.


@pytest.mark.parametrize(
    "code",
    [
        "print(int(by['Sara Lindqvist']['points']) * 3)",
        "print(sum(int(row['points']) * 3 for row in rows if row['name'] == 'Sara Lindqvist'))",
    ],
)
def test_a_value_computed_from_another_name_is_unverified(code: str) -> None:
    reads = (
        "rows = harness.table('/results.csv').rows\n"
        "by = {row['name']: row for row in rows}\n"
    )
    script = ScriptRun(reads + code, "261\n")

    other = only_mark("Mei Tan has 261 points.", RESULTS, script)
    own = only_mark("Sara Lindqvist has 261 points.", RESULTS, script)

    assert other.support == "unverified"
    assert other.note == "computed from Sara Lindqvist, and the answer names Mei Tan"
    assert own.support == "computed"


def test_a_filter_by_another_state_than_the_answer_names_is_unverified() -> None:
    script = ScriptRun(
        "rows = harness.table('/results.csv').rows\n"
        "print(sum(len(row['name']) for row in rows if row['status'] != 'open'))",
        "221\n",
    )

    mark = only_mark("Those who are done have 221 letters.", RESULTS, script)

    assert mark.note == "computed from open, and the answer names done"


@pytest.mark.parametrize(
    ("count", "support"),
    [("rows", "unverified"), ("times", "computed")],
)
def test_a_mean_is_divided_by_the_count_of_its_terms(count: str, support: str) -> None:
    script = ScriptRun(
        "rows = harness.table('/results.csv').rows\n"
        "times = [row['seconds'] for row in rows if row['status'] == 'done']\n"
        f"scratchpad['mean'] = sum(times) / len({count})\n"
        "print(scratchpad['mean'])",
        "3502.5\n",
    )

    mark = only_mark("It took 3502.5 s on average.", RESULTS, script)

    assert mark.support == support


def test_sum_and_count_of_a_mean_may_have_names() -> None:
    script = ScriptRun(
        "rows = harness.table('/results.csv').rows\n"
        "times = [row['seconds'] for row in rows if row['status'] == 'done']\n"
        "total = sum(times)\n"
        "n = len(rows)\n"
        "print(total / n)",
        "3502.5\n",
    )

    mark = only_mark("It took 3502.5 s on average.", RESULTS, script)

    assert "another count than its terms" in mark.note


def test_a_share_of_all_is_no_mean() -> None:
    script = ScriptRun(
        "rows = harness.table('/results.csv').rows\n"
        "print(sum(1 for row in rows if row['status'] == 'done') / len(rows))",
        "0.6667\n",
    )

    assert only_mark("That is 66.7 %.", RESULTS, script).support == "computed"


REVENUE = Source(
    "/revenue.csv", "year,region,eur\n2024,South,40120\n2025,South,44960\n"
)


def test_a_value_of_another_year_than_the_answer_names_is_unverified() -> None:
    *_, mark = ValueMarker([REVENUE]).marks("In 2025 the South made 40,120 EUR.")

    assert mark.note == "found under 2024, and the answer names 2025"


@pytest.mark.parametrize(
    "answer",
    [
        "In 2024 the South made 40,120 EUR.",
        "The year before 2025, the South made 40,120 EUR.",
        "It rose from 40,120 EUR to 44,960 EUR in 2025.",
    ],
)
def test_a_value_is_found_beside_another_year_that_is_meant_otherwise(
    answer: str,
) -> None:
    marks = ValueMarker([REVENUE]).marks(answer)

    assert {mark.support for mark in marks} == {"found"}
