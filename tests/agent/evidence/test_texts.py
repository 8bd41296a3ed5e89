"""Which texts of a tool's result are the tool's own, and which of them are fields of data.

A text that the script may have sent, in any form or in pieces, is no evidence, and one that its
words cannot spell can be quoted. JSON, tables and short texts are data, and running text, of which
a mail may consist, is none. Half characters and numbers of thousands of digits do no harm.
"""

import base64
import json
import zlib

import pytest

from controlplane.agent.evidence import EvidenceLog
from controlplane.agent.evidence.texts.data_texts import (
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.agent.evidence.texts.passed_texts import OwnWords, ResultWords
from controlplane.agent.evidence.texts.words import forms_of
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)
from tests.gates.judged_scratchpads import CallsOfTrial
from tests.support.ended_calls import add_call
from tests.support.executed_work import assert_linear

# The texts in a tool's result that are fields of data: `data_in("id\n7\n8")` -> `{"id", "7", "8"}`.
#
# Other texts are running text, such as the body of a mail.


def data_in(value: object) -> set[str]:
    """Return the texts that are data in the result `value` of a tool."""
    data_texts: set[str] = set()
    for text in texts_of_result({"value": json.dumps(value)}):
        if text.is_data:
            data_texts.add(text.text)
    return data_texts


# A trial that asks a server by the call `db.look(q)`, and quotes the results.
#
#     trial = LookingTrial()
#     path = trial.look("loan-02", result="loan-02: the fee is 4711 EUR")
#     trial.quote(path, "4711 EUR")   # Raises `ValueError` if the quotation is refused.
#
# The task of the trial is "What is the fee for loan-02?".

LOOK = Operation(
    name="db.look",
    parameters=(Parameter("q", "any", ""),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="looks",
    effect=Effect.RETURNS,
    subject="",
)


class LookingTrial:
    """A trial that asks a server by the call `db.look(q)`, and quotes the results.

    Its task is "What is the fee for loan-02?".
    """

    def __init__(self) -> None:
        self._log = EvidenceLog(ToolSchema((LOOK,)))
        self._log.add_given_text("What is the fee for loan-02?")
        self._call_count = 0

    def look(self, q: object, *, result: str) -> str:
        """Call `db.look(q)`, which returns this result. Return the path by which it is cited."""
        self._call_count += 1
        path = f"/mcp/db/{self._call_count}"
        add_call(
            self._log,
            "db.look",
            {"q": q},
            {"call_path": path, "text": result},
            error=None,
        )
        return path

    def quote(self, path: str, quotation: str) -> None:
        """Cite a result with a quotation of it. Raises `ValueError` if this is refused."""
        place = self._log.citations.check(path, "it names the fee", quotation)
        assert place.spelling == path


# An argument of a tool is recognised in every form in which the tool may show it again.
#
# A script could hand `&#118;ault` or base64 to a tool, which shows the word `vault`. To know that the word
# is the script's own, what the script passes is decoded, joined and unescaped in advance:
# `forms_of("&#118;ault")` has `vault` among others.


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("vault KX-4471", id="as it is"),
        pytest.param(r"vault \u004bX-4471", id="escapes of JSON"),
        pytest.param(r"\x76ault KX-4471", id="escapes of Python"),
        pytest.param("&#118;ault KX-4471", id="escapes of HTML"),
        pytest.param("%76ault%20KX-4471", id="escapes of a URL"),
        pytest.param("dmF1bHQgS1gtNDQ3MQ==", id="base64"),
        pytest.param("dmF1bHQ-Pj4=", id="base64 for URLs"),  # `vault>>>`, with - for +
        pytest.param("7661756c74204b582d34343731", id="hexadecimal"),
        pytest.param("v a u l t", id="single letters"),
        pytest.param("['v', 'a', 'u', 'l', 't']", id="list of letters"),
        pytest.param("select char(118,97,117,108,116)", id="codes in a query"),
        pytest.param("'vau' || 'lt'", id="two halves in a query"),
    ],
)
def test_the_forms_of_an_argument_have_the_word_that_it_spells(argument: str) -> None:
    """Each argument is `vault` in another notation, most of them with a code behind it."""
    assert any("vault" in form for form in forms_of(argument))


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param("_", id="underscores"),
        pytest.param("x ", id="single letters"),
        pytest.param(" ", id="blanks"),
        pytest.param("a_b ", id="names"),
        pytest.param("'", id="quotation marks"),
    ],
)
def test_making_the_forms_of_a_long_argument_is_linear_work(piece: str) -> None:
    """An argument of twice as many pieces must not execute far more than twice as many
    lines."""

    def make_forms(piece_count: int) -> None:
        forms_of(piece * piece_count + "ab")

    assert_linear(make_forms, 1_000)


