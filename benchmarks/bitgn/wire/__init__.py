"""What travels between client and server: runtimes, value shapes and protobuf messages."""
