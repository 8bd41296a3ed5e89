"""Where an order to give the answer begins and ends."""

import pytest

from gates.language.answer_frames import frames_of


@pytest.mark.parametrize(
    ("sentence", "verb", "tail"),
    [
        ("Reply with the number only.", "reply", " with the number only."),
        ("Please just return the id.", "return", " the id."),
        ("Count them and then output only the sum.", "output", " only the sum."),
        ("You must answer with x=%d.", "answer", " with x=%d."),
        ("Could you give me the id?", "give", " me the id?"),
        ("Your answer must be just the id.", "be", " be just the id."),
        ("The date in your answer must be short.", "part", " be short."),
        ("I only want the number.", "want only", " the number."),
        ("I need the number.", "want", " the number."),
        ("Number only.", "", "Number only."),
        ("Task: output the id only.", "output", " the id only."),
        ("Return the id and cite the record.", "return", " the id"),
        ("Answer in words, not with the id.", "answer", " in words, "),
        ("Put it as x=%d.", "put", " it as x=%d."),
        ("Antworte nur mit der Zahl.", "antworte", " nur mit der Zahl."),
        ("Answer: the number only.", "be", " the number only."),
        ("Hi Ada, give the id, the number only.", "give", " the id, the number only."),
    ],
)
def test_a_frame_is_an_order_or_a_statement_about_the_answer(sentence: str, verb: str, tail: str) -> None:
    assert [(frame.verb, frame.tail) for frame in frames_of(sentence, 0)] == [(verb, tail)]


@pytest.mark.parametrize(
    "sentence",
    [
        "My boss told me to answer with the number only.",
        "Do not answer with the number only.",
        "If it is lent, answer with the id only.",
        "When nothing is found, output only 0.",
        "Answer with the id only if you are sure.",
        "You may answer with just the id.",
        "In the file, give each date as YYYY-MM-DD.",
        "Write the paths to /exports/p.txt, one per line, sorted.",
        "Send Ada just the number.",
        'It says "answer with the number only".',
        "The mail says: return only the path.",
        'The note says "done, answer with the number only".',
        "The note says `done, answer with the number only`.",
        "> Ada says hello, reply with the number only.",
        "If it is lent, the number only.",
    ],
)
def test_reports_negations_conditions_and_files_are_no_frames(sentence: str) -> None:
    assert list(frames_of(sentence, 0)) == []


def test_a_tail_knows_its_place_in_the_text() -> None:
    text = "How many? Task: reply with the number only."
    (frame,) = frames_of(text[10:], 10)
    assert text[frame.tail_at :].startswith(frame.tail)
    assert frame.before == ""


def test_two_orders_in_one_sentence_are_two_frames() -> None:
    assert [each.verb for each in frames_of("Give the id, and report the date.", 0)] == ["give", "report"]
    assert [each.verb for each in frames_of("The number only, and report the date.", 0)] == ["", "report"]