# A program that prints an argument in another form proves nothing by it.
#
# A script could hand `K X 4 4 7 1` or base64 to a program, which prints the code `KX-4471`. The code is the
# script's own, so the result cannot be cited for it.


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("vault KX-4471", id="as it is"),
        pytest.param("dmF1bHQgS1gtNDQ3MQ==", id="base64"),
        pytest.param("7661756c74204b582d34343731", id="hexadecimal"),
        pytest.param("K X 4 4 7 1", id="single letters"),
    ],
)
@pytest.mark.parametrize(
    "printed",
    [
        pytest.param("The code is KX-4471.", id="in capitals"),
        pytest.param("the code: kx-4471", id="in small letters"),
    ],
)
def test_a_tool_that_prints_an_argument_in_another_form_proves_nothing(
    argument: str, printed: str
) -> None:
    """The script passes the code KX-4471 in some form, and the tool prints it in plain
    characters. Only "code" is the tool's own word."""
    calls = CallsOfTrial()

    calls.run("/bin/query", argument, stdout=printed)

    access = calls.access_to("/bin/query")
    assert access.holds("code")
    assert not access.holds("kx-4471")


# An argument that spells half a character, or thousands of digits, must not make `forms_of` fail.
#
# A tool may show an argument in another form. `forms_of("&#65;")` returns all forms: `&#65;` and `A`. The
# argument itself is the first one.
#
# U+D800 to U+DFFF (55296 to 57343) are halves of characters. UTF-8 has none alone, so the journal could
# not be written with one.


@pytest.mark.parametrize(
    ("argument", "form"),
    [
        # `?` stands for each half, or U+FFFD where the standard of the notation wants this.
        pytest.param("55296 55297 55298", "???", id="codes of characters"),
        pytest.param("\\ud800 \\udc00", "? ?", id="escapes of JSON"),
        pytest.param("&#55296;&#xdfff;", "\ufffd\ufffd", id="escapes of HTML"),
        pytest.param("%ed%a0%80", "\ufffd\ufffd\ufffd", id="escapes of a URL"),
        pytest.param("a\ud800b", "a?b", id="half a character itself"),
    ],
)
def test_half_a_character_is_replaced_in_every_form(argument: str, form: str) -> None:
    forms = forms_of(argument)

    assert form in forms
    for each_form in forms:
        each_form.encode("utf-8")  # Raises for half a character.


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("{}", id="number"),
        pytest.param("{}.5 kg", id="decimal number with a unit"),
        pytest.param("{0}/{0}", id="fraction"),
        pytest.param("{0}:{0}", id="time of day"),
        pytest.param("2024-{}-01", id="date"),
        pytest.param("12:30:{}", id="seconds"),
        pytest.param("{0} h {0} min", id="duration"),
        pytest.param("1e{}", id="exponent"),
        pytest.param("May {}, 2024", id="day of a month"),
    ],
)
def test_a_number_of_thousands_of_digits_has_only_its_own_form(pattern: str) -> None:
    """Other spellings of a number need its value, but Python reads no more than 4,300 digits."""
    argument = pattern.format("9" * 5_000)

    assert forms_of(argument) == [argument]


@pytest.mark.parametrize(
    "digit",
    [
        pytest.param("\u0663", id="Arabic three"),
        pytest.param("\u4e00", id="Chinese one"),
    ],
)
def test_a_long_number_in_other_digits_has_no_form_but_those_of_json(
    digit: str,
) -> None:
    """Python would read these digits as a number, too. JSON may escape them."""
    argument = digit * 5_000

    escape = f"\\u{ord(digit):04x}"  # \u0663
    escaped_json = '"' + escape * 5_000 + '"'
    plain_json = f'"{argument}"'
    assert forms_of(argument) == [argument, escaped_json, plain_json]


# A result that a server may have decoded from the script's own text is not evidence.
#
# A script could send a sentence in base64 to a server, and cite the result, which has the sentence in
# plain words. There are too many encodings to try them all. So a result counts only if it has much more
# new text than scripts have sent to the server.

SENTENCE = "The fee is 4711 EUR, says Orla Quist"
"""What a script wants to prove by a result."""


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("Gur srr vf 4711 RHE, fnlf Beyn Dhvfg", id="rot13"),
        pytest.param("Uif!gff!jt!5822!FVS-!tbzt!Psmb!Rvjtu", id="next letter for each"),
        pytest.param("tsiuQ alrO syas ,RUE 1174 si eef ehT", id="backwards"),
        pytest.param(
            "84,104,101,32,102,101,101,32,105,115,32,52,55,49,49,32,69,85,82,44,32,"
            "115,97,121,115,32,79,114,108,97,32,81,117,105,115,116",
            id="codes of the letters",
        ),
        pytest.param(base64.b32encode(SENTENCE.encode()).decode(), id="base32"),
        pytest.param(base64.a85encode(SENTENCE.encode()).decode(), id="base85"),
        pytest.param(
            base64.b64encode(zlib.compress(SENTENCE.encode())).decode(),
            id="compressed",
        ),
        pytest.param(
            "The fee is four seven one one euro, says Orla Quist",
            id="number in words",
        ),
        pytest.param([[4, 7, 1, 1], "Orla Quist"], id="list of digits"),
    ],
)
def test_a_result_that_may_be_a_decoded_argument_cannot_be_quoted(
    argument: object,
) -> None:
    trial = LookingTrial()
    path = trial.look(argument, result="The fee is 4711 EUR, says Orla Quist")

    with pytest.raises(ValueError, match="may come from the call's own arguments"):
        trial.quote(path, "4711 EUR")


