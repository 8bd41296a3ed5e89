"""Random bodies of requests to the server of a benchmark: right ones, damaged ones, and junk.

The server offers services with methods, which the protocol describes by protobuf. A body has the
fields of a method, as protobuf or JSON: `{"runId": "run-1", "path": "/books/emma.json#"}`.
"""

import gzip
import json
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from tests.fuzz.inputs import generators
from tests.fuzz.inputs.altered_json import altered
from tests.fuzz.inputs.damaged_json import damaged_message
from tests.fuzz.inputs.random_data import random_data
from tests.fuzz.inputs.random_paths import random_path


class RandomBodies:
    """Makes bodies that may name a run or trial of the server by its id."""

    def __init__(self, rng: Random, known_ids: Sequence[str]) -> None:
        self.rng = rng
        self.known_ids = known_ids
        """The ids of a run and of its trials."""

    def next(self, method: MethodDescriptor) -> bytes:
        """Return the body of a request, in a fifth of cases compressed, and in a fifth cut off."""
        body = self._whole_body(method)
        kind = generators.chosen_kind(
            self.rng, {"whole": 60, "compressed": 20, "cut": 20}
        )
        if kind == "compressed":
            return gzip.compress(body)
        if kind == "cut":
            return body[: self.rng.randrange(len(body) + 1)]
        return body

    def _whole_body(self, method: MethodDescriptor) -> bytes:
        """Return random values for the fields of a method: as protobuf, JSON, or something like it."""
        fields: dict[str, Any] = {}
        for field in method.input_type.fields:
            fields[field.json_name] = self._value(field.json_name)

        kind = generators.chosen_kind(
            self.rng, {"protobuf": 30, "like a message": 10, "altered JSON": 60}
        )
        if kind == "protobuf":
            return self._protobuf(method)
        if kind == "like a message":
            return damaged_message(self.rng, [fields])
        return json.dumps(altered(self.rng, fields)).encode()

    def _protobuf(self, method: MethodDescriptor) -> bytes:
        """Return random values for the fields of a method as protobuf."""
        message = GetMessageClass(method.input_type)()
        for field in method.input_type.fields:
            # Values of a wrong type are left out.
            with suppress(TypeError, ValueError, AttributeError, OverflowError):
                setattr(message, field.name, self._value(field.json_name))
        return message.SerializeToString()

    def _value(self, field_name: str) -> Any:
        """Return a value for a field: a known one for an id, and anything for other fields."""
        if field_name in ("runId", "trialId"):
            return self.rng.choice(self.known_ids)
        if field_name == "benchmarkId":
            return "shelf"
        path = random_path(self.rng, ["/AGENTS.MD", "/books/emma.json"])
        return self.rng.choice([path, random_data(self.rng)])
