"""The exchange of client and server: runtimes, value shapes and protobuf messages."""
