#!/usr/bin/env python3
"""Drives fovea view in a real browser: opens the page, drops a file, moves a slider, asks why, stops, compares, saves, opens the
saved page without the program, plays a video and follows a target in it, opens earlier results and an evaluation, and shows the page
inside of another one. Fails on any error in the console.

usage: view_test.py FOVEA [PICTURES]     PICTURES: a folder for screenshots
Ends with status 77 where Chromium or playwright is missing."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    from playwright.sync_api import expect, sync_playwright
except ImportError:
    print("skipped: playwright is not installed (pip install playwright)")
    sys.exit(77)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    print("skipped: chromium is not installed")
    sys.exit(77)

import drawings
from chromium import LIMIT, drag, drop, photograph, set_number, settled, watched
from embedded import test_embedding
from serving import SIZES, Served
from stage import test_stage
from states import test_states

PROGRAM = sys.argv[1]
# Draws a triangle and a line with none of the page's code, and says whether they are on the canvas. Reading it waits for the
# drawing; where the browser loses its card by that, or has none that is fit for the page, nothing is there.
DRAWS = """() => {
  const gl = document.createElement('canvas').getContext('webgl', {antialias: true, failIfMajorPerformanceCaveat: true});
  if (!gl) return false;
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, 'attribute vec2 place; void main() { gl_Position = vec4(place, 0, 1); }'],
      [gl.FRAGMENT_SHADER, 'void main() { gl_FragColor = vec4(0, 1, 0, 1); }']]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
  const at = gl.getAttribLocation(program, 'place');
  gl.enableVertexAttribArray(at);
  gl.vertexAttribPointer(at, 2, gl.FLOAT, false, 0, 0);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.drawArrays(gl.LINES, 0, 2);
  const pixel = new Uint8Array(4);
  gl.readPixels(9, 9, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  return pixel.join() === '0,255,0,255' && !gl.isContextLost();
}"""


def drawn_inputs(folder):
    """A street with drawn people, two frames of a moving texture, a clip of a street, and the header and samples of a cube."""
    return (drawings.street(PROGRAM, folder / "crowd")[0], drawings.moving(PROGRAM, folder / "moving"),
            drawings.walk(PROGRAM, folder / "clip", "160x120", 60), drawings.cube(PROGRAM, folder / "cubes"))


def earlier_results(folder):
    """What the program found in a street, as COCO JSON, and an evaluation against true boxes."""
    images = folder / "streets"
    subprocess.run([PROGRAM, "people", "scene", "-o", images, "--video", "%06d.png", "--frames", "3", "--size", "320x240", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    pictures = sorted(images.rglob("*.png"))
    found = folder / "all.json"
    subprocess.run([PROGRAM, "people", "detect", *pictures, "--threshold", "-1", "--coco", found, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    truth = json.loads(found.read_text())
    # Half of the boxes are taken as the truth: the others are false positives, and a person beside them is missed.
    truth["annotations"] = truth["annotations"][::2]
    truth["annotations"].append({"id": 9999, "image_id": truth["images"][0]["id"], "category_id": 1, "bbox": [2, 2, 20, 50], "iscrowd": 0})
    (folder / "truth.json").write_text(json.dumps(truth))
    listed = folder / "pictures.txt"
    listed.write_text("\n".join(str(path) for path in pictures))
    subprocess.run([PROGRAM, "people", "eval", "--images", f"@{listed}", "--annotations", folder / "truth.json", "-o", folder / "report",
                    "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return found, folder / "report" / "evaluation.json"


def looks_otherwise(page, stage, act):
    """Does something and waits until it shows."""
    before = stage.screenshot()
    act()
    end = time.monotonic() + LIMIT / 1000
    while stage.screenshot() == before:
        assert time.monotonic() < end, "the stage looks as before"
        page.wait_for_timeout(20)


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
    expect(page.locator("#command")).to_contain_text("--threshold -2")
    expect(page.locator("[data-option=threshold]")).to_have_class(re.compile("changed"))
    page.locator("[data-option=threshold] .undo").click()
    expect(page.locator("#command")).not_to_contain_text("--threshold")


def test_why(page):
    box = page.locator("#canvas").bounding_box()
    page.locator("#canvas").click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page.locator("#why")).to_be_visible()
    expect(page.locator("#why .reason").first).to_be_visible()
    expect(page.locator("#why figure img").first).to_have_js_property("complete", True)
    expect(page.locator("#why figure .named").first).to_have_text(re.compile(r"^(blue|dark): -?[0-9.e-]+$"))
    photograph(page, "why")


def test_save(page, browser, errors, folder, street):
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
    stem = f"{street.stem}_people_detect"
    assert saved.value.suggested_filename == f"{stem}.html"
    for button, name in (("#save-png", f"{stem}_view.png"), ("#save-json", f"{stem}.json")):
        with page.expect_download() as saved:
            page.locator(button).click()
        assert saved.value.suggested_filename == name
    # The files of the program's outputs, under their names.
    page.locator("#save-as summary").click()
    photograph(page, "save_as")
    for name in (f"{stem}.png", f"{stem}_coco.json", f"{stem}.csv", f"{street.stem}.txt"):
        with page.expect_download() as saved:
            page.get_by_role("link", name=name, exact=True).click()
        assert saved.value.suggested_filename == name
        assert pathlib.Path(saved.value.path()).stat().st_size > 0
    page.locator("#save-as summary").click()


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
    expect(page.locator("#why")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#why")).to_be_hidden()


def test_stop(page):
    """A run that is stopped says so; the next one works."""
    page.evaluate("""() => {
      const button = document.getElementById("stop");
      window.stopping = setInterval(() => button.hidden || button.click(), 5);
    }""")
    page.locator("#option-model").select_option("hog")
    set_number(page, "enlarge", "8")
    set_number(page, "ratio", "1.01")  # a run of many seconds
    expect(page.locator("#state")).to_have_text("Stopped")
    page.evaluate("clearInterval(window.stopping)")
    page.locator("#option-model").select_option("channels")
    page.locator("#reset").click()
    settled(page)


def test_flow(page, pair):
    page.locator("#choose").set_input_files([str(path) for path in pair])
    expect(page.locator("#strip button")).to_have_count(3)
    page.locator("[data-system=flow]").click()
    expect(page.locator("#summary")).to_contain_text("Pixels moved")
    page.get_by_label("Confidence", exact=True).check()
    photograph(page, "flow")


def test_colors(page):
    page.locator("[data-system=emd]").click()
    expect(page.locator("#summary")).to_contain_text("Draw a box")
    drag(page, -40, -30)
    expect(page.locator("#summary")).to_contain_text("Distances go from")
    photograph(page, "emd")


def test_typed_box(page):
    """A box can be given without a mouse, and one that does not fit is refused."""
    for name, value in zip(("x", "y", "width", "height"), (12, 8, 30, 20)):
        page.locator(f"#box-{name}").fill(str(value))
        page.locator(f"#box-{name}").press("Tab")
    expect(page.locator("#command")).to_contain_text("--target 12,8,30,20")
    page.locator("#box-width").fill("9999")
    page.locator("#box-width").press("Tab")
    assert "outside of the picture" in page.locator("#box-width").evaluate("(field) => field.validationMessage")
    expect(page.locator("#command")).to_contain_text("--target 12,8,30,20")


def test_mesh(page, browser, errors, folder):
    page.locator("#choose").set_input_files(str(drawings.body(folder / "body.off")))
    expect(page.locator("#summary")).to_contain_text("faces has")
    stage = page.locator("#model .stage")
    expect(stage).to_have_class(re.compile("drawn"))
    settled(page)

    box = stage.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag():
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 80, y + 20, steps=4)
        page.mouse.up()

    looks_otherwise(page, stage, drag)
    stage.focus()
    for key in ("ArrowLeft", "Shift+ArrowUp", "+", "0"):
        looks_otherwise(page, stage, lambda key=key: page.keyboard.press(key))
    # A click asks about the face under it, Enter about the one in the middle, a click beside the mesh about all seams.
    page.mouse.click(x, y)
    expect(page.locator("#why-title")).to_contain_text("Why face")
    expect(page.locator("#model .spot")).to_be_visible()
    looks_otherwise(page, stage, lambda: page.locator("#colors").select_option("membership"))
    photograph(page, "mesh")
    page.keyboard.press("Escape")
    expect(page.locator("#model .spot")).to_be_hidden()
    stage.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why-title")).to_contain_text("Why face")
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    expect(page.locator("#why-title")).to_contain_text("Why the mesh has")
    page.locator("#colors").select_option("parts")
    looks_otherwise(page, stage, lambda: page.locator(".legend button").first.hover())
    page.locator("[data-option=division] select").select_option("hierarchical")
    expect(page.locator("#model-tools .levels")).to_be_visible()
    looks_otherwise(page, stage, lambda: page.locator("#model-tools .levels input").fill("0"))
    test_saved_mesh(page, browser, errors, folder)


def card_draws(browser):
    """Whether WebGL of this browser survives a drawing: Debian's Chromium imitates a card, and in some versions ends while it draws."""
    page = browser.new_page()
    draws = page.evaluate(DRAWS)
    page.close()
    if not draws:
        print("WebGL of this browser does not draw: the page must go on without it")
    return draws


