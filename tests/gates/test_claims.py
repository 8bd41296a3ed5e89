"""Claims of answers, traced to texts that were read: right ones stand there, and an invented value does not."""

import calendar
import itertools
import random
import re
from datetime import date

import pytest

from gates.claim_values import claims_in
from gates.claims import ClaimTracer, Source, TracedClaim, footnoted

FILES = {
    "/lease.md": (
        "# Lease\n"
        "\n"
        "Tenant: Maria Keller. Landlord: Nowak Immobilien GmbH.\n"
        "Rent: EUR 1,240.00, due on the 3rd.\n"
        "Deposit: EUR 3,720.00, paid on 14 February 2025.\n"
        "It runs until 2027-02-28; notice three months.\n"
        "Code from 09:30.\n"
    ),
    "/orders.csv": (
        "order,date,customer,amount_eur\n"
        "A-1001,2026-01-03,Fjord Kaffe,1200.50\n"
        "A-1002,2026-01-04,Brisa Textil,349.99\n"
        "A-1003,2026-01-09,Fjord Kaffe,87.25\n"
        "A-1004,2026-03-15,Lumen Works,15400.00\n"
    ),
    "/app.py": (
        "MAX_REQUESTS = 250\nMOST_BYTES = 1_500_000\n"
        "TIMEOUT_MS = 1500\n# TODO: drop legacy_orders_v2\nraise TooMany('E1042: slow down')\n"
    ),
    "/vertrag.txt": (
        "Vermieter: Hausverwaltung Lindner & Söhne\n"
        "Kaltmiete: 845,00 €, Nebenkosten 210,50 €, 68,5 m²\n"
        "Frau Brandt: „Wir brauchen einen neuen Kassenwart.“ Tel. +49 30 5550 1234\n"
    ),
    "/nota.txt": ("Montant : 12 480,00 € HT, livraison le 15 septembre 2026 à 10h30. Lucía Herrera, Atelier Moreau.\n"),
    "/会議.txt": ("会議 2026年4月8日 14:00 出席: 田中さん 予算は350万円。株式会社ミライ電機。合同 HT-2026-118\n"),
    "/app.log": (
        "2026-02-11T03:14:07Z ERROR 7f3a9c21 failed after 30002 ms on 10.0.4.17\n2026-02-11T03:21:00Z version 2.14.1\n"
    ),
    "/desk.txt": (
        "Loket: Marktplein 5, open 8.30-16.00 uur, mail balie@stad.example. Hebesatz 480 v. H. Fällig am 24. März.\n"
        "timeout = 45\norder 2026-3447\nMesse: 28.9. bis 2.10., next on 28-30 September 2026, 1–2 October 2026\n"
        "The fee is due on the 27th of each month; Devin Okafor pays it.\n"
    ),
    "/port.txt": (
        "Quiet from 22:30; tasting at 3.30pm on 27 February, lunch at noon. Account 5577 9911, sextant H4471, 78 F.\n"
        "def test_band_edges(): s3://cold-ledger-us of Brandt & Gruber; Marit Oldenkamp (chair), Lena Brandvold 2026\n"
        '"Peeters, Elodie",Leuven; 午後2時05分、185万円、4万5千円、山田太郎様、「遅すぎる」\n'
        "5月19日、有効期限：2026/05/10\n"
    ),
    "/hut.txt": (
        "The oral is on 24-26 May 2027, for at least 15 per cent; the bus is at 6:40. Order 2026-3391 of 8 MB.\n"
        "Geöffnet vom 15. Mai an, Aufstieg: 870 m. Astrid Hovland: 0000-0002. 下午 2:30，保额 50 万元，52 平方米。\n"
        "Crates: 58. Bed B214 has 66.9 m², the plants stand 95-110 cm apart. Dr Patrick Halloran, at 8h30. -4℃\n"
        "Seán O’Casey, from 2 to 4 p.m., 4.3.26, 25.12.; 3,2 Mio. €, 5 km, B-209, 8080:81, 20x31 cm\n"
    ),
    "/mix.txt": (
        "hu_bis: 2026-07, closes time(16, 0), 9-11 at half-time, accepted with 44 zu 13 votes\n"
        "Wm. Trudgeon, Hnos. Baena, dogs: £0.80, Limit 40 tys. zł, 8,7 % moist, 500 ml, realise_30_juin\n"
    ),
    "/dom.txt": (
        "Umowa z dnia 24 sierpnia 2026 r., Zbigniew Karaś, tel. 81 555 40 26, cena 1 250,00 zł\n"
        "Apertura ore 9:30, il 1º maggio 2026; the talk is at half past two, Tür zu um halb neun\n"
        "등록비 118,000원, 5월 22일 오전 11시 5분, 상금 50만 원, 담당 채다은\n"
        "上午9点半开会，预算3.5万元，5月3号\n"
        "APROBADO EL 3 DE MARZO DE 2025; born 20.XI.1852; geb. 11. Hornung 1843; wall=4h15m37s; 15 bis 18.30 Uhr\n"
        "June 2024\n- 16: sowed beans\n- Tue 18: rain, 2½ l\n"
    ),
    "/data.json": ('{"site": "Hardanger North", "depth_m": 118, "share": "2.7 %", "readings": [3.91, 4.02, 3.87]}\n'),
}
ANSWERS = """
The rent is {EUR 1,240.00|EUR 1,290.00} and the deposit €3,720.
The deposit was paid on {14.02.2025|14.03.2025}, the lease ends on 28 February 2027.
The landlord is {Nowak Immobilien GmbH|Becker Immobilien GmbH}, the tenant Maria Keller.
The notice period is {3 months|6 months}; the code changes at 9:30.
Order A-1004 of {Lumen Works|Nimbus Works} is of March 2026.
Order {A-1003|A-1103} is of 9 January 2026.
Fjord Kaffe spent {1,287.75|1,387.75} EUR, of these 1,200.50 and 87.25 EUR in January 2026.
At most {250|350} requests of {1,500,000|1,600,000} bytes; the time is up after 1.5 s or {1500 ms|1700 ms}.
The error {E1042|E1024} says `slow down` and `legacy_orders_v2` goes.
Die Kaltmiete beträgt {845 €|895 €}, mit 210,50 € also 1.055,50 €, für 68,5 m².
Frau Brandt sagte „Wir brauchen einen neuen {Kassenwart|Schriftführer}“ (+49 30 5550 1234).
Vermieter ist {Hausverwaltung Lindner|Hausverwaltung Gruber}.
Le montant est de {12 480 €|12 840 €}, livraison le 15/09/2026 à 10h30.
El contacto es {Lucía Herrera|Elena Ruiz}.
会議は{2026年4月8日|2026年5月8日}の14:00です。予算は350万円、田中さん。
担当は株式会社{ミライ電機|アカツキ工業}、合同 HT-2026-118。
It failed after {30,002 ms|35,002 ms} at 03:14, and recovered at 03:21.
The host {10.0.4.17|10.0.4.71} runs 2.14.1 since 11 February 2026.
{Hardanger North|Hardanger South} is 118 m deep; the highest of the readings is 4.02.
The share is {2.7 %|3.9 %}.
`TooMany.E1042` is raised if `MAX_REQUESTS={250|350}` and `TIMEOUT_MS=1500` are exceeded (TODO).
Of 480 and 250, that is {52.1 %|53.1 %}.
Vom {24.03.|25.03.} an, und vom 28.9. bis 2.10., Maria Keller's Deposit von 118 Metern Tiefe.
The order is {2026-3447|2026-3474}.
The fair is on {28 September 2026|27 September 2026} and 2 October 2026.
Marktplein 5 is open from {8:30 uur|9:30 uur} to 16:00, by {24 March|24 April} at the latest.
Write to {balie@stad.example|desk@stad.example}; the rate is {480 %|460 %}, after 45 s.
It falls due on the {27th|29th}, and it is Devin Okafor's fee in EUR. The 45 s are a setting.
Die Zahlung von {Devin Okafor|Doris Okonkwo}: 480 %.
Quiet begins at {10:30 pm|10:40 pm}, the tasting at 15:30, lunch at 12:00.
The tasting is at {3:30 pm|3:30 am} on 27 February 2026, at 78 °F.
It is on 27 February {2026|2024}.
Account {55779911|55774310} holds the sextant {H4471|H4519}.
Account {5577 9911|5577 4310} is with {Brandt & Gruber|Brandt & Keller}.
See {s3://cold-ledger-us|s3://cold-ledger-eu} and {test_band_edges|test_cold_edges}.
In January 1,200.50 and 87.25 (1,287.75 EUR) were paid by {Lena Brandvold|Lena Oldenkamp}.
By then {Elodie Peeters|Wilma Peeters} of Leuven had signed.
From 24 May 2027 to 26 May 2027, for {15%|25%}: order {2026-3391|2026-3447}, at {6:40|7:40}.
Offen ab 15.05., mit {870|880} Metern Aufstieg für Vier Personen; it is Astrid Hovland's Hut.
在{14:30|10:20}集合，保额50万元，{52平方米|62平方米}。
納期は{14:05|16:05}、{1,850,000円|1,950,000円}と45,000円です。
{5月19日|5月29日}に{山田太郎|中村太郎}様が「{遅すぎる|高すぎる}」と、期限は2026年5月10日。
The {58|59} crates of lines 31-36 (app.py:42) hold plants {95-110 cm|95-120 cm} apart, as Dr {Halloran|Petrov} says.
From {8 h 30|8 h 20} on, B214 offers {66.9 m²|69.6 m²}; in 在{-4℃|14℃}, for 3 of them.
{Sean O'Casey|Sean O'Leary} came {2 pm|3 pm} on {4 March 2026|4 April 2026} to {25 December|26 December}.
{3,200,000|3,400,000} €, {5,000 m|6,000 m}, {B209|B290}, port {8080|8088} and {81|82}, {20 x 31 cm|20 x 36 cm}.
Z dnia {24.08.2026|25.08.2026}, dla {Zbigniewa Karasia|Tomasza Wilka}.
Tel. {81 555 40 26|81 555 40 62}, {1250 zł|1350 zł}.
Alle {9.30 h|9.50 h} il {1 maggio 2026|2 maggio 2026}, talk at {2:30 pm|2:45 pm}, Tür zu um {20:30 Uhr|21:45 Uhr}.
등록비는 {118,000원이고|119,000원이고} {11:05|11:15}, {500,000원|700,000원}, {채다은|채다운} 간사입니다.
{9:30|9:50}开会，预算{35,000元|36,000元}，{5月3日|5月4日}。
On {3 March 2025|4 March 2025}, born on {20 November 1852|20 October 1852} and {11 February 1843|12 February 1843}.
After 4 h {15 min|16 min} at {15 Uhr|14 Uhr}; {16 June 2024|19 June 2024}.
Fällig {07/2026|11/2026}, im Juli 2026.
It closes at {4 pm|5 pm}, after {44:13|44:19} votes.
They trailed {9:11|9:17}, said {William Trudgeon|Robert Trudgeon}; dogs cost {80p|70p}.
Los {Hermanos Baena|Primos Baena} pagan {40 000 zł|60 000 zł}; l'{8,7%|9,3%}, {50 cl|70 cl}, le {30 juin|27 juin}.
"""
TWO = re.compile(r"\{([^|{}]+)\|([^|{}]+)\}")


