"""Searches texts for a regular expression, in their own spelling and in the normal form of Unicode.

A text is searched as it is written, and if necessary a second time in its normal form:
`café` then also finds an `é` that is written as an `e` followed by an accent.

Small texts are first searched together, to skip those that cannot match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from controlplane.sandbox.files.search.deadline import Deadline
from controlplane.sandbox.files.search.line_matcher import FoundLine, LineMatcher
from controlplane.sandbox.files.search.normal_forms import (
    decoded,
    normal_pattern,
    normal_text,
)
from controlplane.sandbox.files.search.text_batches import (
    SearchedText,
    batches_of,
    texts_with_matches,
)


class LineSearch:
    """Finds the lines that match a pattern, in any number of texts.

    A text is searched as it is written, and if necessary again in the normal form of Unicode,
    in which an `é` of two characters (`e` and an accent) becomes one. The search stops when
    all texts together have taken `timeout_s` seconds.
    """

    def __init__(self, pattern: str, timeout_s: float) -> None:
        """Raises `CallError` (`invalid_argument`) if the pattern is not correct."""
        self._deadline = Deadline.after(timeout_s)
        self._matcher = LineMatcher(pattern, self._deadline)

        pattern_in_normal_form = normal_pattern(pattern)
        self._pattern_differs = pattern_in_normal_form != pattern
        """True if the pattern is not in normal form, such as `ｃａｆé` in letters of full width."""
        self._normal_matcher = self._matcher
        """For the second search. It is the same matcher if the pattern is in normal form."""
        if self._pattern_differs:
            self._normal_matcher = LineMatcher(pattern_in_normal_form, self._deadline)

    @property
    def is_late(self) -> bool:
        """True if the time is over, so that the remaining texts were not searched."""
        return self._deadline.is_over

    @property
    def may_have_missed_match(self) -> bool:
        """True if a match in a very long line may have been missed.

        Such a line is searched in pieces. A match that is longer than their overlap is not found.
        """
        if self._matcher.may_have_missed_match:
            return True
        return self._normal_matcher.may_have_missed_match

    def lines_of(self, text: bytes) -> Iterator[FoundLine]:
        """Yield each matching line of a UTF-8 text, in order."""
        text = _with_line_feeds(text)
        second_text = self._text_for_second_search(text)
        if second_text is None:
            yield from self._matcher.lines_of(text)
        else:
            yield from lines_of_either(
                list(self._matcher.lines_of(text)),
                self._normal_matcher.lines_of(second_text),
                text,
            )

    def _text_for_second_search(self, text: bytes) -> bytes | None:
        """Return the normal form of a text if the pattern's normal form has to be searched in it.

        None if both the text and the pattern are in normal form already: then a second
        search would find the same lines as the first.
        """
        text_in_normal_form = normal_text(text)
        if text_in_normal_form is not None:
            return text_in_normal_form
        if self._pattern_differs:  # The text is in normal form as it is.
            return text
        return None

    def prefiltered(self, texts: Iterable[SearchedText]) -> Iterator[SearchedText]:
        """Yield all texts, in order, with `may_match` false if a text is known to have no match.

        To find out, small texts are searched together, which is much faster than one by one.
        After the time is over, the remaining texts are not yielded.
        """
        pattern = self._matcher.text_pattern
        for batch in batches_of(texts):
            first_search = texts_with_matches(
                pattern, [_with_line_feeds(text.text) for text in batch]
            )
            for text, matches_first in zip(batch, first_search, strict=True):
                may_match = matches_first
                if not may_match:
                    # A second search may still find a line. Whether one is necessary is
                    # only asked now, because the normal form of a text takes long to make.
                    may_match = self._text_for_second_search(text.text) is not None
                yield text._replace(may_match=may_match)
            if self.is_late:
                return


def lines_of_either(
    lines: Sequence[FoundLine], lines_in_normal_form: Iterable[FoundLine], text: bytes
) -> list[FoundLine]:
    """Return the lines that either of two searches found in a text, in order.

    Both forms of the text have the same line feeds, and so the same numbers of lines.
    """
    written_lines = text.split(b"\n")
    numbers_of_first_search = {line.number for line in lines}
    all_lines = [*lines]
    for line in lines_in_normal_form:
        if line.number in numbers_of_first_search:
            continue
        if line.offset is None:  # A whole line is shown as it is written.
            as_written = written_lines[line.number - 1]
            line = FoundLine(line.number, decoded(as_written))
        all_lines.append(line)
    all_lines.sort(key=lambda line: line.number)
    return all_lines


def _with_line_feeds(text: bytes) -> bytes:
    """Return a text with a line feed alone between its lines: `a\\r\\nb` -> `a\\nb`.

    A carriage return at the very end is removed, too.
    """
    return text.replace(b"\r\n", b"\n").removesuffix(b"\r")