def test_saved_mesh(page, browser, errors, folder):
    """The page of a mesh is turned without the program, by the processor, and by a graphics card where the browser has one that
    draws. Where it does not, the page goes on with the processor and says so."""
    with page.expect_download() as saved:
        page.locator("#save-page").click()
    path = folder / "mesh.html"
    saved.value.save_as(path)
    draws = card_draws(browser)
    for card in (False, True):
        alone = watched(browser, errors, offline=True, reduced_motion="reduce")
        if card:  # what imitates one here must not look like an imitation
            alone.add_init_script("""const real = WebGLRenderingContext.prototype.getParameter;
                WebGLRenderingContext.prototype.getParameter = function (name) {
                  const value = real.call(this, name); return typeof value === 'string' ? 'card' : value; };""")
        alone.goto(path.as_uri())
        stage = alone.locator(".stage.drawn")
        expect(stage).to_be_visible()
        for key in ("ArrowLeft", "ArrowUp"):
            looks_otherwise(alone, stage, lambda key=key: stage.press(key))
        expect(alone.locator(".without")).to_be_visible(visible=not (card and draws))
        drawn = stage.locator("canvas").evaluate("(canvas) => canvas.getContext('webgl')?.isContextLost() === false")
        assert drawn == (card and draws), "the card draws where it should not, or does not where it should"
        alone.close()


