"""The page inside of a page of another site, as notebooks show it, and behind a proxy that gives it in a folder."""
import re

from playwright.sync_api import expect

from chromium import photograph, settled, watched
from notebook import Notebook
from serving import Served


def test_inside(browser, errors, notebook, address, name):
    page = watched(browser, errors, viewport={"width": 1280, "height": 800})
    page.goto(notebook.page_with(address))
    inside = page.frame_locator("iframe")
    settled(inside)
    thumbnail = inside.locator("#strip img").first
    expect(thumbnail).to_have_js_property("complete", True)
    assert thumbnail.evaluate("(image) => image.naturalWidth") > 0
    inside.locator("[data-option=threshold] input[type=number]").fill("-2")
    inside.locator("[data-option=threshold] input[type=number]").press("Tab")
    expect(inside.locator("#command")).to_contain_text("--threshold -2")
    settled(inside)
    photograph(page, f"embedded_{name}")
    page.close()


def test_refused(browser, notebook, address):
    """Without the option nobody embeds the page."""
    page = watched(browser, [])
    with page.expect_console_message(lambda message: "frame-ancestors 'none'" in message.text):
        page.goto(notebook.page_with(address))
    expect(page.frame_locator("iframe").locator("#canvas")).to_have_count(0)
    page.close()


def test_embedding(program, browser, errors, street):
    with Notebook() as notebook:
        served = Served(program, [street, "--allow-embedding", notebook.origin])
        try:
            port, token = re.search(r":(\d+)/#(\w+)", served.address).groups()
            test_inside(browser, errors, notebook, served.address, "other_site")
            test_inside(browser, errors, notebook, f"/proxy/{port}/#{token}", "proxy")
        finally:
            served.end()
        served = Served(program, [street])
        try:
            test_refused(browser, notebook, served.address)
        finally:
            served.end()
