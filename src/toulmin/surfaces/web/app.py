"""The pages of the service, for people: beside the interface for programs, over the same use cases and rights."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI

from toulmin.surfaces.web import ask, assets, packets, search, signing_in, sources

PARTS: Final = (ask, search, packets, sources, signing_in, assets)
"""The modules of pages, each with its router."""


def add_pages(app: FastAPI) -> None:
    """Adds all pages, and the files that they are shown with, to the application of a service."""
    for part in PARTS:
        app.include_router(part.router)
