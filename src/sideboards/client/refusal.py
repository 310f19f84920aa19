"""What a server refused, and why."""

from sideboards.core.refusal import Refusal


class ServerRefusal(Refusal):
    """Something that the server did not do: a code for programs, a sentence for people."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Unreachable(Refusal):
    """There is no server, or it does not answer."""
