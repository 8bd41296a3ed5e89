"""What records and documents make of a question."""

from benchmarks.shop.computed.questions.requested_answer import expected_of_question as expected_of_question
