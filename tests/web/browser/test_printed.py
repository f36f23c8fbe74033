"""A page as it is printed, in a real browser: the frames are where the words are in the picture."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.web.browser.window import WIDTHS, Width, looking_at
from tests.web.browser.world import World

MARKED = "/pages/1/MANUAL?version=1&start=13&end=36"  # "thirty days." and "A fault is"

INK = """async ({address, boxes}) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext("2d", {willReadFrequently: true});
    canvas.drawImage(image, 0, 0);
    const ink = (x, y, width, height) => canvas.getImageData(x, y, width, height).data.filter((value, at) => at % 4 === 0 && value < 128).length;
    return [ink(0, 0, image.naturalWidth, image.naturalHeight), ...boxes.map(box => ink(...box))];
}"""
"""How many pixels of the picture, and of each box of it, are dark."""


@pytest.mark.parametrize("width", WIDTHS)
def test_picture_and_frames_lie_upon_each_other(chromium: Browser, world: World, width: Width) -> None:
    with looking_at(chromium, world.running, width=width) as window:
        window.see(MARKED)
        window.page.wait_for_load_state("networkidle")
        sheet = window.page.locator("svg image").bounding_box()
        frames = [each.bounding_box() for each in window.page.locator("svg rect").all()]
        assert sheet is not None
        assert len(frames) == 2
        scale, left, top = 1000 / sheet["width"], sheet["x"], sheet["y"]
        places = [(box["x"] - left, box["y"] - top, box["width"], box["height"]) for box in frames if box is not None]
        boxes = [[round(scale * each) for each in place] for place in places]
        address = window.page.locator("svg image").get_attribute("href")
        everything, *framed = window.page.evaluate(INK, {"address": address, "boxes": boxes})
        letters = [len("thirtydays."), len("Afaultis")]
        assert all(ink > 20 * count for ink, count in zip(framed, letters, strict=True)), framed
        assert sum(framed) < everything / 2, "21 of 40 letters, and few of the wide ones"
        assert [mark.inner_text() for mark in window.page.locator("mark").all()] == ["thirty days.\nA fault is"]


def test_a_page_can_be_read_without_scripts(chromium: Browser, world: World) -> None:
    with looking_at(chromium, world.running, scripts=False) as window:
        window.see(MARKED)
        assert window.page.get_by_role("img").count() == 1
        assert window.page.locator("svg rect").count() == 2
