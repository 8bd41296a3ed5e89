"""The messages of `ecom.proto`."""

from benchmarks.bitgn.wire.proto import build_messages

build_messages("ecom", globals())
