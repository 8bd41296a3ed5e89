"""The messages of `harness.proto`."""

from benchmarks.bitgn.wire.proto import build_messages

build_messages("harness", globals())
