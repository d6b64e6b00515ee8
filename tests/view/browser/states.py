"""What the page keeps: its state is in the address, options can be taken back, and of the files that are added none is lost
without a word."""
import re

from playwright.sync_api import expect

from chromium import drag, photograph, set_number, settled, watched
from serving import Served, packed

# Drops a folder with two files in it, as a browser gives it, whose bytes are those of `files`.
DROP_FOLDER = """(files) => {
  const entries = files.map(([data, name]) => ({name, isFile: true, isDirectory: false,
    file: (resolve) => resolve(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name))}));
  const entry = {name: 'folder', fullPath: '/folder', isFile: false, isDirectory: true,
    createReader: () => ({readEntries: (resolve) => resolve(entries.splice(0, 1))})};
  const event = new DragEvent('drop', {bubbles: true, cancelable: true});
  const items = [{kind: 'file', webkitGetAsEntry: () => entry, getAsFile: () => null}];
  Object.defineProperty(event, 'dataTransfer', {value: {types: ['Files'], items}});
  document.body.dispatchEvent(event);
}"""


def opened(browser, errors, address):
    page = watched(browser, errors, viewport={"width": 1280, "height": 800})
    page.goto(address)
    return page


def test_address(page, names):
    """Reload, another tab, Back and Forward show what the address says."""
    settled(page)
    set_number(page, "threshold", "-2")
    expect(page.locator("#command")).to_contain_text("--threshold -2")
    settled(page)
    box = page.locator("#canvas").bounding_box()
    page.locator("#canvas").click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page.locator("#why .reason").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"option\.threshold=-2&why=[\d.]+,[\d.]+$"))
    address, why = page.url, page.locator("#why-body").inner_text()
    page.reload()
    other = page.context.new_page()
    other.goto(address)
    for each in (page, other):
        expect(each.locator("#command")).to_contain_text("--threshold -2")
        expect(each.locator("#why-body")).to_have_text(why, use_inner_text=True)
        expect(each).to_have_url(address)
    other.close()
    page.locator("[data-system=emd]").click()
    expect(page.locator("#summary")).to_contain_text("Draw a box")
    drag(page, -40, -30)
    expect(page.locator("#command")).to_contain_text("--target")
    settled(page)
    target = re.search(r"--target [\d,]+", page.locator("#command").inner_text()).group()
    page.locator("#strip button").nth(1).click()
    expect(page).to_have_title(f"{names[1]} – Color match – Fovea")
    expect(page.locator("#summary")).to_contain_text("Draw a box")
    page.go_back()
    expect(page.locator("#command")).to_contain_text(target)
    expect(page).to_have_title(f"{names[0]} – Color match – Fovea")
    page.go_back()
    expect(page.locator("#why-body")).to_have_text(why, use_inner_text=True)
    expect(page).to_have_url(address)
    page.go_forward()
    expect(page.locator("#command")).to_contain_text(target)
    photograph(page, "address")
    page.locator("[data-system=people]").click()


def test_steps(page):
    """Options are taken back and made again by keys, one drag of a slider at a time."""
    line = page.locator("#command")
    expect(line).to_contain_text("--threshold -2")
    page.locator("[data-option=threshold] .undo").click()
    expect(line).not_to_contain_text("--threshold")
    page.locator("[data-option=threshold] input[type=range]").evaluate("""(slider) => {
        for (const [kind, value] of [['input', -1], ['input', 1], ['change', 1]]) {
            slider.value = value;
            slider.dispatchEvent(new Event(kind, {bubbles: true}));
        }
    }""")
    expect(line).to_contain_text("--threshold 1")
    page.keyboard.press("Control+z")
    expect(line).not_to_contain_text("--threshold")
    set_number(page, "ratio", "1.2")
    expect(line).to_contain_text("--ratio 1.2")
    page.keyboard.press("Control+z")
    expect(line).not_to_contain_text("--ratio")
    expect(page.locator("[data-option=ratio]")).not_to_have_class(re.compile("changed"))
    page.keyboard.press("Control+z")
    expect(line).to_contain_text("--threshold -2")
    page.keyboard.press("Control+Shift+Z")
    expect(line).not_to_contain_text("--threshold")
    page.keyboard.press("Control+Shift+Z")
    expect(line).to_contain_text("--ratio 1.2")
    expect(page.locator("[data-option=ratio] input[type=number]")).to_have_value("1.2")
    settled(page)


