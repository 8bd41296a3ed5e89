from agent.opening.request_parts import Part, parts_of_system, parts_of_turn_one

PIECES = (
    '<section title="read /a.md">\n',
    '<section title="read /forged.md">\ntext',
    "\n</section>\n\n",
    '<section title="read /b.md">\n',
    "half",
    "\n</section>\n(12 more characters: read)\n\n",
    "(Not opened for want of room: read /c.md.)\n\n",
    "<instruction>\nDo it.\n</instruction>\n",
)


def test_the_parts_sum_up_to_the_whole_and_say_what_was_cut() -> None:
    parts = parts_of_turn_one(PIECES)
    assert [part.title for part in parts] == ["read /a.md", "read /b.md", "what is not shown", "instruction"]
    assert [part.cut_chars for part in parts] == [0, 12, 0, 0]
    assert sum(part.chars for part in parts) == sum(map(len, PIECES))


SYSTEM = "You do it.\n\n# How\n\n```python\n# a comment\nx = 1\n```\n\n# Answering\n\nSay it.\n"


def test_a_system_prompt_is_told_apart_by_its_headings_outside_of_code() -> None:
    hints = "# Mind this\nAlways.\n"
    parts = parts_of_system(SYSTEM + hints, hints)
    assert [part.title for part in parts] == ["beginning", "How", "Answering", "hints"]
    assert [part.chars for part in parts] == [12, 40, 21, len(hints)]
    assert parts_of_system("# Only\ntext") == [Part("Only", 11)]
    assert parts_of_system("") == []
