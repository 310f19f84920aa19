"""Refusals of the service: a code for programs, a sentence in five languages for people."""

from sideboards.core.refusal import Refusal
from sideboards.words import words

CODES: dict[str, int] = {
    # what was sent
    "bad_message": 400,
    "not_json": 400,
    "bad_content_type": 415,
    "bad_value": 400,
    "bad_name": 400,
    "bad_settings": 400,
    "bad_seed": 400,
    "unknown_bot": 400,
    "unknown_phrase": 400,
    "not_an_action": 400,
    "wrong_protocol": 400,
    "hello_first": 400,
    "too_large": 413,
    # who sent it
    "who_are_you": 401,
    "foreign_origin": 403,
    "not_your_seat": 403,
    "not_host": 403,
    "no_spectators": 403,
    "sent_away": 403,
    "no_assist": 403,
    "no_phrases": 403,
    "wrong_code": 404,
    "wrong_transfer": 404,
    "unknown_table": 404,
    "not_found": 404,
    "wrong_method": 405,
    # what the table says
    "table_full": 409,
    "seat_taken": 409,
    "already_seated": 409,
    "not_waiting": 409,
    "not_started": 409,
    "not_playing": 409,
    "not_over": 409,
    "never_dealt": 409,
    "round_over": 409,
    "key_reused": 409,
    "busy": 409,
    "bot_not_here": 409,
    "seats_empty": 409,
    "not_away": 409,
    "not_a_person": 409,
    "bot_plays": 409,
    "no_practice_proof": 409,
    "no_practice_rematch": 409,
    "not_solo": 409,
    "not_offered": 409,
    "newer_tab": 409,
    "too_silent": 409,
    "abandoned": 409,
    "nobody_left": 409,
    # too much
    "too_many_messages": 429,
    "too_many_requests": 429,
    "too_many_tables": 429,
    "too_many_sockets": 429,
    # what the server says
    "internal": 500,
    "cannot_save": 503,
    "server_full": 503,
    "too_slow": 503,
    "stopping": 503,
}
"""Every code of the service with the HTTP status that it gets over REST."""
RULES = 409
"""The status of a move that the rules forbid."""


class ServiceRefusal(Refusal):
    """Something that the service does not do; its text is English, `sentence` speaks them all."""

    def __init__(self, code: str, **places: str) -> None:
        self.code = code
        self.places = places
        super().__init__(self.sentence("en"))

    def __reduce__(self) -> tuple[object, ...]:
        """So that a refusal may come back from another process."""
        return _again, (self.code, self.places)

    def sentence(self, language: str) -> str:
        """What was wrong and what to do next, in a language."""
        return words(language)(f"refusal.{self.code}", **self.places)


def _again(code: str, places: dict[str, str]) -> ServiceRefusal:
    return ServiceRefusal(code, **places)


def status(code: str) -> int:
    """The HTTP status of a refusal, of the service or of the rules."""
    return CODES.get(code, RULES)
