"""Inputs that are drawn: scenes of the program, and a body with limbs."""
import json
import math
import subprocess


def run(program, *words):
    subprocess.run([program, *words, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def street(program, folder, size="320x240", frames=1):
    """Images of a street with drawn people; their boxes are in folder/truth.json."""
    run(program, "people", "scene", "-o", folder, "--video", "%06d.png", "--frames", str(frames), "--size", size)
    images = sorted(folder.glob("*.png"))
    (folder / "truth.json").write_text(json.dumps(coco(images, (folder / "gt.txt").read_text())))
    return images


def coco(images, tracks):
    """The boxes of a MOT text as COCO annotations; people who are mostly hidden count nothing."""
    boxes = []
    for line in tracks.splitlines():
        frame, _, x, y, width, height, _, _, visible = map(float, line.split(","))
        boxes.append({"id": len(boxes) + 1, "image_id": int(frame), "category_id": 1, "bbox": [x, y, width, height],
                      "ignore": int(visible < 0.3)})
    return {"images": [{"id": i + 1, "file_name": image.name} for i, image in enumerate(images)],
            "categories": [{"id": 1, "name": "person"}], "annotations": boxes}


def walk(program, folder, size, frames, name="walk.avi"):
    """A video of people who walk about."""
    run(program, "people", "scene", "-o", folder, "--video", name, "--frames", str(frames), "--size", size)
    return folder / name


def without_length(path):
    """A Matroska file whose length is blanked out, as in one that was never finished."""
    data = path.read_bytes()
    at = data.index(b"\x44\x89\x88")  # Duration, of 8 bytes, becomes Void
    path.write_bytes(data[:at] + b"\xec\x89" + bytes(9) + data[at + 11:])
    return path


def cube(program, folder, size="64x48"):
    """The header and the samples of a multispectral cube."""
    run(program, "emd", "scene", "-o", folder, "--frames", "1", "--size", size)
    return [next(folder.rglob(f"*{end}")) for end in (".hdr", ".img")]


def moving(program, folder, size="160x120"):
    """Two images of a texture that moves, with the true motion as flow10.flo beside them."""
    run(program, "flow", "scene", "-o", folder, "--size", size)
    return [folder / "frame10.png", folder / "frame11.png"]


def ball(divisions):
    """Vertices and faces of an octahedron whose faces are divided into four again and again."""
    vertices = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(divisions):
        middles = {}

        def middle(a, b):
            key = (min(a, b), max(a, b))
            if key not in middles:
                point = [vertices[a][i] + vertices[b][i] for i in range(3)]
                middles[key] = len(vertices)
                vertices.append(tuple(x / math.hypot(*point) for x in point))
            return middles[key]

        faces = [face for a, b, c in faces for ab, bc, ca in [(middle(a, b), middle(b, c), middle(c, a))]
                 for face in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    return vertices, faces


def body(path, divisions=4):
    """A body with a head, two arms and two legs."""
    limbs = [(0, 1, 0, 0.45), (1, 0.25, 0.1, 0.6), (-1, 0.25, 0.1, 0.6), (0.5, -0.95, 0, 0.75), (-0.5, -0.95, 0, 0.75)]
    vertices, faces = ball(divisions)
    lines = [f"OFF\n{len(vertices)} {len(faces)} 0"]
    for point in vertices:
        reach = 0.42
        for x, y, z, length in limbs:
            cosine = sum(p * q for p, q in zip(point, (x, y, z))) / math.hypot(x, y, z)
            reach += length * math.exp(14 * (cosine - 1))
        lines.append(" ".join(f"{reach * p:.5f}" for p in point))
    lines += [f"3 {a} {b} {c}" for a, b, c in faces]
    path.write_text("\n".join(lines) + "\n")
    return path
