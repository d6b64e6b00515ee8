"""What the page shows where something is wrong, missing or out of date: nothing of another input, option or run is seen without a word."""
import json
import re
import shutil
import subprocess

from playwright.sync_api import expect

import drawings
from chromium import drag, drop, photograph, set_number, settled, watched
from serving import SIZES, Served

# Whether nothing is drawn on the picture.
IS_BLANK = """() => {
  const canvas = document.getElementById('canvas');
  return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.every((value) => value === 0);
}"""


def opened(browser, errors, served, **settings):
    page = watched(browser, errors, **{"viewport": {"width": 1280, "height": 800}, **settings})
    page.goto(served.address)
    return page


def test_unread(browser, program, folder, street):
    """An input that cannot be read shows no picture of another one."""
    broken = folder / "broken.png"
    broken.write_bytes(street.read_bytes()[:100])
    served = Served(program, [street, broken])
    refusals = []
    try:
        page = opened(browser, refusals, served)
        settled(page)
        assert not page.evaluate(IS_BLANK)
        page.locator("#strip button").nth(1).click()
        expect(page.locator("#message")).to_contain_text("broken.png")
        expect(page.locator("#canvas")).to_have_attribute("aria-label", "broken.png cannot be shown.")
        page.wait_for_function(IS_BLANK)
        for hidden in ("#timeline", "#zoom", "#save", "#made"):
            expect(page.locator(hidden)).to_be_hidden()
        photograph(page, "unread")
        page.locator("#strip button").first.click()
        settled(page)
        page.wait_for_function(f"() => !({IS_BLANK})()")
        assert all("status of 4" in refusal for refusal in refusals), refusals
        page.context.close()
    finally:
        served.end()


def test_failed(browser, errors, program, street):
    """An error is seen however far the options are scrolled, and the result from before it is marked."""
    served = Served(program, [street])
    try:
        for name, (width, height) in SIZES.items():
            page = opened(browser, errors, served, viewport={"width": width, "height": height})
            settled(page)
            page.locator("[data-system=emd]").click()
            page.locator("#canvas").scroll_into_view_if_needed()
            drag(page, -40, -30)
            expect(page.locator("#command")).to_contain_text("--target")
            settled(page)
            expect(page.locator("#outdated")).to_be_hidden()
            page.locator("#keys").scroll_into_view_if_needed()
            set_number(page, "window", "4")
            expect(page.locator("#message")).to_contain_text("odd number")
            expect(page.locator("#message")).to_be_in_viewport()
            expect(page.locator("#outdated")).to_be_visible()
            photograph(page, f"failed_{name}")
            page.locator("#message-close").click()
            expect(page.locator("#message")).to_be_hidden()
            expect(page.locator("#outdated")).to_be_visible()
            set_number(page, "window", "5")
            expect(page.locator("#outdated")).to_be_hidden()
            settled(page)
            page.context.close()
    finally:
        served.end()


def test_end_of_track(browser, errors, program, folder):
    """A track that was played to its end has what a paused one has, and nothing of the run before it."""
    clip = drawings.walk(program, folder / "track", "160x120", 12)
    served = Served(program, [clip])
    try:
        page = opened(browser, errors, served)
        settled(page)
        page.locator("[data-system=emd]").click()
        drag(page, -100, -75)
        expect(page.locator("#command")).to_contain_text("fovea emd map")
        page.locator("[data-system=track]").click()
        expect(page.locator("#summary")).to_contain_text("Press Play")
        page.locator("#play").click()
        expect(page.locator("#command")).to_contain_text("fovea emd track")
        expect(page.locator("#play")).to_have_text("Play")
        expect(page.locator("#frame")).to_have_value("11")
        expect(page.locator("#command")).to_contain_text("--frames 12")
        expect(page.locator("#facts")).to_contain_text("frames followed")
        expect(page.locator("#facts")).not_to_contain_text("greatest distance")
        expect(page.locator("#save")).to_be_visible()
        page.locator("#canvas").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#why")).to_be_visible()
        photograph(page, "end_of_track")
        page.context.close()
    finally:
        served.end()


def test_missing(browser, errors, program, folder, street):
    """Results whose inputs are gone say which, and take them; further results may be dropped."""
    def coco(name, boxes):
        path = folder / name
        path.write_text(json.dumps({"images": [{"id": 1, "file_name": "photos/gone.png"}], "annotations": [
            {"id": i, "image_id": 1, "category_id": 1, "bbox": [5, 5, 20 + i, 40], "score": 1 + i} for i in range(boxes)]}))
        return path

    served = Served(program, [coco("before.json", 2)])
    try:
        page = opened(browser, errors, served)
        expect(page.locator("#welcome")).to_contain_text("before.json is about 1 input that cannot be found: photos/gone.png")
        expect(page.locator("#earlier")).to_contain_text("photos/gone.png: 2 boxes, scores up to 2.00")
        photograph(page, "missing")
        shutil.copy(street, folder / "gone.png")
        page.locator("#choose").set_input_files(str(folder / "gone.png"))
        expect(page.locator("#earlier .count")).to_have_text("2 of 2 boxes are shown.")
        expect(page.locator("#earlier")).not_to_contain_text("lacks")
        drop(page, coco("dropped.json", 3))
        expect(page.locator("#earlier .count")).to_have_text(["2 of 2 boxes are shown.", "3 of 3 boxes are shown."])
        expect(page.locator("#earlier")).to_contain_text("dropped.json")
        page.context.close()
    finally:
        served.end()


