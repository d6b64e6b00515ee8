#!/usr/bin/env python3
"""Draws sequences for trackers whose true boxes are known, from photographs.

    track_scenes.py PHOTOS PEOPLE OUTPUT --kinds face walker object --seeds 1 2 3

PHOTOS is a folder of photographs (any depth), which become backgrounds, occluders and the texture of objects. PEOPLE is a
folder of crops with one person each, such as INRIA's 96x160 training windows. Every sequence becomes a folder
OUTPUT/KIND_SEED with frames img/0001.jpg, ... and groundtruth_rect.txt, as in the Online Tracking Benchmark.

face    a drawn head, whose colors are nearly gray, sways in front of a still room; things of other textures hide up to
        four fifths of it for a while, and the light changes
walker  a person walks and is followed by a camera that pans, shakes and zooms; posts and others who look alike come between
object  an oval piece of a photograph turns, grows and shrinks, and moves with blur past pieces that share its colors
"""
import argparse
import pathlib

import cv2
import numpy

WIDTH, HEIGHT = 320, 240


def smooth(random, frames, steps, amplitude):
    """A curve through random values, one every `steps` frames."""
    knots = random.uniform(-1, 1, frames // steps + 3)
    at = numpy.arange(frames) / steps
    low = at.astype(int)
    share = (1 - numpy.cos(numpy.pi * (at - low))) / 2
    return amplitude * ((1 - share) * knots[low] + share * knots[low + 1])


def photo(random, files, width, height):
    image = None
    while image is None:
        image = cv2.imread(str(files[random.integers(len(files))]))
    factor = max(width / image.shape[1], height / image.shape[0]) * random.uniform(1, 1.4)
    size = (int(numpy.ceil(image.shape[1] * factor)), int(numpy.ceil(image.shape[0] * factor)))
    image = cv2.resize(image, size, interpolation=cv2.INTER_CUBIC)
    x, y = random.integers(size[0] - width + 1), random.integers(size[1] - height + 1)
    return image[y : y + height, x : x + width].astype(numpy.float32)


def paste(scene, sprite, alpha, matrix):
    """Draws a sprite through an affine map from its pixels to those of the scene."""
    size = (scene.shape[1], scene.shape[0])
    color = cv2.warpAffine(sprite, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.warpAffine(alpha, matrix, size, flags=cv2.INTER_LINEAR)[..., None]
    scene += cover * (color - scene)


def placed(sprite, center, scale, angle=0.0, shear=0.0):
    """The map that turns and scales a sprite around its middle and puts that at `center`."""
    height, width = sprite.shape[:2]
    c, s = scale * numpy.cos(angle), scale * numpy.sin(angle)
    linear = numpy.array([[c, -s], [s, c]]) @ numpy.array([[1, shear], [0, 1]])
    middle = numpy.array([width / 2, height / 2])
    return numpy.hstack([linear, (numpy.array(center) - linear @ middle)[:, None]])


def finished(scene, gain, tint, noise, random):
    scene = scene * (gain * tint) + random.normal(0, noise, scene.shape)
    return numpy.clip(scene, 0, 255).astype(numpy.uint8)


def fade(image, keep):
    gray = image.mean(2, keepdims=True)
    return gray + keep * (image - gray)


def draw_head(random):
    """A head of 128x160 pixels and its opacity."""
    width, height = 128, 160
    y, x = numpy.mgrid[:height, :width].astype(numpy.float32)
    skin = numpy.array([110, 135, 180], numpy.float32) * random.uniform(0.75, 1.15)
    hair = numpy.array([40, 45, 55], numpy.float32) * random.uniform(0.5, 2.2)
    light = 1 + 0.25 * (x - 64) / 64 * random.choice([-1, 1]) - 0.1 * (y - 80) / 80
    head = skin * light[..., None]
    head += cv2.GaussianBlur(random.normal(0, 60, (height, width)).astype(numpy.float32), (0, 0), 3)[..., None]

    def oval(cx, cy, rx, ry, color, opacity=1.0, soft=1.5):
        inside = (((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1).astype(numpy.float32)
        cover = opacity * cv2.GaussianBlur(inside, (0, 0), soft)[..., None]
        head[...] = head + cover * (numpy.asarray(color, numpy.float32) - head)

    line = random.uniform(30, 46)
    cover = cv2.GaussianBlur(
        ((y < line + 10 * numpy.sin(x / 18 + random.uniform(0, 6))) | (abs(x - 64) > 56)).astype(numpy.float32), (0, 0), 2
    )[..., None]
    head += cover * (hair - head)
    for side in (-1, 1):
        oval(64 + side * 23, 68, 13, 7, skin * 0.7, 0.7)
        oval(64 + side * 23, 70, 9, 4.5, (215, 220, 225))
        oval(64 + side * 23, 70, 4, 4.5, (35, 35, 40))
        oval(64 + side * 23, 56, 15, 3, hair, 0.8)
        oval(64 + side * 6, 98, 4, 3, skin * 0.5, 0.7)
    oval(64, 88, 6, 20, skin * 1.15, 0.5, 3)
    oval(64, 122, random.uniform(15, 24), 5, (80, 80, 140), 0.8)
    oval(64, 150, 34, 12, skin * 0.7, 0.5, 5)
    if random.random() < 0.4:
        for side in (-1, 1):
            cv2.circle(head, (64 + side * 23, 70), 17, (30, 30, 30), 2, cv2.LINE_AA)
    alpha = ((abs((x - 64) / 60) ** 2.4 + abs((y - 80) / 78) ** 2.4) <= 1).astype(numpy.float32)
    return head, cv2.GaussianBlur(alpha, (0, 0), 1.5)


def draw_face(random, photos, people, frames):
    keep = random.uniform(0.15, 0.6)
    scene = cv2.GaussianBlur(fade(photo(random, photos, WIDTH, HEIGHT), keep), (0, 0), 1.0)
    head, alpha = draw_head(random)
    head = fade(head, keep)
    body = fade(photo(random, photos, 200, 120), keep)
    body_alpha = numpy.zeros((120, 200), numpy.float32)
    cv2.ellipse(body_alpha, (100, 120), (98, 112), 0, 0, 360, 1, -1, cv2.LINE_AA)
    size = random.uniform(0.6, 0.9)
    reach = random.uniform(8, 45)
    x = WIDTH / 2 + smooth(random, frames, 30, reach)
    y = 105 + smooth(random, frames, 30, 0.4 * reach)
    angle, scale = smooth(random, frames, 35, 0.22), size * (1 + smooth(random, frames, 40, 0.07))
    gain = 1 + smooth(random, frames, 30, random.uniform(0, 0.3))
    things = []
    for start in range(random.integers(15, 30), frames - 30, 55):
        width, height = int(random.uniform(0.7, 1.3) * 128 * size), int(random.uniform(0.6, 1.3) * 160 * size)
        things.append((start, random.integers(25, 50), fade(photo(random, photos, width, height), keep), random.uniform(0, 6.3),
                       random.uniform(0.4, 0.9)))
    for i in range(frames):
        image = scene.copy()
        paste(image, body, body_alpha, placed(body, (x[i], y[i] + 128 * size), size * 1.25))
        paste(image, head, alpha, placed(head, (x[i], y[i]), scale[i], angle[i]))
        for start, length, thing, direction, deepest in things:
            at = (i - start) / length
            if not -0.5 < at < 1.5:
                continue
            away = (1 - min(1, 2 * min(at + 0.5, 1.5 - at))) * 2 + deepest
            spot = (x[i] + numpy.cos(direction) * away * 110 * size, y[i] + numpy.sin(direction) * away * 130 * size)
            paste(image, thing, numpy.ones(thing.shape[:2], numpy.float32), placed(thing, spot, 1, 0.3 * numpy.sin(3 * at)))
        box = (x[i] - 60 * scale[i], y[i] - 78 * scale[i], 120 * scale[i], 156 * scale[i])
        yield finished(image, gain[i], 1.0, 3, random), box


def cut_person(random, people):
    """A person of 64x128 pixels and the opacity, by GrabCut from a drawn silhouette."""
    for _ in range(50):
        image = cv2.imread(str(people[random.integers(len(people))]))
        if image is None or image.shape[:2] != (160, 96):
            continue
        guess = numpy.full((160, 96), cv2.GC_BGD, numpy.uint8)
        cv2.ellipse(guess, (48, 80), (26, 62), 0, 0, 360, cv2.GC_PR_BGD, -1)
        cv2.ellipse(guess, (48, 36), (8, 10), 0, 0, 360, cv2.GC_PR_FGD, -1)
        cv2.ellipse(guess, (48, 66), (15, 24), 0, 0, 360, cv2.GC_PR_FGD, -1)
        cv2.rectangle(guess, (38, 84), (58, 134), cv2.GC_PR_FGD, -1)
        cv2.ellipse(guess, (48, 64), (7, 18), 0, 0, 360, cv2.GC_FGD, -1)
        cv2.setRNGSeed(1)
        cv2.grabCut(image, guess, None, numpy.zeros((1, 65)), numpy.zeros((1, 65)), 4, cv2.GC_INIT_WITH_MASK)
        mask = ((guess == cv2.GC_FGD) | (guess == cv2.GC_PR_FGD)).astype(numpy.uint8)
        count, parts, stats, _ = cv2.connectedComponentsWithStats(mask)
        if count < 2:
            continue
        largest = 1 + int(numpy.argmax(stats[1:, cv2.CC_STAT_AREA]))
        left, top, width, height, area = stats[largest]
        if height < 95 or width < 24 or area < 0.35 * width * height:
            continue
        alpha = cv2.GaussianBlur((parts == largest).astype(numpy.float32), (0, 0), 0.8)
        cut = slice(top, top + height), slice(left, left + width)
        return image[cut].astype(numpy.float32), alpha[cut]
    raise SystemExit("no crop of PEOPLE shows a person who can be cut out; expected images of 96x160 pixels")


def striding(sprite, alpha, phase):
    """The lower half swings: each row below the hips moves sideways, the two sides against each other."""
    height, width = alpha.shape
    y, x = numpy.mgrid[:height, :width].astype(numpy.float32)
    below = numpy.clip(y / height - 0.5, 0, 1) * 2
    side = numpy.tanh((x - width / 2) / (0.15 * width))
    shift = 0.16 * width * numpy.sin(phase) * below * side + 0.05 * width * numpy.sin(phase + 1) * (1 - below)
    source = (x + shift).astype(numpy.float32), y
    return (cv2.remap(sprite, *source, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
            cv2.remap(alpha, *source, cv2.INTER_LINEAR, borderValue=0))


def draw_walker(random, photos, people, frames):
    margin = 260
    world = photo(random, photos, WIDTH + 2 * margin, HEIGHT + 120)
    keep = random.uniform(0.3, 1)
    world = fade(world, keep)
    person, alpha = cut_person(random, people)
    person = fade(person, keep)
    size = random.uniform(0.5, 0.95)
    speed = random.uniform(0.4, 1.6) * random.choice([-1, 1])
    way = speed * numpy.arange(frames)
    x0 = WIDTH / 2 + margin - way[-1] / 2
    walk = x0 + way + smooth(random, frames, 25, 12)
    bob = HEIGHT / 2 + 60 + smooth(random, frames, 40, 15) + 1.5 * numpy.sin(numpy.arange(frames) * 0.8)
    # The camera follows, late and not steadily.
    camera_x = walk + smooth(random, frames, 22, 70) + random.normal(0, 1.2, frames)
    camera_y = HEIGHT / 2 + 60 + smooth(random, frames, 18, 28) + random.normal(0, 1.0, frames)
    zoom = 1 + smooth(random, frames, 45, 0.15)
    grow = 1 + smooth(random, frames, 60, random.uniform(0, 0.25))
    gain = 1 + smooth(random, frames, 30, random.uniform(0, 0.25))

    def clear(place, distance):  # nothing hides the person in the first frame
        side = 1 if place > walk[0] else -1
        return place if abs(place - walk[0]) > distance else walk[0] + side * distance

    others = []
    for _ in range(random.integers(0, 3)):
        sprite, cover = cut_person(random, people)
        place = x0 + random.uniform(-60, 60 + abs(way[-1])) * numpy.sign(speed)
        others.append((fade(sprite, keep), cover, clear(place, 60),
                       random.uniform(-1.2, 1.2), random.uniform(0.85, 1.1), random.uniform(-6, 8)))
    posts = []
    for _ in range(random.integers(0, 3)):
        width, height = random.integers(10, 46), random.integers(60, 260)
        place = x0 + way[random.integers(20, frames)] * random.uniform(0.9, 1.1)
        posts.append((photo(random, photos, width, height), clear(place, 55), bob[0] + random.uniform(0, 60)))
    previous = None
    for i in range(frames):
        camera = numpy.array([[zoom[i], 0, WIDTH / 2 - zoom[i] * camera_x[i]],
                              [0, zoom[i], HEIGHT / 2 - zoom[i] * camera_y[i]]])
        image = cv2.warpAffine(world, camera, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)

        def on_screen(x, y):
            return camera[:, :2] @ numpy.array([x, y]) + camera[:, 2]

        for sprite, cover, start, pace, relative, lower in others:
            moved, mask = striding(sprite, cover, 0.5 * i + 2)
            if lower < 0:
                paste(image, moved, mask, placed(moved, on_screen(start + pace * i, bob[i] + lower), size * relative * zoom[i]))
        stepping, mask = striding(person, alpha, 0.45 * i * min(1.5, 0.6 + abs(speed)))
        scale = size * zoom[i] * grow[i]
        middle = on_screen(walk[i], bob[i])
        paste(image, stepping, mask, placed(stepping, middle, scale))
        for sprite, cover, start, pace, relative, lower in others:
            moved, mask = striding(sprite, cover, 0.5 * i + 2)
            if lower >= 0:
                paste(image, moved, mask, placed(moved, on_screen(start + pace * i, bob[i] + lower), size * relative * zoom[i]))
        for sprite, px, py in posts:
            paste(image, sprite, numpy.ones(sprite.shape[:2], numpy.float32), placed(sprite, on_screen(px, py), zoom[i]))
        step = 0.0 if previous is None else numpy.hypot(*(camera[:, 2] - previous))
        previous = camera[:, 2].copy()
        if step > 4:
            kernel = numpy.zeros((9, 9), numpy.float32)
            kernel[4, 4 - min(4, int(step / 4)) : 5 + min(4, int(step / 4))] = 1
            image = cv2.filter2D(image, -1, kernel / kernel.sum())
        height, width = (scale * side for side in alpha.shape)
        yield finished(image, gain[i], 1.0, 2.5, random), (middle[0] - width / 2, middle[1] - height / 2, width, height)


def draw_object(random, photos, people, frames):
    side = random.integers(36, 70)
    tall = int(side * random.uniform(0.7, 1.5))
    scene = photo(random, photos, WIDTH, HEIGHT)
    source = photo(random, photos, 3 * side, 3 * tall)
    alpha = numpy.zeros((tall, side), numpy.float32)
    cv2.ellipse(alpha, (side // 2, tall // 2), (side // 2 - 1, tall // 2 - 1), 0, 0, 360, 1, -1, cv2.LINE_AA)
    pieces = [source[tall : 2 * tall, side : 2 * side], source[:tall, :side], source[2 * tall :, 2 * side :]]
    ways = []
    for k, piece in enumerate(pieces):
        ways.append((piece, WIDTH / 2 + smooth(random, frames, random.integers(14, 26), 105),
                     HEIGHT / 2 + smooth(random, frames, random.integers(14, 26), 70), smooth(random, frames, 30, 0.45),
                     1 + smooth(random, frames, 45, 0.3)))
    gain = 1 + smooth(random, frames, 25, random.uniform(0, 0.35))
    tint = numpy.stack([1 + smooth(random, frames, 30, 0.08) for _ in range(3)], 1)
    for i in range(frames):
        image = scene.copy()
        for piece, x, y, angle, scale in ways[1:] + ways[:1]:
            paste(image, piece, alpha, placed(piece, (x[i], y[i]), scale[i], angle[i]))
        _, x, y, angle, scale = ways[0]
        if i > 0 and numpy.hypot(x[i] - x[i - 1], y[i] - y[i - 1]) > 5:
            image = cv2.blur(image, (5, 1))
        a, b = scale[i] * side / 2, scale[i] * tall / 2
        half_width = numpy.hypot(a * numpy.cos(angle[i]), b * numpy.sin(angle[i]))
        half_height = numpy.hypot(a * numpy.sin(angle[i]), b * numpy.cos(angle[i]))
        yield (finished(image, gain[i], tint[i], 3, random),
               (x[i] - half_width, y[i] - half_height, 2 * half_width, 2 * half_height))


DRAWERS = {"face": draw_face, "walker": draw_walker, "object": draw_object}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=pathlib.Path)
    parser.add_argument("people", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--kinds", nargs="+", choices=sorted(DRAWERS), default=sorted(DRAWERS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--frames", type=int, default=150)
    arguments = parser.parse_args()
    photos, people = (sorted(path for kind in ("*.jpg", "*.png") for path in folder.rglob(kind))
                      for folder in (arguments.photos, arguments.people))
    for folder, files in ((arguments.photos, photos), (arguments.people, people)):
        if not files:
            raise SystemExit(f"{folder} has no .jpg or .png file")
    for kind in arguments.kinds:
        for seed in arguments.seeds:
            random = numpy.random.default_rng([seed, sorted(DRAWERS).index(kind)])
            folder = arguments.output / f"{kind}_{seed}"
            (folder / "img").mkdir(parents=True, exist_ok=True)
            boxes = []
            for image, box in DRAWERS[kind](random, photos, people, arguments.frames):
                boxes.append(box)
                cv2.imwrite(str(folder / "img" / f"{len(boxes):04}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 92])
            lines = [",".join(f"{value:.2f}" for value in (x + 1, y + 1, w, h)) for x, y, w, h in boxes]
            (folder / "groundtruth_rect.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
