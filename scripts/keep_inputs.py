"""The small inputs of scripts/keep_outputs: pictures, videos, meshes and tables that are drawn here, and those that the
program itself draws, cuts or learns (PREPARED). All random numbers have fixed seeds."""
import json
import math
import pathlib
import random
import struct
import zlib

# Commands that make inputs of what is drawn here, run in the folder of inputs, one after the other.
SMALL_ACTIONS = "--nodes 12 --step 6 --harris-levels 2 --harris-scales 1 --harris-threshold 1e-13"
SMALL_HOG = "--linear-enlarge 1 --linear-ratio 1.3 --linear-random-windows 8 --linear-hard-windows 100"
ACTIONS = ("across", "both", "grow", "up")
POINTS = "\n".join(f"actions points clips/{action}/s{subject}_swing.y4m -o points/{action}{subject}.txt --harris-levels 2 "
                   "--harris-scales 1 --harris-threshold 1e-13 --harris-space-weight 1 --votes magnitude" for action in ACTIONS for subject in range(3))
PREPARED = f"""
people train --kind hog --positives crops --negatives scenes -o hog.safetensors {SMALL_HOG}
people train --kind cascade --positives crops --negatives scenes -o cascade.safetensors --cascade-stages 2 --cascade-blocks-per-round 5 --cascade-negatives 60 --cascade-enlarge 1 --cascade-ratio 1.3 --cascade-ranking-windows 40
people scene -o crowd --size 240x160 --frames 24 --people 4 --video walk.y4m
people scene -o crowd2 --size 160x120 --frames 12 --people 2 --video %06d.png --seed 5
people scene -o tall --size 240x320 --frames 4 --people 3 --video %06d.png
people track crowd/walk.y4m --detections crowd/det.txt --mot tracks.txt
flow scene -o pairs/s0 --size 96x72
flow scene -o pairs/s1 --size 96x72 --step 5
flow scene -o pairs/s2 --size 80x60 --step 9
flow scene -o course/1 --size 96x72 --step 1
flow scene -o stereo --stereo --size 128x96 --nearest 12
flow lk pairs/s0/frame10.png pairs/s0/frame11.png -o lk.flo
flow lk pairs/s0/frame10.png pairs/s0/frame11.png -o lk.npy
emd scene -o cubes --size 48x48 --frames 5 --drawn-bands 8
scenes train places -o places.safetensors --dictionary 12 --samples 40 --neighbors 3
scenes sample places -o samples.npy --samples 30
scenes dictionary samples.npy -o words.safetensors --dictionary 6 --samples 30
scenes features places --dictionary words.safetensors -o features.npy --labels labels.csv
scenes filters places/lying/0.ppm -o responses/0.npy
scenes words places/lying --dictionary words.safetensors --numbers maps/lying/{{}}.npy
scenes words places/standing --dictionary words.safetensors --numbers maps/standing/{{}}.npy
{POINTS}
actions train clips -o swings.safetensors {SMALL_ACTIONS}
mesh arcs dumbbell.off -o arcs.csv
"""


