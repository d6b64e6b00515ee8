"""What the tests in Chromium share: pages whose errors are heard, and what a user does on them."""
import pathlib
import re
import sys

from playwright.sync_api import expect

from serving import DROP, packed

PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
LIMIT = 60000  # milliseconds for anything that is waited for; only a page that does not work takes them all
expect.set_options(timeout=LIMIT)


def photograph(page, name):
    if PICTURES is not None:
        page.screenshot(path=PICTURES / f"{name}.png")


def watched(browser, errors, **settings):
    context = browser.new_context(accept_downloads=True, **settings)
    context.set_default_timeout(LIMIT)
    page = context.new_page()
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page


def drop(page, *paths):
    page.evaluate(DROP, packed(paths))


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
    expect(page.locator("#state")).to_have_text(re.compile(r"\d+ ms"))
    expect(page.locator("#message")).to_be_hidden()
