"""The messages of `pcm.proto`."""

from benchmarks.bitgn.wire.proto import build_messages

build_messages("pcm", globals())
