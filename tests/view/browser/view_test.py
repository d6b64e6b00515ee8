#!/usr/bin/env python3
"""Drives fovea view in a real browser: opens the page, drops a file, moves a slider, asks why, stops, compares, saves, and opens
the saved page without the program. Fails on any error in the console.

usage: view_test.py FOVEA [PICTURES]     PICTURES: a folder for screenshots
Ends with status 77 where Chromium or playwright is missing."""
import base64
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    from playwright.sync_api import TimeoutError, expect, sync_playwright
except ImportError:
    print("skipped: playwright is not installed (pip install playwright)")
    sys.exit(77)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

PROGRAM = sys.argv[1]
PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
SIZES = {"wide": (1280, 800), "phone": (390, 844)}


def photograph(page, name):
    if PICTURES is not None:
        page.screenshot(path=PICTURES / f"{name}.png")


def drawn_inputs(folder):
    """A street with drawn people, two frames of a moving texture, a clip of a street, and the header and samples of a cube."""
    subprocess.run([PROGRAM, "people", "scene", "-o", folder / "crowd", "--video", "%06d.png", "--frames", "1", "--size", "320x240",
                    "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, "flow", "scene", "-o", folder / "moving", "--size", "160x120", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, "people", "scene", "-o", folder / "clip", "--video", "walk.y4m", "--frames", "60", "--size", "160x120",
                    "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([PROGRAM, "emd", "scene", "-o", folder / "cubes", "--frames", "1", "--size", "64x48", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    street = next(path for path in sorted((folder / "crowd").rglob("*.png")))
    pair = [folder / "moving" / name for name in ("frame10.png", "frame11.png")]
    cube = [next((folder / "cubes").rglob(f"*{end}")) for end in (".hdr", ".img")]
    return street, pair, folder / "clip" / "walk.y4m", cube


class Served:
    """The program, listening, and its address."""

    def __init__(self, inputs):
        self.process = subprocess.Popen([PROGRAM, "view", "--no-open", *inputs], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#[0-9a-f]{64}", self.address), self.address

    def end(self):
        self.process.terminate()
        assert self.process.wait(20) == 0


def watched(browser, errors, **settings):
    context = browser.new_context(accept_downloads=True, **settings)
    page = context.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page


def drop(page, *paths):
    files = [[base64.b64encode(path.read_bytes()).decode(), path.name] for path in paths]
    transfer = page.evaluate_handle(
        """(files) => { const transfer = new DataTransfer();
        for (const [data, name] of files) transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
        return transfer; }""", files)
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})


def drag(page, x, y):
    """Draws a box from a place, seen from the middle of the picture, to that middle."""
    box = page.locator("#canvas").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(middle[0] + x, middle[1] + y)
    page.mouse.down()
    page.mouse.move(*middle, steps=4)
    page.mouse.up()


def set_number(page, option, value):
    page.locator(f"[data-option={option}] input[type=number]").fill(value)
    page.locator(f"[data-option={option}] input[type=number]").press("Tab")


def settled(page):
    """Waits until a run has shown its result."""
    expect(page.locator("#state")).to_have_text(re.compile(r"\d+ ms"), timeout=60000)
    expect(page.locator("#message")).to_be_hidden()


def test_people(page, street):
    drop(page, street)
    expect(page.locator("#strip button")).to_have_count(1)
    settled(page)
    expect(page.locator("#summary")).to_contain_text(re.compile("was found|were found"))
    expect(page.locator("#command")).to_contain_text("fovea people detect")
    photograph(page, "people")
    # A slider that moves gives another result, marked as changed, and can be reset.
    slider = page.locator("[data-option=threshold] input[type=range]")
    slider.fill("-2")
    expect(page.locator("#command")).to_contain_text("--threshold -2", timeout=60000)
    expect(page.locator("[data-option=threshold]")).to_have_class(re.compile("changed"))
    page.locator("[data-option=threshold] .undo").click()
    expect(page.locator("#command")).not_to_contain_text("--threshold", timeout=60000)


def test_why(page):
    box = page.locator("#canvas").bounding_box()
    page.locator("#canvas").click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page.locator("#why")).to_be_visible(timeout=60000)
    expect(page.locator("#why .reason").first).to_be_visible()
    expect(page.locator("#why figure img").first).to_have_js_property("complete", True)
    photograph(page, "why")


def test_save(page, browser, errors, folder):
    with page.expect_download() as saved:
        page.locator("#save-page").click()
    path = folder / "saved.html"
    saved.value.save_as(path)
    alone = watched(browser, errors, offline=True)
    alone.goto(path.as_uri())
    expect(alone.locator("h1")).to_contain_text("People in")
    expect(alone.locator("figure img").first).to_have_js_property("complete", True)
    photograph(alone, "saved")
    alone.close()
    for button, name in (("#save-png", "view.png"), ("#save-json", "result.json")):
        with page.expect_download() as saved:
            page.locator(button).click()
        assert saved.value.suggested_filename == name


