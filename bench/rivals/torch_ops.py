#!/usr/bin/env python3
"""What a PyTorch user has today for the shared operations, measured on the GPU of this machine.

Prints {"rows": [{name, device, size, rival, seconds}]} with the names and sizes of `fovea bench ops`, whose
--rivals option takes the file. Median of CUDA-event timings after warm-up; inputs are random and lie on the device.
"""
import json

import torch
import torch.nn.functional as F

from torch_timing import seconds


def main():
    torch.manual_seed(0)
    rows = []

    def add(name, size, rival, function):
        rows.append({"name": name, "device": "cuda:0", "size": size, "rival": rival, "seconds": seconds(function)})

    for n in (2048, 8192):
        image = torch.rand(n, n, device="cuda")
        add("integral_f32_f32", f"{n}x{n}", "torch cumsum x2", lambda: image.cumsum(0).cumsum(1))
    planes = torch.rand(9, 960, 1280, device="cuda")
    add("integral_histogram_9_bins", "1280x960", "torch cumsum x2", lambda: planes.cumsum(1).cumsum(2))
    frame = torch.rand(1, 1, 1080, 1920, device="cuda")
    for size in ((720, 1280), (480, 640)):
        add("resize_f32", f"1920x1080 to {size[1]}x{size[0]}", "torch interpolate",
            lambda: F.interpolate(frame, size=size, mode="bilinear", align_corners=False))
    for taps in (7, 31):
        row, column = torch.rand(1, 1, 1, taps, device="cuda"), torch.rand(1, 1, taps, 1, device="cuda")
        half = taps // 2
        add("convolve_separable_f32", f"1920x1080 {taps} taps", "torch conv2d x2",
            lambda: F.conv2d(F.conv2d(frame, row, padding=(0, half)), column, padding=(half, 0)))
    print(json.dumps({"rows": rows}, indent=1))


if __name__ == "__main__":
    main()
