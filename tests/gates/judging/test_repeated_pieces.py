"""The gates judge texts of one repeated piece in linear time.

A hostile request, rule page or script may consist of `yes or no yes or no …`. The rules look for
such phrases by patterns, and a slow pattern could take hours for one text.
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case
from controlplane.gates.worker_judging import load_rule_set
from tests.gates.judged_scratchpads import submission_of, valid_scratchpad
from tests.support.executed_work import assert_linear

pytestmark = pytest.mark.second_tier


class TestRepeatedPieces:
    """Texts of one repeated piece are judged in linear time.

    A pattern that looks for the rest of a phrase behind each piece would do quadratic work. So
    twice the text may take only twice the work.
    """

    @pytest.mark.parametrize(
        "piece",
        [
            # The beginnings of phrases that rules look for in instructions and answers
            "answer only ",
            "answer only JSON ",
            "cite ",
            "please ",
            "and then create ",
            "in a, ",
            "do ",
            "yes or no ",
            "is it, ",
            "one per line ",
            "read /a/",
            "role ",
            "if not ",
            # Marks of formats, quotations, blocks and ids
            '"%d" ',
            "`a | b` ",
            "[[",
            "BEGIN ",
            "--- ",
            "a-",
            "x",
            "\n",
            " ",
        ],
    )
    def test_judging_a_piece_that_is_repeated_many_times_is_linear_work(
        self, piece: str
    ) -> None:
        """Instruction, rules and answer consist of the same piece, 200 and 400 times over."""
        token = piece.strip() or "x"  # A token may not be blank.
        rule_set = load_rule_set("ecom")

        def judge_repeated(piece_count: int) -> None:
            text = piece * piece_count
            scratchpad = valid_scratchpad(answer=text, tokens=[token])
            case = Case(instruction=text, rules=text)
            no_calls = Evidence(has_trace=True)
            judge(submission_of(scratchpad), no_calls, case, rule_sets=(rule_set,))

        assert_linear(judge_repeated, 200)
