"""Whether the service lives, whether it is ready, and its metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.telemetry import metrics_response

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> Response:
    """The process answers."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Store and index can be used, and the service is not about to end; 503 otherwise, with what is not ready."""
    service = service_of(request)
    async with service.watched:
        lacking = await service.run(service.lacking)
    return JSONResponse(
        {"status": "waiting" if lacking else "ready", "lacking": lacking}, status_code=503 if lacking else 200
    )


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Counts and durations, for Prometheus."""
    service = service_of(request)
    async with service.watched:
        return await metrics_response(request, service.telemetry)
