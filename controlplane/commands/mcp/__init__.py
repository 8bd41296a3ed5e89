"""`controlplane mcp` and its subcommands: serve folders to clients, call a tool, configure a client."""
