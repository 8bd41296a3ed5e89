"""What a request asks for, and in which form it wants the answer: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "city_request",
     "input": {"text": 'Across every Vienna branch, how many units of product (the drywall Screw) are '
                       'available? Answer exactly as "count: %d".'},
     "expect": {"found": True, "city": "Vienna", "format": "count: %d", "product": "the drywall Screw"}}
"""

from controlplane.benchmarks.shop.answering import answer_form
from controlplane.benchmarks.shop.dispatch import wave_path
from controlplane.benchmarks.shop.preflight import city_stock
from controlplane.benchmarks.shop.texts import (
    filled_template,
)
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("city_request")
def read_city_request(text: str) -> Output:
    """Split a question about stock in a city into its parts.

    "Across every Vienna branch, how many units of ... are available? Answer as "count: %d"."
    """
    request = city_stock(text)
    if request is None:
        return {"found": False}
    return {
        "found": True,
        "city": request.city,
        "format": request.template,
        "product": request.product,
    }


@answers_part("wave_path")
def find_wave_path(text: str) -> Output:
    """Find the path of a dispatch wave (packages that leave together) in a request, or ""."""
    return {"path": wave_path(text)}


@answers_part("filled_template")
def fill_template(template: str, number: int) -> Output:
    """Put a number into a requested form: `count: %d` and 4 make `count: 4`."""
    return {"text": filled_template(template, number)}


@answers_part("format_contract")
def put_into_form(outcome: str, message: str, text: str, rules: str) -> Output:
    """Put an answer into the form that the request (`text`) asks for, such as `<NO>`.

    Other messages, such as refusals, stay as they are.
    """
    form = None
    if outcome == "OK":
        form = answer_form(message, text, rules)
    return {"message": message if form is None else form}