def test_saved_parts(browser, errors, program, folder):
    """A mesh that was saved with its parts shows these."""
    mesh, parts = drawings.body(folder / "whole.off"), folder / "parts.ply"
    subprocess.run([program, "mesh", "segment", mesh, "-o", parts, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    served = Served(program, [mesh, parts])
    try:
        page = opened(browser, errors, served)
        expect(page.locator("#summary")).to_contain_text("faces has")
        found = page.locator("#summary").inner_text()
        expect(page.locator("#colors")).to_have_value("parts")
        page.locator("#strip button").nth(1).click()
        expect(page.locator("#colors option:checked")).to_have_text("Parts of the file")
        expect(page.locator("#summary")).to_have_text(found)  # the same mesh, not one in pieces
        photograph(page, "saved_parts")
        page.context.close()
    finally:
        served.end()


def test_film_and_strip(browser, errors, program, folder):
    """A folder of frames is a film, too; the strip is one stop of the Tab key; a pair may have any second image."""
    frames = folder / "frames"
    frames.mkdir()
    pictures = drawings.moving(program, folder / "pair")
    for number in range(1, 5):
        shutil.copy(pictures[number % 2], frames / f"walk_{number:03}.png")
    served = Served(program, [frames])
    try:
        page = opened(browser, errors, served)
        settled(page)
        buttons = page.locator("#strip button")
        expect(buttons).to_have_count(5)
        expect(page.locator("#strip button[tabindex='0']")).to_have_count(1)
        buttons.first.focus()
        page.keyboard.press("ArrowDown")
        expect(buttons.nth(1)).to_be_focused()
        page.keyboard.press("End")
        expect(buttons.nth(4)).to_be_focused()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(buttons.nth(1)).to_have_attribute("aria-selected", "true")
        page.locator("[data-system=flow]").click()
        expect(page.locator("#command")).to_contain_text(re.compile(r"walk_002\.png \S*walk_003\.png"))
        page.locator("#second").select_option(label=str(frames / "walk_004.png"))
        expect(page.locator("#command")).to_contain_text(re.compile(r"walk_002\.png \S*walk_004\.png"))
        settled(page)
        # What is for videos opens the film, at the frame that was shown.
        page.locator("[data-system=track]").click()
        expect(page.locator("#timeline")).to_be_visible()
        expect(page.locator("#frame")).to_have_value("1")
        expect(buttons.nth(4)).to_have_attribute("aria-selected", "true")
        page.locator("[data-system=people]").click()
        expect(page.locator("#command")).to_contain_text(re.compile(r"fovea people detect \S*walk_002\.png --"))
        photograph(page, "film_of_pictures")
        page.context.close()
    finally:
        served.end()


def swipe(page, touch):
    """Moves a finger up over the middle of the picture."""
    box = page.locator("#canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 10 * step}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_swipe(browser, errors, program, street):
    """A finger on a picture that is seen whole moves the page; zoomed in, it moves the picture."""
    served = Served(program, [street])
    try:
        width, height = SIZES["phone"]
        page = opened(browser, errors, served, viewport={"width": width, "height": height}, has_touch=True)
        settled(page)
        touch = page.context.new_cdp_session(page)
        whole = page.locator("#zoom-value").inner_text()
        swipe(page, touch)
        page.wait_for_function("() => scrollY > 50")
        expect(page.locator("#zoom-value")).to_have_text(whole)
        page.locator("[data-zoom=in]").click()
        page.evaluate("() => { scrollTo(0, 0); window.cancelled = false; addEventListener('pointercancel', () => { cancelled = true; }, true); }")
        page.wait_for_function("() => scrollY === 0")
        swipe(page, touch)
        assert not page.evaluate("cancelled"), "the browser has taken the finger from a picture that is zoomed in"
        page.context.close()
    finally:
        served.end()


def test_stage(program, browser, errors, folder, inputs):
    street = inputs[0]
    test_unread(browser, program, folder, street)
    test_failed(browser, errors, program, street)
    test_end_of_track(browser, errors, program, folder)
    test_missing(browser, errors, program, folder, street)
    test_saved_parts(browser, errors, program, folder)
    test_film_and_strip(browser, errors, program, folder)
    test_swipe(browser, errors, program, street)
