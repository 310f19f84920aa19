"""The service: live tables over HTTP and WebSocket, kept in a durable log."""
