"""The same game as tables and compiled array kernels. Defines no rule: tested equal to `core`."""