def test_words_of_an_argument_that_is_a_url_cannot_be_quoted() -> None:
    trial = LookingTrial()
    path = trial.look(
        "x://The_fee_is_4711_EUR",
        result="found The fee is 4711 EUR, says Orla Quist",
    )

    with pytest.raises(ValueError, match="may come from the call's own arguments"):
        trial.quote(path, "4711 EUR")


def test_a_sentence_that_was_sent_in_pieces_cannot_be_quoted() -> None:
    """The script sends two letters a call, in reverse order: "hT", " e", "ef". The last call
    sends nothing, and the server returns the whole sentence."""
    trial = LookingTrial()
    for start in range(0, len(SENTENCE), 2):
        two_letters = SENTENCE[start : start + 2]
        trial.look(two_letters[::-1], result="ok")
    path = trial.look("", result="The fee is 4711 EUR, says Orla Quist")

    with pytest.raises(ValueError, match="may come from the call's own arguments"):
        trial.quote(path, "4711 EUR")


# A result of a server that the script's words cannot spell is the server's, and can be quoted.
#
# A script could send a sentence in some encoding, and cite the result, which has it in plain words. But the
# words of the task, "What is the fee for loan-02?", and those of SQL, hide nothing.


@pytest.mark.parametrize(
    ("query", "result"),
    [
        pytest.param(
            "select fee from loans where id = 'loan-02'", "4711 EUR", id="words"
        ),
        pytest.param(
            "select sum(fee) from loans group by id",
            "loan-02: 4711 EUR",
            id="functions",
        ),
    ],
)
def test_a_result_of_a_query_can_be_quoted(query: str, result: str) -> None:
    """All words of the query are words of SQL or of the task "What is the fee for loan-02?",
    and so cannot spell the result."""
    trial = LookingTrial()
    path = trial.look(query, result=result)

    trial.quote(path, "4711 EUR")


def test_a_result_for_an_id_of_the_task_can_be_quoted() -> None:
    trial = LookingTrial()
    path = trial.look("loan-02", result="loan-02: the fee is 4711 EUR")

    trial.quote(path, "4711 EUR")


def test_a_result_that_is_much_longer_than_the_argument_can_be_quoted() -> None:
    """Four words are too short to be an encoding of the result."""
    trial = LookingTrial()
    path = trial.look(
        "fees of the library",
        result="Members pay a fee of 4711 EUR a year, says the head of the library.",
    )

    trial.quote(path, "4711 EUR")


def test_a_result_of_a_call_without_an_argument_can_be_quoted() -> None:
    trial = LookingTrial()
    path = trial.look("", result="The fee is 4711 EUR, says Orla Quist")

    trial.quote(path, "4711 EUR")


# A word that a script passed in two pieces is the script's own, like one that it passed whole.
#
# A tool that appends each text to a file joins `the vau` and `lt of gold.` to `the vault of gold.`. If
# the file is read later, then the word `vault` in it proves nothing.


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["the vau", "lt of gold."], id="two pieces"),
        pytest.param(["the va", "u", "lt of gold."], id="three pieces"),
        pytest.param(["the vau", "", "lt of gold."], id="an empty text between them"),
    ],
)
def test_the_joined_word_is_the_scripts_own(arguments: list[str]) -> None:
    own_words = OwnWords(ResultWords(texts=[]))

    own_words.add(arguments)

    assert "vault" in own_words.words


def test_words_with_a_blank_between_them_are_not_joined() -> None:
    own_words = OwnWords(ResultWords(texts=[]))

    own_words.add(["the vau ", "lt of gold."])

    assert "vault" not in own_words.words


# A tool's result is data if its form is one of JSON, a table, a YAML list or a short text.
#
# Each of its keys and values is then a field, which is trusted: `'{"name": "Ann"}'` -> `name` and `Ann`.
# Other texts, such as the body of a mail, are running text, which an attacker may have written.


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


# Which texts of data and of files are fields of data, and which are running text.
#
# Running text, such as the body of a mail, may be by an attacker, so it is not trusted. A field of
# data, such as an id in a table, is trusted.