def traced(answer: str) -> tuple[TracedClaim, ...]:
    return ClaimTracer([Source(path, text) for path, text in FILES.items()], "What is it?", today="2026-04-01").trace(
        answer
    )


def missing(answer: str) -> list[str]:
    return [claim.text for claim in traced(answer) if claim.support == "missing"]


@pytest.mark.parametrize("answer", ANSWERS.strip().split("\n"))
def test_values_that_were_read_are_traced_and_an_invented_one_is_missing(answer: str) -> None:
    right = TWO.sub(r"\1", answer)
    assert missing(right) == []
    assert missing(TWO.sub(r"\2", answer)), traced(TWO.sub(r"\2", answer))


def test_a_claim_names_its_line_or_the_values_from_which_it_is_computed() -> None:
    paid, *_, total = traced("Paid on 14 February 2025. Fjord Kaffe: 1,200.50 and 87.25 are 1,287.75 EUR.")
    assert (paid.support, paid.place and (paid.place.path, paid.place.line)) == ("found", ("/lease.md", 5))
    assert total.support == "computed"
    assert [(one.path, one.line, one.text) for one in total.inputs] == [
        ("/orders.csv", 2, "1200.50"),
        ("/orders.csv", 4, "87.25"),
    ]


def test_a_mark_stands_behind_the_sign_of_a_unit() -> None:
    answer = "It is 2.7 % of 845 €, and 9.9 %."
    marked = footnoted(answer, traced(answer))[0]
    assert marked == "It is 2.7 % [1] of 845 € [2], and 9.9 % [NOT IN WHAT WAS READ]."


