from toolkit.layout import marked_behind, marked_words, most_marked, named_paths

TEXT = "Use `/bin/checkout <id>` (see `/docs/stock.md`) if `stage` is\n`current`, and only `current`.\n"


def test_what_is_marked_is_returned_in_order():
    assert marked_words(TEXT) == ["/bin/checkout <id>", "/docs/stock.md", "stage", "current", "current"]
    assert named_paths(TEXT) == ["/bin/checkout", "/docs/stock.md"]


def test_paths_are_found_without_marks_too():
    assert named_paths("See /docs/a.md, (/docs/b.md) or /proc/x. Say yes/no, 1/2 or TRUE(1)/FALSE(0).") == [
        "/docs/a.md",
        "/docs/b.md",
        "/proc/x",
    ]


def test_the_word_marked_most_often_is_the_one_meant():
    assert most_marked(TEXT, {"current", "stage"}) == "current"
    assert most_marked(TEXT, {"none"}) == ""


def test_a_state_stands_behind_its_field():
    assert marked_behind(TEXT, "stage") == "current"
    assert marked_behind("`stage`. And `current`", "stage") == ""
