"""`python -m sideboards` is the `sideboards` command."""

from sideboards.cli import main

if __name__ == "__main__":
    main()