def test_truth(browser, errors, folder, street, pair):
    """Boxes and motion beside the truth."""
    served = Served(PROGRAM, ["--truth", folder / "crowd" / "truth.json", street])
    try:
        page = watched(browser, errors, viewport={"width": 1280, "height": 800})
        page.goto(served.address)
        settled(page)
        expect(page.locator("#summary")).to_contain_text("Compared with the truth")
        page.get_by_label("Truth", exact=True).uncheck()
        photograph(page, "truth")
        page.close()
    finally:
        served.end()
    served = Served(PROGRAM, ["--truth", folder / "moving", *pair])
    try:
        page = watched(browser, errors, viewport={"width": 1280, "height": 800})
        page.goto(served.address)
        settled(page)
        page.locator("[data-system=flow]").click()
        expect(page.locator("#summary")).to_contain_text("beside the truth")
        page.get_by_label("Endpoint error", exact=True).check()
        page.close()
    finally:
        served.end()


def test_play(page, video):
    """Plays a video with people, pauses, steps, and asks why. The keys work at once where a system was chosen by the mouse."""
    drop(page, video)
    page.locator("[data-system=people]").click()
    settled(page)
    page.keyboard.press(".")
    expect(page.locator("#frame")).to_have_value("1")
    page.keyboard.press("Space")
    expect(page.locator("#live")).to_contain_text("frames/s")
    expect(page.locator("#live")).to_contain_text("dropped")
    expect(page.locator("#play")).to_have_text("Pause")
    photograph(page, "playing")
    page.locator("#play").click()
    expect(page.locator("#command")).to_contain_text("fovea people detect")
    expect(page.locator("#save")).to_be_visible()
    paused = page.locator("#frame-value").inner_text()
    page.locator("#frame-on").click()
    expect(page.locator("#frame-value")).not_to_have_text(paused)
    test_why(page)
    page.locator("#canvas").focus()
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    page.locator("#stop").click()
    expect(page.locator("#live")).to_be_hidden()