def test_keys(page):
    page.locator("#canvas").focus()
    before = page.locator("#zoom-value").inner_text()
    for key in ("+", "ArrowLeft", "Shift+ArrowUp", "b"):
        page.keyboard.press(key)
    assert page.locator("#zoom-value").inner_text() != before
    expect(page.locator("#divider")).to_be_visible()
    page.locator("#divider").press("ArrowRight")
    expect(page.locator("#divider")).to_have_attribute("aria-valuenow", "52")
    page.locator("#compare").click()
    page.locator("#canvas").focus()
    page.keyboard.press("1")
    expect(page.locator("#zoom-value")).to_have_text("100 %")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator("#why")).to_be_visible(timeout=60000)
    page.keyboard.press("Escape")
    expect(page.locator("#why")).to_be_hidden()


def test_stop(page):
    """A run that is stopped says so; the next one works."""
    set_number(page, "enlarge", "8")
    for ratio in ("1.012", "1.011", "1.01"):  # a fast machine may be done before the click
        set_number(page, "ratio", ratio)
        try:
            page.locator("#stop").click(timeout=10000)
            expect(page.locator("#state")).to_have_text("Stopped", timeout=10000)
            break
        except (AssertionError, TimeoutError):
            if ratio == "1.01":
                raise
    page.locator("#reset").click()
    settled(page)


def test_flow(page, pair):
    page.locator("#choose").set_input_files([str(path) for path in pair])
    expect(page.locator("#strip button")).to_have_count(3)
    page.locator("[data-system=flow]").click()
    expect(page.locator("#summary")).to_contain_text("Pixels moved", timeout=60000)
    page.get_by_label("Confidence", exact=True).check()
    photograph(page, "flow")


def test_colors(page):
    page.locator("[data-system=emd]").click()
    expect(page.locator("#summary")).to_contain_text("Draw a box")
    drag(page, -40, -30)
    expect(page.locator("#summary")).to_contain_text("Distances go from", timeout=60000)
    photograph(page, "emd")


def test_places(page):
    page.locator("[data-system=scenes]").click()
    expect(page.locator("#scores .bar").first).to_be_visible(timeout=60000)


def test_actions(page, clip):
    """A clip has a time line, whose events jump to their frames and say why."""
    drop(page, clip)
    page.locator("[data-system=actions]").click()
    expect(page.locator("#scores .bar").first).to_be_visible(timeout=60000)
    set_number(page, "reject", "0")  # drawn people walk unlike those of the model
    expect(page.locator("#events button").first).to_be_visible(timeout=60000)
    event = page.locator("#events button").last
    event.click()
    first = re.search(r"frames (\d+) to", event.get_attribute("aria-label")).group(1)
    expect(page.locator("#frame")).to_have_value(first)
    page.get_by_label("Space-time points").check()
    page.locator("#canvas").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why-title")).to_contain_text("Why", timeout=60000)
    expect(page.locator("#why .reason").first).to_be_visible()
    photograph(page, "actions")
    page.keyboard.press(".")
    expect(page.locator("#frame")).to_have_value(str(int(first) + 1))
    expect(page.locator("#why")).to_be_visible()


def test_cube(page, cube):
    """Half a cube is refused with a reason; a whole one takes a pixel or a box as target and says why."""
    header, samples = cube
    drop(page, header)
    expect(page.locator("#message")).to_contain_text("add the file with its samples")
    drop(page, header, samples)
    expect(page.locator("#summary")).to_contain_text("Draw a box", timeout=60000)
    box = page.locator("#canvas").bounding_box()
    middle = {"x": box["width"] / 2, "y": box["height"] / 2}
    page.locator("#canvas").click(position=middle)
    expect(page.locator("#command")).to_contain_text(",1,1 ", timeout=60000)
    drag(page, -30, -30)
    expect(page.locator("#command")).not_to_contain_text(",1,1 ", timeout=60000)
    expect(page.locator("#summary")).to_contain_text("like the target")
    page.locator("#canvas").click(position=middle)
    expect(page.locator("#why figure img")).to_have_count(2, timeout=60000)
    for image in page.locator("#why figure img").all():
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("(image) => image.naturalWidth") > 0
    photograph(page, "cube")


def test_sizes(browser, errors, address, street):
    for scheme in ("light", "dark"):
        for name, (width, height) in SIZES.items():
            page = watched(browser, errors, color_scheme=scheme, viewport={"width": width, "height": height})
            page.goto(address)
            settled(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than the screen"
            photograph(page, f"{name}_{scheme}")
            page.close()


def test_all(browser, served, errors, folder, street, pair, clip, cube):
    page = watched(browser, errors, viewport={"width": 1280, "height": 800})
    page.goto(served.address)
    expect(page.locator("#welcome")).to_be_visible()
    assert "#" not in page.url, "the token stays in the address"
    test_people(page, street)
    test_why(page)
    test_save(page, browser, errors, folder)
    test_keys(page)
    test_stop(page)
    test_flow(page, pair)
    test_colors(page)
    test_places(page)
    test_actions(page, clip)
    test_cube(page, cube)
    test_sizes(browser, errors, served.address, street)


def main():
    errors = []
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = pathlib.Path(temporary)
        inputs = drawn_inputs(folder)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        served = Served([])
        try:
            test_all(browser, served, errors, folder, *inputs)
        finally:  # a failure must not leave the program behind, which holds the pipes of this one
            browser.close()
            served.end()
    assert not errors, errors
    print("all steps passed")


main()
