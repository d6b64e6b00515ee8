#!/usr/bin/env python3
"""Drives fovea view in Firefox: drops files, moves an option, asks why, zooms, stops, plays and follows a target, turns a mesh, does
the same by keys alone, and opens saved pages without the program, light and dark, wide and narrow. What only the program does is
left to view_test.py. Fails on any error in the console.

usage: firefox_test.py FOVEA [PICTURES]     PICTURES: a folder for screenshots
Ends with status 77 where Firefox is missing."""
import pathlib
import re
import signal
import sys
import tempfile

import drawings
import firefox
from notebook import Notebook
from serving import DROP, SIZES, Served, packed

PROGRAM = sys.argv[1]
PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
# How many pixels of the picture have the very color of boxes.
BOXES = """const canvas = document.getElementById('canvas');
const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
let count = 0;
for (let i = 0; i < data.length; i += 4) count += data[i] === 0xff && data[i + 1] === 0xb0 && data[i + 2] === 0;
return count;"""
FOCUSED = """const {activeElement: focused} = document, box = focused.getBoundingClientRect();
return {id: focused.id, system: focused.dataset.system ?? '', option: focused.closest('[data-option]')?.dataset.option ?? '',
  kind: focused.type ?? '', seen: box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight};"""


def photograph(fox, name):
    if PICTURES is not None:
        fox.photograph(PICTURES / f"firefox_{name}.png")


def settled(fox):
    """Waits until a run has shown its result."""
    fox.until_text("#state", r"\d+ ms")
    fox.until_shown("#message", False)


def drop(fox, *paths):
    fox.script(f"({DROP})(...arguments);", packed(paths))


def draw_box(fox, x, y):
    """Draws a box from a place, seen from the middle of the picture, to that middle."""
    middle = fox.place("#canvas")
    fox.drag((middle[0] + x, middle[1] + y), middle)


def looks(fox, selector):
    return fox.script("return document.querySelector(arguments[0]).toDataURL();", selector)


def looks_otherwise(fox, selector, act):
    before = looks(fox, selector)
    act()
    fox.again(f"{selector} looks otherwise", lambda: looks(fox, selector) != before)


def test_listening(fox):
    """A script that fails, console.error() and what the policy of the page refuses are heard; otherwise this test proves nothing."""
    fox.script("""const page = window.wrappedJSObject;
        page.console.error('said by hand');
        page.Promise.reject(new page.Error('thrown by hand'));
        document.body.append(Object.assign(document.createElement('script'), {textContent: '0'}));""")
    for words in ("said by hand", "thrown by hand", "Content-Security-Policy"):
        fox.again(f"'{words}' is heard", lambda: any(words in error for error in fox.collect_errors()))
    fox.script("document.body.lastElementChild.remove();")
    fox.errors.clear()


def test_people(fox, street):
    fox.until_shown("#welcome")
    assert not fox.script("return location.hash;"), "the token stays in the address"
    drop(fox, street)
    settled(fox)
    fox.until_text("#summary", "was found|were found")
    fox.until_text("#command", "fovea people detect")
    fox.until_loaded("#strip img")
    fox.enter("[data-option=threshold] input[type=number]", "-2")
    fox.until_text("#command", "--threshold -2")
    fox.until("the option is marked", "return document.querySelector('[data-option=threshold]').classList.contains('changed');")
    fox.click("[data-option=threshold] .undo")
    fox.again("the option is reset", lambda: "--threshold" not in fox.text("#command"))
    settled(fox)


def test_layers(fox):
    fox.again("boxes are drawn", lambda: fox.script(BOXES) > 0)
    fox.click("#layers input[type=checkbox]")
    fox.again("boxes are hidden", lambda: fox.script(BOXES) == 0)
    fox.click("#layers input[type=checkbox]")
    fox.again("boxes are drawn again", lambda: fox.script(BOXES) > 0)


def test_why(fox):
    fox.click_at(fox.place("#canvas"))
    fox.until_shown("#why .reason")
    fox.until_loaded("#why figure img")
    photograph(fox, "why")


def test_zoom(fox):
    """Zooms by the wheel and the buttons, and moves the picture."""
    whole = fox.text("#zoom-value")
    fox.wheel(fox.place("#canvas", 0.3, 0.4), -400)
    fox.until_other_text("#zoom-value", whole)
    x, y = fox.place("#canvas")
    looks_otherwise(fox, "#canvas", lambda: fox.drag((x, y), (x + 60, y + 30)))
    fox.click("[data-zoom=one]")
    fox.until_text("#zoom-value", "^100 %$")
    fox.click("[data-zoom=fit]")
    fox.until_text("#zoom-value", f"^{whole}$")


def test_save(fox, folder, name):
    """Saves the page of the result that is shown."""
    file = fox.script("return document.getElementById('save-page').download;")
    fox.click("#save-page")
    saved = folder / name
    fox.downloaded(file).rename(saved)
    return saved


