"""Finds out from a refused request which part of it an endpoint does not support.

Compatible endpoints support different parts of OpenAI's protocol. If an error
names a part of the request, such as `'response_format' is not supported`,
`lesson_of` returns a lesson: the capabilities of the endpoint without that part, and a
notice for the user. The request can then be sent again without it.
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.error_meaning import meaning_of
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.meaning import UNKNOWN, UNKNOWN_MODEL
from controlplane.agent.endpoint.errors.refused_parameters import refused_parameters
from controlplane.agent.endpoint.lessons.feature_lesson import lesson_about_feature
from controlplane.agent.endpoint.lessons.length_lesson import lesson_about_length
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.parameter_lesson import lesson_about_parameter
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.requests.written_request import WrittenRequest


def lesson_of(refusal: ErrorReply, request: WrittenRequest) -> Lesson | None:
    """Return what the refusal of a request shows.

    None if it names no part of the request that can be left out.
    """
    if not may_refuse_parameter(refusal):
        return None
    for parameter in refused_parameters(refusal):
        name = RefusedName.of(parameter)
        # The limit of the reply's length has several names, one of which may be accepted. A
        # feature, such as tools, has several parameters. Any other is just left out.
        lesson = (
            lesson_about_length(refusal, name, request)
            or lesson_about_feature(name, request)
            or lesson_about_parameter(name, request)
        )
        if lesson is not None:
            return lesson
    return None


def may_refuse_parameter(refusal: ErrorReply) -> bool:
    """Return True if an error may be about a parameter of the request.

    | error | may refuse one |
    |---|---|
    | of an unknown kind: `'seed' is not supported` | True |
    | an unknown model | True: gateways say so if no provider takes the parameters |
    | status 500 | True: some servers fail at a parameter that they don't know |
    | any other, such as a too long conversation | False: it may list parameters |
    """
    if refusal.status == 500:
        return True
    return meaning_of(refusal).name in (UNKNOWN, UNKNOWN_MODEL)
