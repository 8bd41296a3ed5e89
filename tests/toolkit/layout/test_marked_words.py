from toolkit.layout import marked_behind, marked_paths, marked_words, most_marked

TEXT = "Use `/bin/checkout <id>` (see `/docs/stock.md`) if `stage` is\n`current`, and only `current`.\n"


def test_what_is_marked_is_returned_in_order():
    assert marked_words(TEXT) == ["/bin/checkout <id>", "/docs/stock.md", "stage", "current", "current"]
    assert marked_paths(TEXT) == ["/bin/checkout", "/docs/stock.md"]


def test_the_word_marked_most_often_is_the_one_meant():
    assert most_marked(TEXT, {"current", "stage"}) == "current"
    assert most_marked(TEXT, {"none"}) == ""


def test_a_state_stands_behind_its_field():
    assert marked_behind(TEXT, "stage") == "current"
    assert marked_behind("`stage`. And `current`", "stage") == ""
