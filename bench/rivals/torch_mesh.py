#!/usr/bin/env python3
"""What a PyTorch user has today for all shortest paths between a mesh's faces, measured on the GPU of this machine.

Prints {"rows": [{name, device, size, rival, seconds}]} with the names and sizes of `fovea bench mesh`, whose --rivals option takes
the file and keeps the faster of two rivals. Median of CUDA-event timings after warm-up; distances stay on the device. The graph is
that of an icosahedron's faces divided in four again and again, costs drawn by chance.
  floyd-warshall, plain: one node after the other, torch.minimum of the matrix and a broadcast sum
  floyd-warshall, blocked: 64 nodes at a time as (tile, 64, N) sums and their amin, rows in chunks
  bellman-ford: all sources at once, scatter_reduce amin over the arcs, until nothing changes
  bellman-ford, gathered: the same over the three neighbors of each face, by index and amin
"""
import json

import torch

from torch_timing import seconds

PLAIN, BLOCKED, SCATTERED, GATHERED = 5120, 5120, 5120, 20480  # the largest graphs that end in a few seconds


def sphere(divisions):
    """Faces as triples of corners; corners are numbered as they are met."""
    g = (1 + 5 ** 0.5) / 2
    points = [tuple(s if i == axis else t if i == (axis + 1) % 3 else 0.0 for i in range(3))
              for s in (-1.0, 1.0) for t in (-g, g) for axis in range(3)]
    near = lambda a, b: sum((x - y) ** 2 for x, y in zip(points[a], points[b])) < 4.1
    faces = [(a, b, c) for a in range(12) for b in range(a + 1, 12) for c in range(b + 1, 12)
             if near(a, b) and near(b, c) and near(a, c)]
    corners = 12
    for _ in range(divisions):
        middles, divided = {}, []
        for face in faces:
            middle = []
            for k in range(3):
                edge = tuple(sorted((face[k], face[(k + 1) % 3])))
                if edge not in middles:
                    middles[edge] = corners
                    corners += 1
                middle.append(middles[edge])
            divided += [(face[k], middle[k], middle[(k + 2) % 3]) for k in range(3)] + [tuple(middle)]
        faces = divided
    return faces


def neighbors(faces):
    """The three faces beside each, and what it costs to go there."""
    first, beside = {}, [[] for _ in faces]
    generator = torch.Generator().manual_seed(1)
    for f, face in enumerate(faces):
        for k in range(3):
            edge = tuple(sorted((face[k], face[(k + 1) % 3])))
            if edge in first:
                cost = 0.5 + torch.rand((), generator=generator).item()
                beside[f].append((first[edge], cost))
                beside[first[edge]].append((f, cost))
            else:
                first[edge] = f
    to = torch.tensor([[node for node, _ in each] for each in beside], device="cuda")
    cost = torch.tensor([[c for _, c in each] for each in beside], device="cuda")
    return to, cost


def unknown(to, cost):
    nodes = len(to)
    distance = torch.full((nodes, nodes), float("inf"), device="cuda")
    distance.fill_diagonal_(0)
    return distance.scatter_(1, to, cost)


def floyd_warshall(to, cost):
    distance = unknown(to, cost)
    for k in range(len(to)):
        torch.minimum(distance, distance[:, k, None] + distance[None, k, :], out=distance)
    return distance


def product(a, b, chunk=64):
    """min over k of a[i, k] + b[k, j], some rows at a time."""
    return torch.cat([(a[i:i + chunk, :, None] + b[None]).amin(1) for i in range(0, len(a), chunk)])


def floyd_warshall_blocked(to, cost, tile=64):
    distance = unknown(to, cost)
    for k in range(0, len(to), tile):
        here = slice(k, k + tile)
        closed = distance[here, here].clone()
        for i in range(tile):
            closed = torch.minimum(closed, closed[:, i, None] + closed[None, i, :])
        distance[here] = product(closed, distance[here])
        distance[:, here] = distance[here].T
        torch.minimum(distance, product(distance[:, here].contiguous(), distance[here]), out=distance)
    return distance


def bellman_ford(to, cost):
    nodes, degree = to.shape
    source = torch.arange(nodes, device="cuda").repeat_interleave(degree)
    target, cost = to.flatten(), cost.flatten()
    distance = torch.full((nodes, nodes), float("inf"), device="cuda").fill_diagonal_(0)
    index = target.expand(nodes, -1)
    for rounds in range(1, nodes):
        after = distance.scatter_reduce(1, index, distance[:, source] + cost, "amin")
        if rounds % 16 == 0 and torch.equal(after, distance):
            break
        distance = after
    return distance


def bellman_ford_gathered(to, cost):
    nodes, degree = to.shape
    distance = torch.full((nodes, nodes), float("inf"), device="cuda").fill_diagonal_(0)
    for rounds in range(1, nodes):
        after = distance
        for k in range(degree):  # a row a node, so that whole rows are gathered
            after = torch.minimum(after, distance[to[:, k]] + cost[:, k, None])
        if rounds % 16 == 0 and torch.equal(after, distance):
            break
        distance = after
    return distance


def main():
    rows = []
    for divisions in (3, 4, 5):
        to, cost = neighbors(sphere(divisions))
        nodes = len(to)
        size = f"{nodes}x{nodes}"
        repeats = 5 if nodes < 5000 else 1

        def add(name, rival, function):
            rows.append({"name": name, "device": "cuda:0", "size": size, "rival": f"torch {rival}",
                         "seconds": seconds(lambda: function(to, cost), repeats)})

        if nodes <= PLAIN:
            add("table_distances_floyd_warshall", "minimum, node by node", floyd_warshall)
        if nodes <= BLOCKED:
            add("table_distances_floyd_warshall", "amin, 64 nodes at a time", floyd_warshall_blocked)
        for name in ("table_distances_floyd_warshall", "table_distances_partitioned"):
            if nodes <= SCATTERED and name.endswith("partitioned"):
                add(name, "bellman-ford, scatter_reduce", bellman_ford)
            if nodes <= GATHERED and (name.endswith("partitioned") or nodes > PLAIN):
                add(name, "bellman-ford, gathered rows", bellman_ford_gathered)
    print(json.dumps({"rows": rows}, indent=1))


if __name__ == "__main__":
    main()
