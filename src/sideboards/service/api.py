"""The REST side of the service, put together."""

import re
from typing import Any

from litestar import Litestar, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import Receive, Scope, Send

from sideboards.core.refusal import Refusal
from sideboards.service import (
    api_games,
    api_guests,
    api_hearing,
    api_house,
    api_marks,
    api_material,
    api_tables,
    install,
    logs,
    pages,
    web,
)
from sideboards.service.backstage import Backstage
from sideboards.service.calls import (
    Call,
    Reception,
    answer_refused,
    language_of,
    learn_language,
    reception_of,
    refused,
)
from sideboards.service.description import openapi_config
from sideboards.service.doorway import Doorway
from sideboards.service.easel import Easel
from sideboards.service.errands import Errands
from sideboards.service.limits import CALLS_PER_GUEST, GUESTS_PER_ADDRESS, Limit, Rate, Tries
from sideboards.service.log import CannotSave, InDoubt, Taken
from sideboards.service.protocol import MAX_MESSAGE
from sideboards.service.refusals import ServiceRefusal

ROUTES = (
    api_guests.ROUTES,
    api_tables.ROUTES,
    api_hearing.ROUTES,
    api_games.ROUTES,
    api_marks.ROUTES,
    api_material.ROUTES,
    api_house.ROUTES,
    *api_house.FOR_TESTS,
    pages.ROUTES,
    web.ROUTES,
    install.ROUTES,
)
MISSING = re.compile(r"^Missing required \w+ parameter '([a-z_]+)'")
"""How the framework says that something is not there; else it tells keys."""
_STATUSES = {401: "who_are_you", 404: "not_found", 405: "wrong_method", 413: "too_large"}


class App(Litestar):
    """The routes behind their doorway."""

    doorway: Doorway

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
        """Handle a request, or the start and end of the server."""
        if scope["type"] == "http":
            await self.doorway(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def routed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request that came through the doorway."""
        await super().__call__(scope, receive, send)


def create_app(backstage: Backstage) -> Litestar:
    """The application that serves everything except the sockets."""
    app = routes(test_mode=backstage.test_mode)
    app.state.reception = _reception(backstage)
    app.doorway = Doorway(app.routed, backstage)
    for route in app.routes:
        methods = app.doorway.methods.get(route.path_format)
        found = {*route.methods, *(methods.split(", ") if methods else ())}
        app.doorway.methods[route.path_format] = ", ".join(sorted(found))
    backstage.metrics.watch(lambda: len(backstage.desk.connections), lambda: len(backstage.tables))
    return app


def routes(*, test_mode: bool = False) -> App:
    """All routes, with nothing behind them yet."""
    return App(
        route_handlers=[each for each in ROUTES if test_mode or each not in api_house.FOR_TESTS],
        exception_handlers={
            Refusal: _refuse,
            CannotSave: _cannot_save,
            InDoubt: _cannot_save,
            Taken: _taken,
            HTTPException: _refuse_http,
            Exception: _fail,
        },
        after_exception=[_before_refusal],
        openapi_config=openapi_config(),
        logging_config=None,
        request_max_body_size=MAX_MESSAGE,
    )


def _reception(backstage: Backstage) -> Reception:
    return Reception(
        backstage=backstage,
        per_guest=Limit(CALLS_PER_GUEST),
        newcomers=Limit(Rate(backstage.guests_per_hour, GUESTS_PER_ADDRESS.seconds)),
        codes=Tries(),
        errands=Errands(),
        easel=Easel(),
    )


# ---- whatever goes wrong is answered with a code and a sentence ----------------------------------


async def _before_refusal(_: Exception, scope: Scope) -> None:
    reception: Reception = scope["litestar_app"].state.reception
    await learn_language(scope, reception.backstage.identity)  # type: ignore[arg-type] # a dict


def _refuse(call: Call, refusal: Refusal) -> Response[bytes]:
    return answer_refused(call, refused(refusal, language_of(call)))


def _cannot_save(call: Call, error: Exception) -> Response[bytes]:
    reception_of(call).backstage.house.unsaved(error)
    return _refuse(call, ServiceRefusal("cannot_save"))


def _taken(call: Call, _: Exception) -> Response[bytes]:
    return _refuse(call, ServiceRefusal("busy"))


def _refuse_http(call: Call, error: HTTPException) -> Response[bytes]:
    if isinstance(error, ValidationException):
        found = error.extra if isinstance(error.extra, list) else []
        keys = [str(each.get("key", "")) for each in found if isinstance(each, dict)]
        keys += MISSING.findall(error.detail)
        where = next((key for key in keys if re.fullmatch(r"[a-z_]{1,30}", key)), "")
        code = "not_json" if where in ("", "data") else "bad_value"
        return _refuse(call, ServiceRefusal(code, where=where))
    if error.status_code >= 500:
        return _fail(call, error)
    if error.status_code == 404 and (page := web.missing_page(call)):
        return page
    refusal = ServiceRefusal(_STATUSES.get(error.status_code, "bad_message"))
    allow = (error.headers or {}).get("allow")
    return answer_refused(
        call, refused(refusal, language_of(call)), {"allow": allow} if allow else None
    )


def _fail(call: Call, error: Exception) -> Response[bytes]:
    logs.failure_log(error)
    return _refuse(call, ServiceRefusal("internal"))
