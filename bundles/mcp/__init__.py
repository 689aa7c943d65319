"""MCP as the harness speaks and reads it: wire messages and their validation, pure."""
