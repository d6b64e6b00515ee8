"""Firefox without a window, driven by its own protocol, Marionette: messages of JSON over a socket of this machine. Unlike the
protocols of other tools it is part of every Firefox, and it reaches the console of the whole browser, where errors of scripts and
refusals by a Content-Security-Policy are written."""
import base64
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
LIMIT = 120  # seconds for anything that is waited for; only a page that does not work takes them all
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010", "Shift": "\ue008"}
# A browser that asks nobody, saves files where it is told, and leaves the network alone.
SETTINGS = {
    "marionette.port": 0, "browser.startup.page": 0, "browser.startup.homepage": "about:blank", "browser.aboutwelcome.enabled": False,
    "startup.homepage_welcome_url": "about:blank", "browser.newtabpage.enabled": False, "browser.shell.checkDefaultBrowser": False,
    "app.normandy.enabled": False, "app.update.disabledForTesting": True, "datareporting.policy.dataSubmissionEnabled": False,
    "services.settings.server": "data:,", "extensions.update.enabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "toolkit.startup.max_resumed_crashes": -1, "browser.download.useDownloadDir": True,
    "browser.download.folderList": 2, "browser.download.alwaysOpenPanel": False, "ui.prefersReducedMotion": 1,
}
# Keeps what goes wrong in pages; what the browser says about itself is no concern of theirs.
LISTEN = """
const heard = window.heardErrors = [];
const isOfPages = (name) => !/^(resource|chrome|moz-extension|about|jar):/.test(name);
Services.console.registerListener({QueryInterface: ChromeUtils.generateQI(['nsIConsoleListener']), observe(message) {
  if (!(message instanceof Ci.nsIScriptError) || !isOfPages(message.sourceName)) return;
  const isWarning = (message.flags & Ci.nsIScriptError.warningFlag) !== 0;
  const isRefusal = /CSP|Content-Security-Policy/.test(message.category);
  if (message.isFromChromeContext && !isRefusal) return;
  if (isWarning && !isRefusal) return;
  heard.push(`${message.errorMessage} (${message.sourceName}:${message.lineNumber}, ${message.category})`);
}});"""
# What pages said by console.error() since the last time.
SAID = """
const storage = Cc['@mozilla.org/consoleAPI-storage;1'].getService(Ci.nsIConsoleAPIStorage);
const said = storage.getEvents().filter(({level, innerID}) => level === 'error' && Number.isInteger(innerID));
const texts = said.map(({arguments: words}) => Array.from(words ?? [], String).join(' '));
storage.clearEvents();
return texts;"""