def save(path: pathlib.Path, data: bytes | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def pnm(path: pathlib.Path, width: int, height: int, channels: int, pixel) -> None:
    """Writes PGM or PPM of what pixel(x, y) gives: a number, or one per channel."""
    rows = bytearray()
    for y in range(height):
        for x in range(width):
            value = pixel(x, y)
            rows += bytes(max(0, min(255, int(v))) for v in (value if channels == 3 else (value,)))
    save(path, f"P{5 if channels == 1 else 6}\n{width} {height}\n255\n".encode() + bytes(rows))


def png(path: pathlib.Path, width: int, height: int, channels: int, pixel) -> None:
    """Writes a gray PNG, or one with colors and alpha, of what pixel(x, y) gives."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y) if channels == 4 else (pixel(x, y),)) for x in range(width))
                    for y in range(height))
    kind = {1: 0, 4: 6}[channels]
    save(path, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)) +
         chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def y4m(path: pathlib.Path, width: int, height: int, frames: int, luma, chroma=None) -> None:
    """Writes a video whose pixels luma(x, y, frame) and chroma(x, y, frame) = (u, v) give."""
    data = bytearray(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{'444' if chroma else 'mono'}\n".encode())
    for t in range(frames):
        places = [(x, y) for y in range(height) for x in range(width)]
        data += b"FRAME\n" + bytes(max(0, min(255, int(luma(x, y, t)))) for x, y in places)
        for plane in range(2 if chroma else 0):
            data += bytes(chroma(x, y, t)[plane] for x, y in places)
    save(path, bytes(data))


def someone(x: int, y: int, left: int, top: int) -> bool:
    """Whether a pixel belongs to a person of two boxes in the window of 64x128 at (left, top)."""
    x, y = x - left, y - top
    return (26 <= x < 38 and 14 <= y < 30) or (20 <= x < 44 and 30 <= y < 114)


def draw_people(folder: pathlib.Path) -> None:
    def street(path, size, at, seed):
        noise = random.Random(seed)
        png(folder / path, *size, 1, lambda x, y: (220 if at and someone(x, y, *at) else 90) - 30 + noise.randrange(60))
    for i in range(8):
        street(f"crops/{i}.png", (80, 144), (8, 8), i)
    for i in range(4):
        street(f"scenes/{i}.png", (112 + 8 * i, 150), None, 100 + i)
    images, boxes = [], []
    for i in range(4):
        street(f"streets/street{i}.png", (160, 176), (8 * i, 16), 200 + i)
        x, y = 8 * i + 11 if i < 3 else 110, 28
        save(folder / f"boxes/street{i}.txt", f"""# PASCAL Annotation Version 1.00
Image filename : "x/street{i}.png"
Image size (X x Y x C) : 160 x 176 x 1
Objects with ground truth : 1 {{ "PASperson" }}
# Top left pixel co-ordinates : (0, 0)
Bounding box for object 1 "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : ({x}, {y}) - ({x + 41}, {y + 103})
""")
        images.append({"id": i + 1, "file_name": f"street{i}.png", "width": 160, "height": 176})
        boxes.append({"id": i + 1, "image_id": i + 1, "category_id": 1, "bbox": [x, y, 42, 104], "area": 42 * 104,
                      "iscrowd": 0})
    save(folder / "boxes.json", json.dumps({"images": images, "annotations": boxes,
                                            "categories": [{"id": 1, "name": "person"}]}))
    pnm(folder / "left_half.pgm", 160, 176, 1, lambda x, y: 255 if x < 60 else 0)
    noise = random.Random(7)
    y4m(folder / "street.y4m", 160, 176, 6,
        lambda x, y, t: (220 if someone(x, y, 8 + 6 * t, 16) else 90) - 30 + noise.randrange(60))
    save(folder / "cut_street.y4m", (folder / "street.y4m").read_bytes()[:-100])


def draw_motion(folder: pathlib.Path) -> None:
    """A textured square that moves over a textured ground, gray and in colors."""
    noise = random.Random(11)
    ground = [[noise.randrange(60) for _ in range(96)] for _ in range(72)]

    def luma(x, y, t):
        u, v = x - 20 - 2 * t, y - 20 - t
        return 150 + 60 * math.sin(u * 0.9) * math.cos(v * 0.7) if 0 <= u < 24 and 0 <= v < 20 else 60 + ground[y][x]

    def inside(x, y, t):
        return 20 + 2 * t <= x < 44 + 2 * t and 20 + t <= y < 40 + t
    y4m(folder / "square.y4m", 96, 72, 8, luma)
    y4m(folder / "color.y4m", 96, 72, 8, luma, lambda x, y, t: (90, 200) if inside(x, y, t) else (128, 128))
    save(folder / "square_boxes.txt", "".join(f"{21 + 2 * t},{21 + t},24,20\n" for t in range(8)))
    for t in range(4):
        pnm(folder / f"frames/{t:03}.ppm", 96, 72, 3,
            lambda x, y: (luma(x, y, t), luma(x, y, t) * (0.3 if inside(x, y, t) else 1), luma(x, y, t) * 0.8))
    pnm(folder / "visible.pgm", 128, 96, 1, lambda x, y: 255 if x > 12 else 0)
    pnm(folder / "truth.pgm", 96, 72, 1, lambda x, y: 255 if inside(x, y, 0) else 0)
    whole = (folder / "square.y4m").read_bytes()
    save(folder / "cut.y4m", whole[:-100])
    save(folder / "pairs.txt", "".join(f"pairs/{s}/frame10.png pairs/{s}/frame11.png pairs/{s}/flow10.flo\n"
                                       for s in ("s0", "s1")))
    problems = [{"p": [1, 2, 3, 4], "q": [4, 3, 2, 1]}, {"p": [0.5, 0.25, 0.25, 0], "q": [0, 0.5, 0, 0.5]}]
    save(folder / "problems.json", json.dumps({"ground": "l1", "problems": problems}))
    save(folder / "wrong_problems.json", json.dumps({"ground": "l1", "problems": [*problems, {"p": [1, -2], "q": [1, 1]}]}))
    save(folder / "many.json", json.dumps({"ground": [[0, 1, 4], [1, 0, 2], [4, 2, 0]],
                                           "P": [[1, 2, 3], [3, 2, 1]], "Q": [2, 2, 2]}))


def draw_places(folder: pathlib.Path) -> None:
    kinds = {"lying": lambda x, y: y // 3 % 2, "squares": lambda x, y: (x // 3 + y // 3) % 2,
             "standing": lambda x, y: x // 3 % 2}
    for k, (kind, light) in enumerate(kinds.items()):
        for i in range(4):
            noise = random.Random(100 * k + i)
            pnm(folder / f"places/{kind}/{i}.ppm", 48 + i, 40, 3,
                lambda x, y: [(60 if light(x, y) else 160) + noise.randrange(40) for _ in range(3)])
    for name, numbers in (("train.txt", (0, 1, 2)), ("test.txt", (3,))):
        save(folder / name, "".join(f"{kind}/{i}.ppm {kind}\n" for kind in kinds for i in numbers))
    save(folder / "listed.txt", "".join(f"places/{kind}/0.ppm {kind}\n" for kind in kinds))
    some = [(path, path.read_bytes()) for path in sorted((folder / "places").rglob("*.ppm"))]
    for path, data in some:
        save(folder / "some_places" / path.relative_to(folder / "places"), data)
    save(folder / "some_places/lying/broken.ppm", "no image")


def draw_actions(folder: pathlib.Path) -> None:
    """A textured square that swings across, up and down, both at once, or grows and shrinks."""
    def video(path, actions, subject, each):
        noise = random.Random(7 + subject)

        def luma(x, y, t):
            action = actions[t // each]
            swing = math.sin(0.55 * t + 0.9 * subject) if action else 0
            dx = x - (48 + subject % 3 + (16 * swing if action in ("across", "both") else 0))
            dy = y - (36 - subject % 2 + (12 * swing if action in ("up", "both") else 0))
            half = 9 + (4 * swing if action == "grow" else 0)
            shade = 230 if (math.floor(dx / 4) + math.floor(dy / 4)) % 2 == 0 else 170 + 5 * subject
            return (shade if abs(dx) < half and abs(dy) < half else 60 + (x + y) // 4) + noise.randrange(4)
        y4m(folder / path, 96, 72, each * len(actions), luma)
    for action in ACTIONS:
        for subject in range(3):
            video(f"clips/{action}/s{subject}_swing.y4m", [action], subject, 36)
    video("long.y4m", ["across", None, "up"], 1, 36)
    save(folder / "points.txt", "".join(f"points/{action}{subject}.txt {action} s{subject}\n" for action in ACTIONS
                                        for subject in range(3)))
    kth = "Training: person11, 12\nValidation: person19\nTest: person22, 02\n"
    for action, shown in (("boxing", "across"), ("walking", "up")):
        for person in ("11", "12", "19", "22", "02"):
            kth += f"person{person}_{action}_d1 frames 1-30\n"
            if (person, action) != ("02", "walking"):
                video(f"kth/{action}/person{person}_{action}_d1_uncomp.avi", [shown], int(person[1]), 30)
    save(folder / "kth/00sequences.txt", kth)


def draw_meshes(folder: pathlib.Path) -> None:
    """Two balls on a thin rod, around x along quads; a box of quads; and labels of people."""
    def dumbbell(around, along):
        def radius(t):
            return max(math.sqrt(max(0.04 - 0.25 * (t - 0.2) ** 2, 0.04 - 0.25 * (t - 0.8) ** 2, 0)), 0.03)
        vertices, faces = [], []
        for i in range(along + 1):
            r = 0.001 if i in (0, along) else radius(i / along)
            for j in range(around):
                a = 2 * math.pi * j / around
                vertices.append((2 * i / along, r * math.cos(a), r * math.sin(a)))
        for i in range(along):
            for j in range(around):
                a, b = i * around + j, i * around + (j + 1) % around
                faces += [(a, b, a + around), (b, b + around, a + around)]
        return vertices, faces

    def off(path, vertices, faces):
        save(folder / path, f"OFF\n{len(vertices)} {len(faces)} 0\n" +
             "".join("%.6f %.6f %.6f\n" % v for v in vertices) +
             "".join(f"{len(f)} {' '.join(map(str, f))}\n" for f in faces))
    off("dumbbell.off", *dumbbell(10, 24))
    off("meshes/thin.off", *dumbbell(6, 16))
    off("meshes/thick.off", *dumbbell(8, 14))
    for i in range(3):
        vertices, faces = dumbbell(6 + i, 10)
        off(f"off/{20 + i}.off", vertices, faces)
        for person in range(2):
            border = len(faces) // (2 + person)
            save(folder / f"seg/{20 + i}_{person}.seg", "".join(f"{int(k >= border)}\n" for k in range(len(faces))))
        save(folder / f"theirs/{20 + i}.seg", "".join(f"{k * 3 // len(faces)}\n" for k in range(len(faces))))
    save(folder / "counts.txt", "2\n3\n2\n")
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    save(folder / "box.obj", "".join("v %d %d %d\n" % c for c in corners) + "".join("f %d %d %d %d\n" % q for q in quads))
    save(folder / "sources.txt", "0\n30\n")


def draw_images(folder: pathlib.Path) -> None:
    def color(x, y):
        return (128 + 100 * math.sin(x / 5), 128 + 100 * math.cos(y / 7), (x * y) % 256)
    pnm(folder / "photos/color.ppm", 60, 40, 3, color)
    pnm(folder / "photos/gray.pgm", 50, 44, 1, lambda x, y: color(x, y)[0])
    png(folder / "photos/alpha.png", 48, 36, 4,
        lambda x, y: [int(v) for v in color(x, y)] + [0 if x < 10 else 255])
    save(folder / "deep.pgm", b"P5\n40 30\n65535\n" +
         b"".join(struct.pack(">H", (x * 1600 + y * 37) % 65536) for y in range(30) for x in range(40)))
    save(folder / "float.pfm", b"Pf\n40 30\n-1.0\n" +
         b"".join(struct.pack("<f", math.sin(x / 4) * y) for y in range(30) for x in range(40)))
    save(folder / "sharpen.txt", "0 -1 0\n-1 5 -1\n0 -1 0\n")
    save(folder / "blur.json", '{"command": "ops blur", "options": {"sigma": 1.5, "border": "reflect"}}')
    save(folder / "broken.ppm", "no image")
    save(folder / "broken.off", "no mesh")
    save(folder / "broken.y4m", "no video")
    save(folder / "list.txt", "photos/color.ppm\nphotos/gray.pgm\n")


def draw(folder: pathlib.Path) -> None:
    for part in (draw_people, draw_motion, draw_places, draw_actions, draw_meshes, draw_images):
        part(folder)
    for made in ("responses", "points"):  # whose files the program writes
        (folder / made).mkdir()


def join(folder: pathlib.Path) -> None:
    """Inputs made of what the program has drawn."""
    save(folder / "cubes.raw", b"".join(path.read_bytes() for path in sorted((folder / "cubes").glob("*.img"))))
