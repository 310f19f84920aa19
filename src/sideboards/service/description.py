"""The description of the interface: OpenAPI, made of the types that decode and encode."""

import typing
from importlib.metadata import version
from typing import Any

import msgspec
from litestar import Litestar, Response, Router
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.routes import HTTPRoute

from sideboards.service.api_games import Progress
from sideboards.service.calls import COOKIE
from sideboards.service.protocol import Pending, Refused

REF = "#/components/schemas/{name}"
TELLING = """Play the card game Sideboards (unofficial): guests, tables, moves and games.

Bodies and answers are JSON. A refusal has a code for programs and a sentence for people, in the
language of `Accept-Language` (de, en, fr, it, pt) or else the guest's; in English if the server
is too busy to look who asks. Who asks is known by the cookie of a browser or by a device token.
Every request is answered within a second."""


class _Nowhere(Router):
    """Takes none of the pages that the framework would show about the interface."""

    def register(self, value: object) -> list[Any]:  # noqa: ARG002
        """Take nothing."""
        return []


def openapi_config() -> OpenAPIConfig:
    """What the framework is to know for its part of the description."""
    return OpenAPIConfig(
        title="Sideboards",
        version=version("sideboards"),
        description=TELLING,
        openapi_router=_Nowhere("/openapi", route_handlers=[]),
        use_handler_docstrings=True,
        components=Components(
            security_schemes={
                "cookie": SecurityScheme(type="apiKey", name=COOKIE, security_scheme_in="cookie"),
                "token": SecurityScheme(type="http", scheme="bearer"),
            }
        ),
    )


def describe(app: Litestar) -> dict[str, Any]:
    """The description as plain data.

    The framework knows the routes; msgspec knows exactly what it decodes, so the schemas are its.
    """
    document = app.openapi_schema.to_schema()
    document["components"]["schemas"] = _schemas(app)
    for operations in document["paths"].values():
        for operation in operations.values():
            _polish(operation)
    return document


def _schemas(app: Litestar) -> dict[str, Any]:
    kinds: list[Any] = [Refused, Pending, Progress]
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                kinds += _kinds(handler)
    _, schemas = msgspec.json.schema_components(kinds, ref_template=REF)
    return dict(sorted(schemas.items()))


def _kinds(handler: HTTPRouteHandler) -> list[Any]:
    """What a route takes and gives."""
    if not handler.resolve_include_in_schema():
        return []
    hints = typing.get_type_hints(handler.fn)
    found = [hints[name] for name in ("data", "return") if name in hints]
    return [
        typing.get_args(each)[0] if typing.get_origin(each) is Response else each for each in found
    ]


def _polish(operation: dict[str, Any]) -> None:
    """Set what the docstring of a route says: its first line, then the rest."""
    operation["operationId"] = operation["summary"]
    first, _, rest = operation["description"].partition("\n\n")
    operation["summary"], operation["description"] = first, rest
    if "401" in operation["responses"]:
        operation["security"] = [{"cookie": []}, {"token": []}]
    operation["responses"] = dict(sorted(operation["responses"].items()))