class Refused(Exception):
    """The browser could not do as it was told; `kind` is the name of the reason."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Firefox:
    """One browser with one page. Keeps its files in `folder`, downloads in `downloads`."""

    def __init__(self, folder):
        self.downloads = folder / "downloads"
        self.errors = []
        self.number = 0
        profile = folder / "profile"
        for each in (profile, self.downloads):
            each.mkdir(parents=True)
        settings = {**SETTINGS, "browser.download.dir": str(self.downloads)}
        (profile / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                                                 for name, value in settings.items()))
        self.log = (folder / "log").open("w+")
        # Its own home: Firefox refuses one that belongs to another user. Its own group of processes: all of them end together.
        self.process = subprocess.Popen([PROGRAM, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile",
                                         profile], env={**os.environ, "HOME": str(folder)}, stdout=self.log, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        try:
            self.connect(profile / "MarionetteActivePort")
        except BaseException:
            self.close()
            raise

    def connect(self, port):
        """Firefox writes the port where it listens into a file."""
        end = time.monotonic() + LIMIT
        while not (port.exists() and port.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > end:
                self.log.seek(0)
                raise AssertionError(f"Firefox does not start: {self.log.read()[-2000:]}")
            time.sleep(0.02)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())), timeout=LIMIT)
        self.bytes = self.socket.makefile("rb")
        self.receive()  # its greeting
        self.command("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": 1000 * LIMIT, "pageLoad": 1000 * LIMIT}}})
        self.inside(LISTEN)

    def close(self):
        """Ends the browser, kindly where it listens."""
        try:
            self.socket.settimeout(30)
            self.command("Marionette:Quit", flags=["eForceQuit"])
            self.process.wait(30)
        except (AttributeError, OSError, ValueError, Refused, subprocess.TimeoutExpired):
            pass
        finally:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            self.log.close()

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.bytes.read(1)
            if not byte:
                raise OSError("Firefox has closed the connection")
            length += byte
        return json.loads(self.bytes.read(int(length[:-1])))

    def command(self, name, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        number = 0
        while number != self.number:  # those before it belong to commands that were interrupted
            _, number, error, result = self.receive()
        if error is not None:
            raise Refused(error["error"], error["message"])
        return result

    def script(self, text, *words, sandbox="default"):
        """Runs the body of a function in the page, with `words` as its arguments, and returns what it returns."""
        return self.command("WebDriver:ExecuteScript", script=text, args=words, sandbox=sandbox)["value"]

    def inside(self, text, *words):
        """Runs the body of a function in the browser itself."""
        self.command("Marionette:SetContext", value="chrome")
        try:
            return self.script(text, *words)
        finally:
            self.command("Marionette:SetContext", value="content")

    def open(self, address):
        self.collect_errors()
        self.command("WebDriver:Navigate", url=address)

    def collect_errors(self):
        """Errors of scripts, of the policy and of console.error() up to now, all of which are in `errors`."""
        self.errors += self.script(SAID, sandbox="system")
        self.errors += self.inside("return window.heardErrors.splice(0);")
        return self.errors

    # The page as the user has it.
    def set_size(self, width, height):
        """The page's own size; a window cannot be as narrow as a telephone."""
        self.inside("""const style = gBrowser.selectedBrowser.style;
            for (const [name, size] of [['width', arguments[0]], ['height', arguments[1]]])
              for (const each of [name, `min-${name}`, `max-${name}`]) style.setProperty(each, `${size}px`);""", width, height)
        self.until(f"the page is {width} pixels wide", "return innerWidth === arguments[0] && innerHeight === arguments[1];", width, height)

    def set_scheme(self, scheme):
        self.inside("Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', arguments[0]);", int(scheme == "light"))
        self.until(f"the page is {scheme}", "return matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches;", scheme)

    def turn_to(self, frame):
        """What follows is about the page inside of this element, or about the whole page for None."""
        chosen = {"id": None} if frame is None else {"element": self.element(frame)}
        self.command("WebDriver:SwitchToFrame", **chosen)

    def set_offline(self, offline):
        self.inside("Services.io.offline = arguments[0];", offline)

    def photograph(self, path):
        path.write_bytes(base64.b64decode(self.command("WebDriver:TakeScreenshot", full=False)["value"]))

    # Waiting.
    def until(self, what, text, *words):
        """Waits until the body of a function returns something true, and returns it."""
        return self.again(what, lambda: self.script(text, *words))

    def again(self, what, ask):
        end = time.monotonic() + LIMIT
        while True:
            try:
                value, refusal = ask(), None
            except Refused as error:  # an element that is replaced at this very moment
                value, refusal = None, error
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"after {LIMIT} s it is not so that {what} {refusal or ''}\n{self.shown_texts()}")
            time.sleep(0.02)

    def shown_texts(self):
        """What the page says, for messages of failures."""
        return self.script("return ['state', 'message', 'summary', 'command', 'why-title'].map((id) => "
                           "`${id}: ${document.getElementById(id)?.textContent}`).join('\\n');")

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0]).textContent;", selector)

    def until_text(self, selector, pattern):
        """Waits for a text that has a regular expression in it."""
        self.again(f"{selector} says '{pattern}'", lambda: re.search(pattern, self.text(selector)))

    def until_other_text(self, selector, text):
        self.again(f"{selector} does not say '{text}'", lambda: self.text(selector) != text)

    def until_shown(self, selector, shown=True):
        self.until(f"{selector} is {'shown' if shown else 'hidden'}",
                   "return (document.querySelector(arguments[0])?.checkVisibility() ?? false) === arguments[1];", selector, shown)

    def until_loaded(self, selector):
        self.until(f"the image {selector} is there", "const image = document.querySelector(arguments[0]); "
                   "return Boolean(image?.complete && image.naturalWidth);", selector)

    # Acting.
    def element(self, selector):
        return next(iter(self.command("WebDriver:FindElement", using="css selector", value=selector)["value"].values()))

    def click(self, selector):
        """Clicks when the element is there and nothing lies over it."""
        self.again(f"{selector} can be clicked", lambda: self.command("WebDriver:ElementClick", id=self.element(selector)) is not None)

    def send(self, selector, text):
        """Types into an element; into one for files, the path of a file."""
        self.again(f"{selector} takes keys", lambda: self.command("WebDriver:ElementSendKeys", id=self.element(selector), text=text) is not None)

    def enter(self, selector, value):
        """Replaces what a field holds and leaves it."""
        self.script("const field = document.querySelector(arguments[0]); field.scrollIntoView(); field.focus(); field.select();", selector)
        self.send(selector, value)
        self.press("Tab")

    def focus(self, selector):
        self.script("document.querySelector(arguments[0]).focus();", selector)

    def act(self, kind, steps, **source):
        self.command("WebDriver:PerformActions", actions=[{"type": kind, "id": kind, "actions": steps, **source}])
        self.command("WebDriver:ReleaseActions")

    def press(self, *names):
        """Presses keys, one after another; "Shift+Tab" holds the first."""
        steps = []
        for name in names:
            keys = [KEYS.get(key, key) for key in ([name] if len(name) == 1 else name.split("+"))]
            steps += [{"type": "keyDown", "value": key} for key in keys] + [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.act("key", steps)

    def place(self, selector, x=0.5, y=0.5):
        """A place in the page: shares of the width and height of an element."""
        left, top, width, height = self.script("const box = document.querySelector(arguments[0]).getBoundingClientRect(); "
                                               "return [box.left, box.top, box.width, box.height];", selector)
        return round(left + x * width), round(top + y * height)

    def drag(self, start, end):
        """Presses the mouse at one place of the page, and lets it go at another, or at the same."""
        (x, y), (x2, y2) = start, end
        between = [{"type": "pointerMove", "x": (x + i * (x2 - x) // 4), "y": (y + i * (y2 - y) // 4), "duration": 0} for i in range(1, 5)]
        self.act("pointer", [{"type": "pointerMove", "x": x, "y": y, "duration": 0}, {"type": "pointerDown", "button": 0},
                             *(between if start != end else []), {"type": "pointerUp", "button": 0}], parameters={"pointerType": "mouse"})

    def click_at(self, place):
        self.drag(place, place)

    def wheel(self, place, by):
        self.act("wheel", [{"type": "scroll", "x": place[0], "y": place[1], "deltaX": 0, "deltaY": by, "duration": 0}])

    def downloaded(self, name):
        """Waits for a file that the page saves: while it comes it is empty, beside a part of it."""
        path = self.downloads / name

        def came():
            return path.exists() and path.stat().st_size > 0 and not list(self.downloads.glob("*.part")) and path

        return self.again(f"{name} is saved", came)
