"""The messages of the wire: `.proto` files, written from the platform's public description, and what protoc makes.

After a change of a `.proto` file, run in the repository's root:
`python -m grpc_tools.protoc -I. --python_out=. --pyi_out=. benchmarks/bitgn/wire/proto/*.proto`.
"""