def test_spans_are_those_of_the_answer_and_none_lies_in_another() -> None:
    answer = 'He wrote "at 10:30 for 12 EUR" to Maria Keller on 2026-03-04.'
    claims = claims_in(answer)
    assert [answer[one.start : one.end] for one in claims] == [one.text for one in claims]
    assert [one.kind for one in claims] == ["quotation", "name", "date"]


BEFORE = (
    *("", "Hoppel ", "due: ", "[", "- ", "| ", "x;y;", "key=", '"', "until ", "am ", "12 ", "B-12 ", "3. ", "v1.2 "),
    *("03:15 ", "2025-10-06 -> ", "from 3 to ", "No. 7, ", "\t", "**", "`", "<td>", "5 x ", "1) ", "Total ", "ca. "),
)
BEHIND = (
    *("", " True", " Tue", " and more", ", 12 items", ". Next", ") ok", "] info", "|7|", ";x;y", ",4,5", '"', " (7)"),
    *(" - done", " – 5 left", " x 4", " / 8", " kg", " May", " 2027", " v2", "**", "`", "</td>", "\t9", "!", " each"),
)


@pytest.mark.parametrize("kind", ["date", "time", "amount"])
def test_a_value_that_stands_in_a_line_is_found_whatever_is_beside_it(kind: str) -> None:
    rng = random.Random(kind)
    for before, behind in itertools.product(BEFORE, BEHIND):
        day, hour, minute = (
            date(rng.randint(1995, 2031), rng.randint(1, 12), rng.randint(13, 28)),
            10,
            rng.randint(10, 59),
        )
        month, amount = calendar.month_name[day.month], f"{rng.randint(100_000, 99_999_999) / 100:,.2f}"
        forms = {
            "date": (f"{day}", f"{day:%d.%m.%Y}", f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}"),
            "time": (f"{hour}:{minute}", f"{hour}:{minute} am", f"{hour}.{minute} Uhr", f"{hour}h{minute}"),
            "amount": (amount, amount.replace(",", ""), amount.translate({44: ".", 46: ","}), amount.replace(",", " ")),
        }[kind]
        written, told = rng.choice(forms), rng.choice(forms[:3])
        if kind == "amount" and behind == ",4,5":
            continue  # It reads as one number.
        (claim,) = claims_in(f"It is {told} there.")
        source = Source("/log.txt", f"A title\n{before}{written}{behind}\nA last line")
        assert source.place_of(claim), f"{told} is not found in {source.lines[1]!r}"
