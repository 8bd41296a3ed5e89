"""XML in scripts: `xml.etree` expands the entities of a text, within a bound.

An entity is a named text: after `<!ENTITY l0 "lol">`, each `&l0;` is replaced by "lol". Entities
that refer to other entities, ten times each, make a short text expand to gigabytes (the
"billion laughs" attack).
"""

PARSE_NESTED_ENTITIES = """
from xml.etree import ElementTree

def parsed(levels):
    # Each level refers ten times to the one below it.
    entities = '<!ENTITY l0 "lol">'
    for level in range(1, levels):
        references = f"&l{level - 1};" * 10
        entities += f'<!ENTITY l{level} "{references}">'
    return ElementTree.fromstring(f"<!DOCTYPE a [{entities}]><a>&l{levels - 1};</a>").text
"""


def test_harmless_entities_of_an_xml_text_are_expanded(sandbox):
    """One level refers ten times to the entity `l0`, which is "lol"."""
    result = sandbox.run(f"{PARSE_NESTED_ENTITIES}\nprint(parsed(2))")

    assert result.output == "lol" * 10 + "\n"


def test_entities_that_multiply_end_the_parsing_of_an_xml_text(sandbox):
    """Nine such levels would make a text of three gigabytes."""
    result = sandbox.run(f"{PARSE_NESTED_ENTITIES}\nprint(len(parsed(10)))")

    assert result.output == ""
    assert "amplification" in result.error
