"""The game itself, pure: no input or output, no clock, no chance of its own, no logging."""
