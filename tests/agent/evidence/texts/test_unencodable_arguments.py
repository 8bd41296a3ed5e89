"""Escapes and codes in the arguments of calls that spell texts which cannot be encoded."""

import pytest

from controlplane.agent.evidence.texts.text_forms import forms_of
from controlplane.gates.values.written_values import written_values

LONG_NUMBER = "9" * 5_000  # more digits than Python converts to an integer


@pytest.mark.parametrize(
    "argument",
    [
        "55296 55297 55298",
        "\\ud800 \\udc00",
        "&#55296;&#xdfff;",
        "%ed%a0%80",
        "a\ud800b",
    ],
)
def test_every_form_of_an_argument_can_be_encoded(argument: str) -> None:
    for form in forms_of(argument):
        form.encode()


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG_NUMBER}",
        f"{LONG_NUMBER}.5 kg",
        f"{LONG_NUMBER}/{LONG_NUMBER}",
        f"{LONG_NUMBER}:{LONG_NUMBER}",
        f"2024-{LONG_NUMBER}-01",
        f"12:30:{LONG_NUMBER}",
        f"{LONG_NUMBER} h {LONG_NUMBER} min",
        f"1e{LONG_NUMBER}",
        f"May {LONG_NUMBER}, 2024",
        "\u0663" * 5_000,
        "\u4e00" * 5_000,
    ],
)
def test_numbers_of_any_length_are_read(text: str) -> None:
    written_values(text)
    forms_of(text)