RUNNING_TEXT = (
    "Dear Ann, the parcel arrives on Friday, and somebody has to be there to take it."
)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(RUNNING_TEXT, id="sentence"),
        pytest.param(
            "iban: DE89370400440532013000\namount: 5", id="lines of keys and values"
        ),
        pytest.param('{"iban":\n"DE89370400440532013000"}', id="JSON in two lines"),
    ],
)
def test_a_long_value_of_a_record_is_running_text_and_is_not_split(body: str) -> None:
    """The record is a mail. Whoever wrote its body may have given it a form of data. So a value of
    several lines, or of more than eight words, is not data. The keys and the short value "7" are."""
    texts = texts_of_data([{"id": "7", "body": body}])

    data = {text.text for text in texts if text.is_data}
    running_texts = {text.text for text in texts if not text.is_data}
    assert data == {"id", "7", "body"}
    assert running_texts == {body}


@pytest.mark.parametrize(
    ("path", "text", "is_data"),
    [
        pytest.param("/carts/b7.json", '{"id": "b7"}', True, id="JSON"),
        pytest.param("/carts/rows.csv", "id,name\n7,Ann", True, id="CSV"),
        pytest.param(
            "/mail/m1.md",
            "iban: DE89370400440532013000\namount: 5",
            False,
            id="keys and values in a mail",
        ),
        pytest.param("/mail/m1.md", '{"id": "b7"}', False, id="JSON in a mail"),
        pytest.param(
            "/carts/note.json", RUNNING_TEXT, False, id="sentence in a JSON file"
        ),
    ],
)
def test_a_file_is_data_if_its_name_and_its_form_say_so(
    path: str, text: str, is_data: bool
) -> None:
    """JSON is data in a file `.json`, and not in a mail (`.md`), which anybody may have written. A
    sentence is not data in a file `.json` either."""
    for part in texts_of_file(path, text):
        assert part.is_data == is_data


def test_lines_that_a_search_shows_are_texts_of_their_file() -> None:
    """The line of a mail is running text, although it is a field in the result of the search."""
    line = "iban: DE89370400440532013000"
    match = {"path": "/mail/m1.md", "line": 3, "text": line}

    texts = texts_of_data({"matches": [match]})

    (text_of_mail,) = [text for text in texts if text.path == "/mail/m1.md"]
    assert text_of_mail.text == line
    assert not text_of_mail.is_data


# A tool's result may have half a character, and is read all the same.
#
# JSON writes an emoji as two escapes: `"\ud83d\ude00"`. A tool that cuts its texts may return the first
# one alone. UTF-8 and the parser of YAML refuse such a text.


def test_half_a_character_in_a_list_of_yaml_is_read() -> None:
    half_an_emoji = "\ud83d"
    yaml_list = f"- {half_an_emoji}"

    (text,) = texts_of_result({"value": json.dumps(yaml_list)})

    assert text.text == yaml_list


# Lines of keys and values, such as `roles: clerk`, are data if a program printed them.
#
# The programs, such as `/bin/id`, are a part of the environment, so their output is trusted. A tool may
# return a mail of such lines. A mail is running text and not trusted, since anybody may have written it.


def test_keys_and_values_that_a_program_prints_are_data() -> None:
    printed = {"stdout": "user: emp-007\nroles: clerk\n"}

    for text in texts_of_result(printed, is_program_output=True):
        assert text.is_data


def test_keys_and_values_that_a_tool_returns_are_running_text() -> None:
    returned = {"stdout": "user: emp-007\nroles: clerk\n"}

    for text in texts_of_result(returned):
        assert not text.is_data


# Keys and values, or lines of words, are running text: a mail may consist of them.
#
# An attacker may have written the mail: the two lines `to: Ann` and `iban: DE12`. None of its
# parts is a field of data, which would be trusted: `data_in(text)`, the set of such fields, is
# empty.


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "Dear Ann, somebody has to be there to take the parcel.", id="sentence"
        ),
        pytest.param(
            "- Dear Ann, somebody has to be there to take the parcel.\n- general",
            id="YAML list with a sentence",
        ),
        pytest.param(
            "to: Ann\niban: DE89370400440532013000\nnote: [see below]\n",
            id="lines of keys and values, and a list",
        ),
        pytest.param(
            "name: Ann\niban: DE89370400440532013000\n",
            id="lines of keys and values",
        ),
        pytest.param("Ann\nMiller", id="two lines"),
        # `&a` names the first item, and `*a` repeats it. Such YAML is not parsed.
        pytest.param("- &a [*b]\n- *a", id="YAML with references"),
    ],
)
def test_a_text_that_a_mail_may_have_has_no_fields_of_data(text: str) -> None:
    assert data_in(text) == set()
