def test_entities_that_multiply_end_the_parse_of_an_xml_text_and_others_are_expanded(
    box,
):
    script = """
from xml.etree import ElementTree
def parsed(levels):
    names = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels))
    return ElementTree.fromstring(f'<!DOCTYPE a [<!ENTITY l0 "lol">{names}]><a>&l{levels - 1};</a>').text
print(len(parsed(2)))
print(len(parsed(10)))
"""
    result = box.run(script)

    assert result.output == "30\n"
    assert "amplification" in result.error
