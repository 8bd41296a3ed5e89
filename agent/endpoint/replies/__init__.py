"""Reads replies of endpoints, in chat completions and in OpenAI's Responses API."""
