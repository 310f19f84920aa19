"""Whoever decides: gets a View, returns a Move."""