def test_track(page):
    """Follows what a drawn box shows, and shows the scores around it. Asks for a box as long as there is none."""
    page.locator("[data-system=track]").click()
    expect(page.locator("#summary")).to_contain_text("Draw a box")
    page.locator("#play").click()
    expect(page.locator("#live")).to_contain_text("frames/s")
    expect(page.locator("#summary")).to_have_text("Draw a box around a target on the picture.")
    page.locator("#stop").click()
    expect(page.locator("#live")).to_be_hidden()
    page.locator("#frame").fill("0")
    drag(page, -100, -75)
    expect(page.locator("#summary")).to_contain_text("Press Play")
    page.locator("#play").click()
    expect(page.locator("#summary")).to_contain_text(re.compile("is followed|is lost"))
    photograph(page, "tracking")
    page.locator("#play").click()
    expect(page.locator("#command")).to_contain_text("fovea emd track")
    test_why(page)
    photograph(page, "tracking_why")
    page.locator("#stop").click()
    page.locator("#frame").fill("0")  # the time line goes back into the track
    expect(page.locator("#command")).to_be_hidden()
    expect(page.locator("#summary")).to_contain_text(re.compile("is followed|is lost"))


def test_places(page):
    page.locator("[data-system=scenes]").click()
    expect(page.locator("#scores .bar").first).to_be_visible()
    page.locator("#canvas").focus()
    page.keyboard.press("Enter")
    patch = page.locator("#why .reason img.patch").first  # what a word looks like
    expect(patch).to_have_attribute("alt", re.compile(r"^(color )?word \d+$"))
    expect(patch).to_have_js_property("complete", True)
    assert patch.evaluate("(image) => image.naturalWidth") > 0
    expect(page.locator("#why .reason small").first).to_contain_text("% of the places")
    photograph(page, "places")
    page.keyboard.press("Escape")


def test_earlier(page):
    """The boxes of a COCO file, from a score on."""
    page.locator("#strip button").first.click()
    settled(page)
    expect(page.locator("#earlier")).to_be_visible()
    count = page.locator("#earlier .count").first
    before = count.inner_text()
    slider = page.get_by_label("Least score of all.json")
    slider.fill(slider.get_attribute("max"))
    expect(count).not_to_have_text(before)
    expect(count).to_contain_text("0 of")
    slider.fill(slider.get_attribute("min"))
    expect(count).to_have_text(before)
    photograph(page, "earlier")


def test_evaluation(page):
    """A click on the curve sets the threshold; the worst mistake opens in the view."""
    page.locator("#show-evaluation").click()
    expect(page.locator("#evaluation h2")).to_have_text("How well people are found")
    figures = page.locator(".chart .figures").first
    before = figures.inner_text()
    box = page.locator(".chart svg").bounding_box()
    page.locator(".chart svg").click(position={"x": 0.2 * box["width"], "y": 0.1 * box["height"]})
    expect(figures).not_to_have_text(before)
    clicked = figures.inner_text()
    page.get_by_label("score, along the curve").press("ArrowRight")
    expect(figures).not_to_have_text(clicked)
    expect(page.locator(".mistakes img").first).to_have_js_property("complete", True)
    photograph(page, "evaluation")
    page.locator(".mistakes button").first.click()
    expect(page.locator("#evaluation")).to_be_hidden()
    settled(page)
    expect(page.locator("#command")).to_contain_text("--threshold")
    expect(page.locator("#earlier .count").last).to_contain_text("true box")
    photograph(page, "mistake")


