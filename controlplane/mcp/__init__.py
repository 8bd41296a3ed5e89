"""Model Context Protocol: tools of other servers for scripts, and our sandbox for other agents."""