def test_numbers_and_picture(fox):
    stem = fox.script("return document.getElementById('save-page').download;").removesuffix(".html")
    for button, name in (("#save-png", f"{stem}_view.png"), ("#save-json", f"{stem}.json")):
        fox.click(button)
        fox.downloaded(name)


CHOOSE_MODEL = """
const models = document.getElementById('option-model');
models.value = arguments[0];
models.dispatchEvent(new Event('change', {bubbles: true}));
"""
CLICK_STOP = """
const button = document.getElementById('stop');
if (!button.hidden) button.click();
if (document.getElementById('state').textContent === 'Stopped') return 'stopped';
return document.getElementById('command').textContent.includes(`--ratio ${arguments[0]} `) && 'done';
"""


def stops(fox, ratio):
    fox.enter("[data-option=ratio] input[type=number]", ratio)
    return fox.until("a run ends", CLICK_STOP, ratio) == "stopped"


def test_stop(fox):
    """A run that is stopped says so; the next one works."""
    fox.script(CHOOSE_MODEL, "hog")
    fox.enter("[data-option=enlarge] input[type=number]", "8")
    # A run of many seconds; yet where the browser waits for a processor it may be done before the click.
    assert any(stops(fox, ratio) for ratio in ("1.01", "1.011", "1.012", "1.013")), "no run is stopped"
    fox.script(CHOOSE_MODEL, "channels")
    fox.click("#reset")
    settled(fox)


def tab_to(fox, what, is_wanted):
    """Presses Tab until an element has the focus; all on the way can be seen."""
    for _ in range(60):
        fox.press("Tab")
        focused = fox.script(FOCUSED)
        if is_wanted(focused):
            return
        assert focused["seen"] or focused["id"] in ("choose", ""), f"{focused} has the focus and is not seen"
    raise AssertionError(f"Tab does not reach {what}")


def test_keys(fox):
    """Everything without a mouse: another system and back, the picture, why, and an option."""
    for system, result in (("scenes", "#scores .bar"), ("people", "#layers input")):
        fox.click("h1")  # Tab goes on from here
        tab_to(fox, "the tabs", lambda focused: focused["system"])
        chosen = fox.script(FOCUSED)["system"]
        fox.press("Tab", "Shift+Tab")
        assert fox.script(FOCUSED)["system"] == chosen, "the list of tabs is not one stop of the Tab key"
        fox.press("Home")
        for _ in range(9):
            if fox.script(FOCUSED)["system"] == system:
                break
            fox.press("ArrowRight")
        assert fox.script(FOCUSED)["system"] == system, "arrows do not move in the list of tabs"
        fox.press("Enter")
        fox.until_shown(result)
        settled(fox)
        assert fox.script(FOCUSED)["system"] == system, "the button of a system loses the focus"
    tab_to(fox, "the picture", lambda focused: focused["id"] == "canvas")
    before = fox.text("#zoom-value")
    fox.press("+")
    fox.until_other_text("#zoom-value", before)
    looks_otherwise(fox, "#canvas", lambda: fox.press("ArrowLeft", "Shift+ArrowUp"))
    fox.press("b")
    fox.until_shown("#divider")
    tab_to(fox, "the divider", lambda focused: focused["id"] == "divider")
    fox.press("ArrowRight")
    fox.until("the divider moves", "return document.getElementById('divider').getAttribute('aria-valuenow') === '52';")
    fox.press("Shift+Tab", "b", "0", "Enter")
    fox.until_shown("#divider", False)
    fox.until_shown("#why .reason")
    fox.press("Escape")
    fox.until_shown("#why", False)
    tab_to(fox, "a slider", lambda focused: focused["option"] == "threshold" and focused["kind"] == "range")
    fox.press("ArrowRight")
    fox.until_text("#command", "--threshold")


def test_play(fox, video):
    """Plays a video, of a kind that states no number of frames, with people, pauses, steps, and asks why."""
    fox.send("#choose", str(video))
    settled(fox)
    assert fox.script("return document.getElementById('frame').max;") == "1499", "the time line does not have all frames"
    fox.click("[data-system=people]")
    settled(fox)
    fox.press("Space")  # the button of the system, which the mouse has pressed, does not take it
    fox.until_text("#live", r"frames/s.* dropped")
    fox.until_text("#play", "Pause")
    fox.click("#play")
    fox.until_text("#command", "fovea people detect")
    fox.until_shown("#save")
    paused = fox.text("#frame-value")
    fox.click("#frame-on")
    fox.until_other_text("#frame-value", paused)
    test_why(fox)
    fox.click("#stop")
    fox.until_shown("#live", False)