def test_results(browser, errors, folder):
    served = Served(PROGRAM, earlier_results(folder))
    try:
        for scheme in ("light", "dark"):
            for name, (width, height) in SIZES.items():
                page = watched(browser, errors, color_scheme=scheme, viewport={"width": width, "height": height})
                page.goto(served.address)
                expect(page.locator("#evaluation")).to_be_visible()
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than the screen"
                photograph(page, f"evaluation_{name}_{scheme}")
                page.close()
        page = watched(browser, errors, viewport={"width": 1280, "height": 800})
        page.goto(served.address)
        test_earlier(page)
        test_evaluation(page)
        page.close()
    finally:
        served.end()


def test_videos(browser, errors, folder, clip):
    """Tracks, true boxes and events of a video, on the frame that is seen, and an evaluation of tracks that opens at its frame."""
    truth, found, events = folder / "gt.txt", folder / "tracks.txt", folder / "events.jsonl"
    truth.write_text("".join(f"{frame},1,11,11,20,50,1,1,1\n" for frame in range(1, 31)))
    found.write_text("".join(f"{frame},{1 if frame < 20 else 2},11,11,20,50,0.9,-1,-1,-1\n" for frame in range(1, 31)))
    events.write_text(json.dumps({"name": "walk", "score": 0.5, "first_frame": 5, "last_frame": 30, "box": [10, 10, 30, 50]}) + "\n")
    subprocess.run([PROGRAM, "people", "eval-tracks", found, "--truth", truth, "--video", clip, "-o", folder / "tracked", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    served = Served(PROGRAM, [clip, events, folder / "tracked" / "evaluation.json", "--truth", truth])
    try:
        page = watched(browser, errors, viewport={"width": 1280, "height": 800})
        page.goto(served.address)
        expect(page.locator("#evaluation h2")).to_have_text("How well people are followed")
        page.get_by_role("button", name="person 1 was 1 and is 2").click()
        expect(page.locator("#evaluation")).to_be_hidden()
        expect(page.locator("#frame")).to_have_value("19")
        expect(page.locator("#earlier .count").last).to_contain_text("true box")
        bar = page.locator("#events .earlier button")
        expect(bar).to_have_attribute("aria-label", "walk (earlier), frames 5 to 30, score 0.50, from events.jsonl")
        bar.click()
        expect(page.locator("#frame")).to_have_value("5")
        expect(page.locator("#earlier .count").last).to_contain_text("1 true box")
        photograph(page, "truth_of_video")
        page.close()
    finally:
        served.end()


def test_actions(page, clip):
    """A clip has a time line, whose events jump to their frames and say why."""
    drop(page, clip)
    page.locator("[data-system=actions]").click()
    expect(page.locator("#scores .bar").first).to_be_visible()
    set_number(page, "reject", "0")  # drawn people walk unlike those of the model
    expect(page.locator("#events button").first).to_be_visible()
    event = page.locator("#events button").last
    event.click()
    first = re.search(r"frames (\d+) to", event.get_attribute("aria-label")).group(1)
    expect(page.locator("#frame")).to_have_value(first)
    page.get_by_label("Space-time points").check()
    page.locator("#canvas").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why-title")).to_contain_text("Why")
    expect(page.locator("#why .reason").first).to_be_visible()
    photograph(page, "actions")
    page.keyboard.press(".")
    expect(page.locator("#frame")).to_have_value(str(int(first) + 1))
    expect(page.locator("#why")).to_be_visible()


def test_compare(page):
    """The line between before and after lies over the picture, and over nothing that is pressed."""
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        page.locator("#compare").click()
        expect(page.locator("#divider")).to_be_visible()
        for selector in ("#canvas", "#frame", "#zoom", "#events .track"):
            over = page.locator(selector).first.evaluate("""(element) => {
                const divider = document.getElementById('divider').getBoundingClientRect();
                element.scrollIntoView({block: 'center'});
                const box = element.getBoundingClientRect();
                const x = Math.min(divider.left + divider.width / 2, box.right - 1);
                return Boolean(document.elementFromPoint(x, box.top + box.height / 2)?.closest('#divider'));
            }""")
            assert over == (selector == "#canvas"), f"{selector}, {width} pixels wide"
        page.locator("#compare").click()
        expect(page.locator("#divider")).to_be_hidden()
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["wide"])))


