"""The one table of what can be asked: the server and the OpenAPI page are made of it."""

from __future__ import annotations

from daily_memory.frontends.http import api, trae
from daily_memory.frontends.http.table import Route

ROUTES: tuple[Route, ...] = (*trae.ROUTES, *api.ROUTES)
