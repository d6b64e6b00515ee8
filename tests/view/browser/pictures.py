#!/usr/bin/env python3
"""Takes the pictures of docs/view.md, one per system, from drawn scenes.

usage: pictures.py FOVEA FOLDER [NAME...]     NAME: only these, such as mesh"""
import io
import pathlib
import re
import sys
import tempfile

import drawings
from PIL import Image
from playwright.sync_api import expect, sync_playwright
from serving import Served
from view_test import CHROMIUM, PROGRAM, set_number, settled, watched

FOLDER = pathlib.Path(sys.argv[2])
SIZE = {"width": 1180, "height": 720}


def click_canvas(page, x, y):
    """Clicks at a share of the width and height of the picture."""
    box = page.locator("#canvas").bounding_box()
    page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])


def people(page):
    """People beside the truth, and why one was found."""
    settled(page)
    click_canvas(page, 0.12, 0.62)
    expect(page.locator("#why")).to_be_visible()


def motion(page):
    page.locator("[data-system=flow]").click()
    expect(page.locator("#summary")).to_contain_text("Pixels moved")
    page.get_by_label("Endpoint error", exact=True).check()
    page.locator("#compare").click()


def colors(page):
    settled(page)
    page.locator("[data-system=emd]").click()
    for name, value in zip(("x", "y", "width", "height"), (380, 160, 20, 30)):
        page.locator(f"#box-{name}").fill(str(value))
        page.locator(f"#box-{name}").press("Tab")
    expect(page.locator("#summary")).to_contain_text("Distances go from")


def places(page):
    settled(page)
    page.locator("[data-system=scenes]").click()
    expect(page.locator("#scores .bar").first).to_be_visible()
    click_canvas(page, 0.5, 0.5)
    expect(page.locator("#why")).to_be_visible()


def mesh(page):
    settled(page)
    box = page.locator("#model .stage").bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    expect(page.locator("#why-title")).to_contain_text("Why face")


def actions(page):
    """The time line of a street, with one of its events and the points of its frame."""
    page.locator("[data-system=actions]").click()
    expect(page.locator("#scores .bar").first).to_be_visible(timeout=120000)
    set_number(page, "reject", "0")  # drawn people walk unlike those of the model
    expect(page.locator("#events button").first).to_be_visible(timeout=120000)
    page.locator("#events button").last.click()
    page.get_by_label("Space-time points").check()


def tracking(page):
    """A person who is followed, and the score of every place around."""
    settled(page)
    page.locator("[data-system=track]").click()
    for name, value in zip(("x", "y", "width", "height"), (58, 178, 34, 80)):
        page.locator(f"#box-{name}").fill(str(value))
        page.locator(f"#box-{name}").press("Tab")
    page.locator("#play").click()
    expect(page.locator("#frame-value")).to_contain_text(re.compile(r"^[1-9]\d"))
    page.locator("#play").click()
    expect(page.locator("#command")).to_contain_text("fovea emd track")
    click_canvas(page, 0.3, 0.6)
    expect(page.locator("#why")).to_be_visible()


def spectra(page):
    """Pixels like a target, and the spectra of one of them and of the target."""
    expect(page.locator("#summary")).to_contain_text("Draw a box")
    click_canvas(page, 0.5, 0.5)
    expect(page.locator("#summary")).to_contain_text("like the target")
    click_canvas(page, 0.3, 0.4)
    expect(page.locator("#why figure img")).to_have_count(2)


def street_and_truth(folder):
    images = drawings.street(PROGRAM, folder / "street", "480x360")
    return ["--truth", folder / "street" / "truth.json", images[0]]


# For each picture: the words of fovea view for files that are drawn into a folder, and what is done on the page.
PICTURES = {
    "people": (street_and_truth, people),
    "motion": (lambda folder: ["--truth", folder / "moving", *drawings.moving(PROGRAM, folder / "moving", "480x360")], motion),
    "colors": (lambda folder: drawings.street(PROGRAM, folder / "street", "480x360")[:1], colors),
    "places": (lambda folder: drawings.street(PROGRAM, folder / "street", "480x360")[:1], places),
    "actions": (lambda folder: [drawings.walk(PROGRAM, folder / "walk", "160x120", 60)], actions),
    "tracking": (lambda folder: [drawings.walk(PROGRAM, folder / "walk", "480x360", 200)], tracking),
    "spectra": (lambda folder: drawings.cube(PROGRAM, folder / "cube")[:1], spectra),
    "mesh": (lambda folder: [drawings.body(folder / "body.off", 5)], mesh),
}


def keep_small(png, path):
    """Writes a picture with 200 colors, which is enough for a page and a third of the bytes."""
    Image.open(io.BytesIO(png)).convert("RGB").quantize(200, dither=Image.Dither.NONE).save(path, optimize=True)


def at_rest(page):
    """A screenshot of the page once nothing changes any more."""
    before, now = None, page.screenshot()
    while now != before:
        before, now = now, page.screenshot()
    return now


def take(browser, name):
    words, act = PICTURES[name]
    with tempfile.TemporaryDirectory() as folder:
        served = Served(PROGRAM, words(pathlib.Path(folder)))
        try:
            errors = []
            page = watched(browser, errors, viewport=SIZE, color_scheme="light")
            page.goto(served.address)
            act(page)
            keep_small(at_rest(page), FOLDER / f"view_{name}.png")
            assert not errors, errors
        finally:
            served.end()


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in sys.argv[3:] or PICTURES:
            take(browser, name)
        browser.close()


main()