def test_track(fox):
    """Follows what a drawn box shows, and shows the scores around it."""
    fox.click("[data-system=track]")
    fox.until_text("#summary", "Draw a box")
    fox.focus("#frame")
    fox.press("Home")
    fox.until_text("#frame-value", "^0 ")
    draw_box(fox, -100, -75)
    fox.until_text("#summary", "Press Play")
    fox.click("#play")
    fox.again("some frames pass", lambda: int(re.match(r"\d+", fox.text("#frame-value")).group()) > 3)
    fox.click("#play")
    fox.until_text("#command", "fovea emd track")
    photograph(fox, "tracking")
    fox.click("#stop")
    fox.until_shown("#live", False)


def test_mesh(fox, mesh):
    """A mesh is turned by mouse and keys and asked about by its faces."""
    fox.send("#choose", str(mesh))
    fox.until_text("#summary", "faces has")
    settled(fox)
    fox.until_shown("#model .stage.drawn")
    fox.until_shown("#colors")
    x, y = fox.place("#model .stage")
    looks_otherwise(fox, "#model canvas", lambda: fox.drag((x, y), (x + 80, y + 20)))
    fox.focus("#model .stage")
    for key in ("ArrowLeft", "Shift+ArrowUp", "+", "0"):
        looks_otherwise(fox, "#model canvas", lambda key=key: fox.press(key))
    fox.click_at((x, y))
    fox.until_text("#why-title", "Why face")
    fox.until_shown("#model .spot")
    photograph(fox, "mesh")


def test_cube(fox, cube):
    """Two files that belong together, one of whose pixels is the target."""
    drop(fox, *cube)
    fox.until_text("#summary", "Draw a box")
    fox.click_at(fox.place("#canvas"))
    fox.until_text("#summary", "like the target")
    fox.until_text("#command", ",1,1 ")


def test_saved(fox, page, mesh):
    """Saved pages need neither the program nor a network."""
    fox.set_offline(True)
    fox.open(page.as_uri())
    fox.until_text("h1", "People in")
    fox.until_loaded("figure img")
    photograph(fox, "saved")
    fox.open(mesh.as_uri())
    fox.until_shown(".stage.drawn")
    fox.focus(".stage")
    looks_otherwise(fox, ".stage canvas", lambda: fox.press("ArrowLeft"))
    fox.set_offline(False)


def test_sizes(fox, address):
    for scheme in ("light", "dark"):
        for name, size in SIZES.items():
            fox.set_scheme(scheme)
            fox.set_size(*size)
            fox.open(address)
            settled(fox)
            assert fox.script("return document.documentElement.scrollWidth <= innerWidth;"), f"{name} is wider than the screen"
            photograph(fox, f"{name}_{scheme}")
            fox.open("about:blank")  # so that the next page is another one, not a place in the same


def test_embedded(fox, street):
    """The page inside of a page of another site, as notebooks show it."""
    with Notebook() as notebook:
        served = Served(PROGRAM, [street, "--allow-embedding", notebook.origin])
        try:
            fox.open(notebook.page_with(served.address))
            fox.turn_to("iframe")
            settled(fox)
            fox.until_loaded("#strip img")
            fox.turn_to(None)
            photograph(fox, "embedded")
            fox.open("about:blank")
            # The cookie of the page by itself is not kept there; the one for frames is, or nothing would have been shown.
            errors = [error for error in fox.collect_errors() if "fovea_" not in error]
            assert not errors, errors
            fox.errors.clear()
        finally:
            served.end()


def test_all(fox, served, folder):
    fox.set_size(*SIZES["wide"])
    fox.open(served.address)
    test_listening(fox)
    street = drawings.street(PROGRAM, folder / "crowd")[0]
    test_people(fox, street)
    test_layers(fox)
    test_why(fox)
    test_zoom(fox)
    page = test_save(fox, folder, "people.html")
    test_numbers_and_picture(fox)
    test_stop(fox)
    test_keys(fox)
    test_play(fox, drawings.walk(PROGRAM, folder / "walk", "160x120", 1500, "walk.mkv"))
    test_track(fox)
    test_mesh(fox, drawings.body(folder / "body.off"))
    mesh = test_save(fox, folder, "mesh.html")
    test_cube(fox, drawings.cube(PROGRAM, folder / "cubes"))
    test_saved(fox, page, mesh)
    test_sizes(fox, served.address)
    errors = fox.collect_errors()
    assert not errors, errors
    test_embedded(fox, street)


def main():
    if firefox.PROGRAM is None:
        print("skipped: Firefox is not installed (firefox-esr)")
        sys.exit(77)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))  # so that the browser and the program end, too
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        served = Served(PROGRAM, [])
        try:
            fox = firefox.Firefox(folder / "firefox")
            try:
                test_all(fox, served, folder)
            finally:
                fox.close()
        finally:
            served.end()
    print("all steps passed")


if __name__ == "__main__":
    main()
