"""Builds requests, in chat completions and in OpenAI's Responses API."""
