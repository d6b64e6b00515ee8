"""Times a function of PyTorch on the GPU: the median of CUDA-event timings after warm-up, in seconds."""
import statistics

import torch


def seconds(function, repeats=15):
    for _ in range(3):
        function()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return statistics.median(times)
