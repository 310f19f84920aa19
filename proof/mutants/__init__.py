"""Planted bugs: the service with one of them, so that a test shows that it would catch it.

They live outside of the product. `python -m proof.mutants NAME serve …` is the `sideboards`
command with the bug NAME in it.
"""

from proof.mutants import deals, durability, hostile, load, network, screen, secrecy

MUTANTS = {
    **durability.MUTANTS,
    **network.MUTANTS,
    **secrecy.MUTANTS,
    **screen.MUTANTS,
    **hostile.MUTANTS,
    **deals.MUTANTS,
    **load.MUTANTS,
}
"""What plants each bug, by its name."""
