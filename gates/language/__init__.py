"""Reads instructions and answers: the answer contract, requests for changes, yes/no words."""

from gates.language.answer_contract import Contract as Contract
from gates.language.answer_contract import derive_contract as derive_contract
from gates.language.change_phrases import asks_for_value as asks_for_value
from gates.language.change_phrases import requested_change as requested_change
from gates.language.placeholders import wanted_kinds as wanted_kinds
from gates.language.text_normalization import normalize_text as normalize_text
