"""Pages drawn in a process of its own: a file that breaks the library that draws it costs one page."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass

from toulmin.adapters.sandbox.frames import ProcessLimits
from toulmin.adapters.sandbox.process import Broken, End, Sandbox
from toulmin.domain.corpus.printed import PrintedPage
from toulmin.domain.errors import InputError
from toulmin.ports.pages import DrawingLimits, PageImages, not_drawn

_IMAGE = "image"
_PRINTED = "printed"


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What a worker replies: an image in Base64, or the places of characters."""

    image: str = ""
    printed: PrintedPage | None = None


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The task of a worker; a request is what is asked of which page."""

    pages: PageImages

    @property
    def answers(self) -> type[_Drawn]:
        return _Drawn

    def run(self, request: str, data: bytes) -> _Drawn:
        what, _, index = request.partition(" ")
        if what == _IMAGE:
            return _Drawn(image=b64encode(self.pages.image(data, int(index))).decode())
        return _Drawn(printed=self.pages.printed(data, int(index)))


class SandboxedPages:
    """Any `PageImages`, run in worker processes that are limited in time and memory, and in the size of what they draw; see `Sandbox`.

    A crash, hang or over-use is a page that is not drawn. What is inside must be picklable.
    """

    def __init__(self, pages: PageImages, limits: DrawingLimits, *, workers: int = 1) -> None:
        self._pages = pages
        self._limits = limits
        within = ProcessLimits(
            timeout_s=limits.timeout_s, memory_mb=limits.memory_mb, reply_bytes=2 * limits.max_image_bytes
        )
        self._sandbox = Sandbox(_Drawing(pages), within, workers=workers)

    @property
    def suffixes(self) -> frozenset[str]:
        return self._pages.suffixes

    @property
    def media_types(self) -> frozenset[str]:
        return self._pages.media_types

    def image(self, data: bytes, index: int) -> bytes:
        return b64decode(self._drawn(_IMAGE, data, index).image)

    def printed(self, data: bytes, index: int) -> PrintedPage:
        printed = self._drawn(_PRINTED, data, index).printed
        if printed is None:
            raise not_drawn("its process answered something else")
        return printed

    def close(self) -> None:
        self._sandbox.close()

    def _drawn(self, what: str, data: bytes, index: int) -> _Drawn:
        try:
            return self._sandbox.ask(f"{what} {index}", data)
        except Broken as broken:
            raise _fault(broken, self._limits) from None


def _fault(broken: Broken, limits: DrawingLimits) -> InputError:
    match broken.end:
        case End.TIMEOUT:
            return not_drawn(f"it takes longer than {limits.timeout_s:g} seconds")
        case End.MEMORY:
            return not_drawn(f"it takes more than {limits.memory_mb} MiB of memory")
        case End.REPLY_TOO_LARGE:
            return not_drawn(f"its picture, or what stands on it, has more than {limits.max_image_bytes} bytes")
        case End.CRASH:
            return not_drawn(f"the process that draws it broke down ({broken.detail})")
