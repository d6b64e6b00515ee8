"""What the tests of all browsers share: the program that listens, and files that are dropped on its page."""
import base64
import re
import subprocess

SIZES = {"wide": (1280, 800), "phone": (390, 844)}

# A function of JavaScript that drops files, as packed() gives them, on the page.
DROP = """(files) => {
  const transfer = new DataTransfer();
  for (const [data, name] of files) transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
  document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: transfer, bubbles: true, cancelable: true}));
}"""


def packed(paths):
    """Files as texts: bytes in base 64, and the name."""
    return [[base64.b64encode(path.read_bytes()).decode(), path.name] for path in paths]


class Served:
    """The program, listening, and its address."""

    def __init__(self, program, inputs):
        self.process = subprocess.Popen([program, "view", "--no-open", *inputs], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#[0-9a-f]{64}", self.address), self.address

    def end(self):
        self.process.terminate()
        assert self.process.wait(60) == 0
