"""What a server refused, and why."""

from sideboards.core.refusal import Refusal

NOT_NOW = ("busy", "cannot_save", "stopping", "too_slow")
"""Refusals that pass by themselves: the same may be asked again."""


class ServerRefusal(Refusal):
    """Something that the server did not do: a code for programs, a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    @property
    def passes(self) -> bool:
        """Whether it is worth asking the same again in a moment."""
        return self.code in NOT_NOW


class Unreachable(Refusal):
    """There is no server, or it does not answer."""

    passes = True