def test_unknown_input(browser, errors, served):
    """A bookmark may name what is not there any more."""
    page = opened(browser, errors, served.address.replace("/#", "/?input=gone.jpg&system=nobody&option.none=1#"))
    expect(page.locator("#message")).to_contain_text("gone.jpg is not among the inputs")
    expect(page.locator("#state")).to_have_text(re.compile(r"\d+ ms"))
    page.close()


def test_added(page, folder, street):
    """Refused files are named beside those that are shown, and a folder that is dropped is opened."""
    count = page.locator("#strip button").count()
    for name in ("notes.txt", "broken.hdr"):
        (folder / name).write_text("no input")
    page.locator("#choose").set_input_files([str(folder / "notes.txt"), str(street), str(folder / "broken.hdr")])
    expect(page.locator("#strip button")).to_have_count(count + 1)
    message = page.locator("#message")
    for words in ("notes.txt", "broken.hdr is the header of a cube"):
        expect(message).to_contain_text(words)
    expect(page.locator("#state")).to_have_text(re.compile(r"\d+ ms"))
    photograph(page, "refused")
    page.evaluate("""() => {
        const state = document.getElementById('state');
        window.states = [];
        new MutationObserver(() => window.states.push(state.textContent)).observe(state, {childList: true, characterData: true, subtree: true});
    }""")
    page.evaluate(DROP_FOLDER, packed([folder / "notes.txt", street, street]))
    expect(page.locator("#strip button")).to_have_count(count + 3)
    settled(page)
    states = page.evaluate("window.states")
    assert any(re.fullmatch(rf"Adding {street.name}, 2 of 2, \d+ %", each) for each in states), states


def test_restart(program, browser, inputs):
    """Uploads of one page appear in all. Where the program has gone, the page says what to run, and goes on when it was run."""
    served = Served(program, inputs[:1])
    port = re.search(r":(\d+)/", served.address).group(1)
    try:
        page = opened(browser, [], served.address)
        settled(page)
        other = page.context.new_page()
        other.goto(served.address.split("#")[0])
        settled(other)
        other.locator("#choose").set_input_files(str(inputs[1]))
        expect(other.locator("#strip button")).to_have_count(2)
        expect(page.locator("#strip button")).to_have_count(2)
        other.close()
        set_number(page, "threshold", "-2")
        expect(page.locator("#command")).to_contain_text("--threshold -2")
    finally:
        served.end()
    expect(page.locator("#message")).to_contain_text(f"run fovea view --port {port} with the same inputs")
    photograph(page, "lost")
    served = Served(program, [*inputs[:1], "--port", port])
    try:
        expect(page.locator("#message")).to_contain_text("open the address that it has printed")
        other = page.context.new_page()
        other.goto(served.address)
        settled(page)
        expect(page.locator("#command")).to_contain_text("--threshold -2")
        page.context.close()
    finally:
        served.end()


def test_states(program, browser, errors, folder, inputs):
    street, pair = inputs[:2]
    served = Served(program, [street, *pair])
    try:
        page = opened(browser, errors, served.address)
        test_address(page, [street.name, *(each.name for each in pair)])
        test_steps(page)
        page.close()
        test_unknown_input(browser, errors, served)
        refusals = []  # a refused file is an error of the console, too
        page = opened(browser, refusals, served.address)
        settled(page)
        test_added(page, folder, street)
        assert all("status of 4" in refusal for refusal in refusals), refusals
        page.close()
    finally:
        served.end()
    test_restart(program, browser, [street, pair[0]])
