import pytest

from toolkit.matching import Constraint, Description, split_constraints, split_description

NOTHING = Description("", "", "", ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("voltage 24 V", [Constraint("voltage 24 V", "voltage", "24 V")]),
        ("with blade type coarse", [Constraint("blade type coarse", "blade type", "coarse")]),
        (
            "no case and without the charger",
            [Constraint("case", is_negated=True), Constraint("charger", is_negated=True)],
        ),
        ("brushless; not the red", [Constraint("brushless"), Constraint("red", is_negated=True)]),
        ("", []),
    ],
)
def test_a_list_of_constraints_is_taken_apart(text, found):
    assert split_constraints(text) == found


def test_the_catalogues_own_phrase_gives_line_and_constraints():
    found = split_description("the Lamp from Lumo in the Lumo Deck 3 line that has colour red", NOTHING)
    assert (found.brand, found.kind, found.family) == ("Lumo", "Lamp", "Lumo Deck 3")
    assert found.constraints == (Constraint("colour red", "colour", "red"),)


def test_free_words_leave_the_parse_as_it_is():
    parsed = Description("Lumo", "Lamp", "Deck", (Constraint("red"),))
    assert split_description("something red by Lumo", parsed) == parsed
