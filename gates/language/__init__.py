"""Reads instructions and answers: the answer contract, requests for changes, yes/no words."""

from gates.language.text_normalization import normalize_text as normalize_text
