"""A search shows all matches, or its result is marked as truncated.

A model that gets a search result without the mark may conclude that there is no other match. So a
match may be missing only from a result with the mark.
"""

import random

from controlplane.sandbox.files.file_tree import FileTree


def test_all_matches_are_shown_or_the_result_is_marked_as_truncated(
    heavy: bool,
) -> None:
    """Texts of random words, such as "w7 w31 w7 ", are searched for one of the words.

    A line of more than 250 kB is searched in parts, and the result is then marked as truncated.
    """
    random.seed(5)
    text_count = 60 if heavy else 20
    vocabulary = [f"w{number}" for number in range(50)]
    truncated_results = 0
    for _ in range(text_count):
        # 120,000 words are about 460 kB.
        words = random.choices(vocabulary, k=random.randrange(1, 120_000))
        # All words in one line, a word a line, or lines of a few words.
        separators = random.choice([[" "], ["\n"], [" ", "\n"]])
        ends = random.choices(separators, k=len(words))
        text = "".join(word + end for word, end in zip(words, ends, strict=True))
        wanted_word = random.choice(vocabulary)

        result = FileTree({"/a.txt": text}).search(rf"\b{wanted_word}\b", limit=0)

        shown_words = []
        for match in result["matches"]:
            shown_words += str(match["text"]).split()
        # A match in a long line is shown with the text around it, so that a word between two
        # matches is shown twice.
        shows_all = shown_words.count(wanted_word) >= words.count(wanted_word)
        assert result["truncated"] or shows_all
        if result["truncated"]:
            truncated_results += 1

    assert 0 < truncated_results < text_count
