"""The server of `controlplane mcp`, whose clients ask questions about files."""
