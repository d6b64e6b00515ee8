"""A server such as that of notebooks: its page shows another one inside of it, and it gives the program in a folder of its own."""
import html
import re
import socket
import threading
import urllib.parse


class Notebook:
    """GET /page?ADDRESS is a page that shows that address, and /proxy/PORT/ gives what the program at the port answers."""

    def __init__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://localhost:{self.listening.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.listening.close()

    def page_with(self, address):
        return f"{self.origin}/page?{urllib.parse.quote(address, safe='')}"

    def accept(self):
        while True:
            try:
                peer = self.listening.accept()[0]
            except OSError:  # closed
                return
            threading.Thread(target=self.answer, args=(peer,), daemon=True).start()

    def answer(self, peer):
        with peer:
            head = b""
            while not head.endswith(b"\r\n\r\n") and (more := peer.recv(1)):
                head += more
            path = head.split(b" ")[1].decode() if head.count(b" ") > 1 else ""
            if proxied := re.match(r"/proxy/(\d+)(/.*)", path):
                return pass_on(peer, int(proxied[1]), head.replace(path.encode(), proxied[2].encode(), 1))
            shown = html.escape(urllib.parse.unquote(path.removeprefix("/page?")))
            body = f'<!doctype html><title>Notebook</title><iframe src="{shown}" width="1200" height="700"></iframe>' if "?" in path else ""
            peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())


def pass_on(peer, port, head):
    """One request, or all of a WebSocket, with its headers as they are."""
    if b"upgrade: websocket" not in head.lower():
        head = re.sub(rb"\r\nConnection: [^\r]*", b"", head, flags=re.IGNORECASE)[:-2] + b"Connection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as program:
        program.sendall(head)
        back = threading.Thread(target=pump, args=(program, peer), daemon=True)
        back.start()
        pump(peer, program)
        back.join()


def pump(source, target):
    """Hands bytes on until one of both ends."""
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
