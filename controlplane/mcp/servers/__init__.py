"""The MCP servers that the user named, whose tools scripts call."""
