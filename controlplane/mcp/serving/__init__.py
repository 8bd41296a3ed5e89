"""The MCP server through which another program works on a trial."""