def test_end(browser, folder):
    """A video that states no length: its end is found by going on, or by playing, and then known."""
    served = Served(PROGRAM, [drawings.without_length(drawings.walk(PROGRAM, folder / "short", "160x120", 4, "short.mkv"))])
    try:
        for plays in (False, True):
            errors = []
            page = watched(browser, errors, viewport={"width": 1280, "height": 800})
            page.goto(served.address)
            settled(page)
            frame, number = page.locator("#frame"), page.locator("#frame-value")
            expect(frame).to_be_hidden()
            if plays:  # frames that are late may be dropped, but not the last one
                page.locator("#play").click()
                expect(page.locator("#play")).to_have_text("Play")
                expect(page.locator("#save")).to_be_visible()
                expect(frame).to_have_value("3")
            for _ in range(9):  # far over the end
                page.keyboard.press(".")
            expect(frame).to_be_visible()
            expect(frame).to_have_attribute("max", "3")
            expect(frame).to_have_value("3")
            settled(page)
            page.keyboard.press(".")
            expect(number).to_have_text(re.compile("^3( |$)"))
            settled(page)
            assert all("status of 4" in error for error in errors), errors  # the frame after the last
            page.close()
    finally:
        served.end()


def test_cube(page, cube):
    """Half a cube is refused with a reason; a whole one takes a pixel or a box as target and says why."""
    header, samples = cube
    drop(page, header)
    expect(page.locator("#message")).to_contain_text("add the file with its samples")
    drop(page, header, samples)
    expect(page.locator("#summary")).to_contain_text("Draw a box")
    box = page.locator("#canvas").bounding_box()
    middle = {"x": box["width"] / 2, "y": box["height"] / 2}
    page.locator("#canvas").click(position=middle)
    expect(page.locator("#command")).to_contain_text(",1,1 ")
    drag(page, -30, -30)
    expect(page.locator("#command")).not_to_contain_text(",1,1 ")
    expect(page.locator("#summary")).to_contain_text("like the target")
    page.locator("#canvas").click(position=middle)
    expect(page.locator("#why figure img")).to_have_count(2)
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
    test_save(page, browser, errors, folder, street)
    test_keys(page)
    test_stop(page)
    test_flow(page, pair)
    test_colors(page)
    test_typed_box(page)
    test_places(page)
    test_mesh(page, browser, errors, folder)
    test_truth(browser, errors, folder, street, pair)
    test_actions(page, clip)
    test_compare(page)
    test_cube(page, cube)
    test_play(page, drawings.walk(PROGRAM, folder / "walk", "160x120", 1500))
    test_track(page)
    test_sizes(browser, errors, served.address, street)


def main():
    errors = []
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = pathlib.Path(temporary)
        inputs = drawn_inputs(folder)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        served = Served(PROGRAM, [])
        try:
            test_all(browser, served, errors, folder, *inputs)
            test_results(browser, errors, folder)
            test_videos(browser, errors, folder, inputs[2])
            test_end(browser, folder)
            test_states(PROGRAM, browser, errors, folder, inputs)
            test_stage(PROGRAM, browser, errors, folder, inputs)
            test_embedding(PROGRAM, browser, errors, inputs[0])
        finally:  # a failure must not leave the program behind, which holds the pipes of this one
            browser.close()
            served.end()
    assert not errors, errors
    print("all steps passed")


if __name__ == "__main__":
    main()
