#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times kernels with products beside the libraries, in one process: bench/products.py [--tesserac PATH] [NAME …]

Needs a GPU, nvcc and PyTorch, whose matrix products are cuBLAS's and whose attention is cuDNN's. Every kernel is
compared with a product in f64 first. Then both sides run in turns, in both orders, as CUDA graphs, so that nobody waits
for Python; what is printed is the median time of each side and their ratio. Names choose cases by a part of their name.
"""
import argparse
import concurrent.futures
import contextlib
import ctypes
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 12
LAUNCHES = 5  # of a graph
ORDERS = ((False, False), (False, True), (True, False), (True, True))  # whether A, B lie by columns
SHAPES = ((1024, 1024, 1024), (2048, 2048, 2048), (8192, 8192, 8192), (16384, 8192, 8192), (4096, 14336, 4096),
          (4096, 4096, 14336), (512, 4096, 4096), (1536, 1536, 1536), (2560, 2560, 2560), (3072, 3072, 3072),
          (5120, 5120, 5120), (2048, 7168, 2048), (8191, 4097, 4104), (1, 8192, 8192), (16, 8192, 8192),
          (64, 8192, 8192), (128, 8192, 8192))  # M, N, K
OTHER_SHAPES = ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16, 8192, 8192))  # of other types
FLOAT_SHAPES = ((1024, 1024, 1024), (4096, 4096, 4096))  # of floats as they are
SOURCES = {"gemm": ROOT / "examples/gemm/gemm.tsr", "gemm_types": ROOT / "examples/gemm/gemm_types.tsr",
           "gemm_fp8": ROOT / "bench/kernels/gemm_fp8.tsr", "gemm_tf32": ROOT / "bench/kernels/gemm_tf32.tsr",
           "gemm_f32": ROOT / "bench/kernels/gemm_f32.tsr",
           "gemm_f32_split": ROOT / "bench/kernels/gemm_f32_split.tsr",
           "linear": ROOT / "examples/linear/linear.tsr", "attention": ROOT / "examples/attention/attention.tsr"}
DTYPES = {torch.int8: 2, torch.int32: 4, torch.float16: 14, torch.bfloat16: 15, torch.float32: 16,
          torch.float64: 17, torch.float8_e4m3fn: 12}


class Tensor(ctypes.Structure):
    """TesseraTensor of tessera/tensor.h."""
    _fields_ = [("data", ctypes.c_void_p), ("extent", ctypes.c_int64 * 8), ("stride", ctypes.c_int64 * 8),
                ("rank", ctypes.c_int32), ("dtype", ctypes.c_int32), ("device", ctypes.c_int32)]

    def __init__(self, tensor):
        super().__init__(data=tensor.data_ptr(), rank=tensor.dim(), dtype=DTYPES[tensor.dtype],
                         device=tensor.device.index)
        self.extent[:tensor.dim()] = tensor.shape
        self.stride[:tensor.dim()] = tensor.stride()


class Scalar(ctypes.Union):
    _fields_ = [("real", ctypes.c_double), ("integer", ctypes.c_int64)]


class Status(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("argument", ctypes.c_int32), ("dimension", ctypes.c_int32),
                ("cuda_error", ctypes.c_int32), ("expected", ctypes.c_int64), ("actual", ctypes.c_int64),
                ("kernel", ctypes.c_char_p), ("name", ctypes.c_char_p), ("rule", ctypes.c_char_p)]


class Launch(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("variant", ctypes.c_int32), ("arch", ctypes.c_int32),
                ("begins_early", ctypes.c_int32)]


class Kernel:
    """A kernel of a shared library that `build` made."""

    def __init__(self, library, name):
        self.invoke = getattr(ctypes.CDLL(str(library)), f"tessera_{name}_invoke")
        self.invoke.restype = Status

    def call(self, tensors, scalars=(), arch=0):
        """A function without arguments that launches the kernel on PyTorch's stream, and keeps the tensors alive."""
        described = (Tensor * len(tensors))(*[Tensor(tensor) for tensor in tensors])
        values = (Scalar * max(len(scalars), 1))(*[Scalar(real=scalar) for scalar in scalars])
        launch = Launch(arch=arch)

        def run():
            launch.stream = torch.cuda.current_stream().cuda_stream
            status = self.invoke(described, values, ctypes.byref(launch))
            if status.code != 0:
                raise RuntimeError(f"status {status.code}, rule {status.rule}, CUDA error {status.cuda_error}")

        run.tensors = tensors  # the library's side may replace what its caller knows of them
        return run


def build(tesserac, source, options, folder):
    """Compiles a .tsr file to a shared library and returns its path."""
    folder.mkdir(parents=True)
    subprocess.run([tesserac, source, "--emit-dir", folder, *options], check=True)
    library = folder / "kernel.so"
    subprocess.run(["nvcc", "-shared", "-O3", "-std=c++20", "-fmad=false", "--split-compile=0",
                    "-Xcompiler=-fPIC,-ffp-contract=off", "-gencode=arch=compute_90a,code=sm_90a",
                    "-I", ROOT / "runtime/include", *folder.glob("*.sm_90.cu"),
                    *folder.glob("*.dispatch.cpp"), "-o", library], check=True)
    return library


def graph_of(run):
    """Some launches as one graph. The function has run before, so that libraries have loaded what they need."""
    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAUNCHES):
            run()
    return graph


def median_times(sides):
    """The median time of each function, in seconds. They take turns, and each round reverses the order."""
    graphs = [graph_of(run) for run in sides]
    for graph in graphs:
        graph.replay()
    torch.cuda.synchronize()
    times = [[] for _ in sides]
    order = list(range(len(sides)))
    for _ in range(ROUNDS):
        for side in order:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graphs[side].replay()
            end.record()
            torch.cuda.synchronize()
            times[side].append(begin.elapsed_time(end) / LAUNCHES / 1e3)
        order.reverse()
    return [statistics.median(series) for series in times]


def compare(name, ours, theirs, operations, error):
    """Times both sides and prints a line."""
    own, other = median_times([ours, theirs])
    print(f"{name:44} {operations / own / 1e12:7.1f} TFLOP/s  library {operations / other / 1e12:7.1f}  "
          f"ratio {other / own:5.3f}  error {error:.1e}", flush=True)


def relative_error(result, exact):
    """The greatest difference, relative to the greatest magnitude."""
    return ((result.double() - exact).abs().max() / exact.abs().max()).item()


def matrix(rows, columns, dtype, by_columns=False, pitch=0):
    """A random matrix; `pitch` is how much longer than an aligned one each line is."""
    lines, length = (columns, rows) if by_columns else (rows, columns)
    values = torch.randn(lines, length + pitch, device="cuda", dtype=torch.float64)[:, :length]
    if dtype == torch.int8:
        values = (40 * values).clamp(-128, 127)
    stored = torch.empty(lines, length + pitch, device="cuda", dtype=dtype)[:, :length]
    stored.copy_(values)
    return stored.t() if by_columns else stored


def gemm_case(library, kernel, name, dtype, shape=(4096, 4096, 4096), orders=(False, False), pitch=0):
    m, n, k = shape
    a, b = matrix(m, k, dtype, orders[0], pitch), matrix(k, n, dtype, orders[1], pitch)
    c = torch.empty(m, n, device="cuda", dtype=dtype)
    ours = Kernel(library, kernel).call([a, b, c])
    ours()
    error = relative_error(c, a.double() @ b.double())
    if pitch:  # the library is shown what it likes best: the same product without a pitch
        a, b = a.contiguous(), b.contiguous()
    d = torch.empty_like(c)
    compare(name, ours, lambda: torch.matmul(a, b, out=d), 2 * m * n * k, error)


def linear_case(library, name, shape):
    """A linear layer with GELU in one kernel, beside PyTorch's two."""
    m, n, k = shape
    x, w = matrix(m, k, torch.bfloat16), matrix(n, k, torch.bfloat16)
    bias, y = matrix(1, n, torch.bfloat16)[0], torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    ours = Kernel(library, "linear_gelu").call([x, w, bias, y])
    ours()
    exact = torch.nn.functional.gelu(x.double() @ w.double().t() + bias.double())
    error = relative_error(y, exact)
    compare(name, ours, lambda: torch.nn.functional.gelu(torch.nn.functional.linear(x, w, bias)),
            2 * m * n * k, error)


def exact_case(library, kernel, words, shape, orders):
    """Floats, beside a library that multiplies floats."""
    torch.backends.cuda.matmul.allow_tf32 = False
    gemm_case(library, kernel, words, torch.float32, shape, orders)
    torch.backends.cuda.matmul.allow_tf32 = True


def bytes_case(library, kernel, name, dtype, shape, orders):
    """Factors of 8 bits, of which the library takes rows times columns alone: it is shown those, whatever the order."""
    m, n, k = shape
    a, b = matrix(m, k, dtype, orders[0]), matrix(k, n, dtype, orders[1])
    c = torch.empty(m, n, device="cuda", dtype=torch.int32 if dtype == torch.int8 else torch.bfloat16)
    ours = Kernel(library, kernel).call([a, b, c])
    ours()
    error = relative_error(c, a.double() @ b.double())
    a, b = a.contiguous(), b.t().contiguous().t()
    one = torch.ones((), device="cuda")

    def theirs():
        if dtype == torch.int8:
            return torch._int_mm(a, b)
        return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=False)

    compare(name, ours, theirs, 2 * m * n * k, error)


def exact_attention(q, k, v, scale, causal):
    """The first head in f64."""
    scores = q[0, 0].double() @ k[0, 0].double().t() * scale
    if causal:
        scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return torch.softmax(scores, -1) @ v[0, 0].double()


def attention_case(library, depth, causal=False, sequence=4096):
    heads = 16 * 128 // depth
    q, k, v = (torch.randn(4, heads, sequence, depth, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    o = torch.empty_like(q)
    scale = 1 / math.sqrt(depth)
    ours = Kernel(library, "attention_causal" if causal else "attention").call([q, k, v, o], [scale])
    ours()
    error = relative_error(o[0, 0], exact_attention(q, k, v, scale, causal))
    operations = 4 * 4 * heads * sequence**2 * depth / (2 if causal else 1)

    def theirs():
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        compare(f"attention{' causal' if causal else ''} D{depth} S{sequence}", ours, theirs, operations, error)


def letters_of(orders):
    return "".join("t" if by_columns else "n" for by_columns in orders)


def cases():
    """(name, source, function of the library)"""
    bf16, f16, f64 = torch.bfloat16, torch.float16, torch.float64
    for orders in ORDERS:
        a, b = ("columns" if by_columns else "rows" for by_columns in orders)
        words = f"bf16 A by {a}, B by {b}"
        yield words, "gemm", lambda lib, w=words, o=orders: gemm_case(lib, "gemm", w, bf16, orders=o)
    yield "bf16 pitch 4097", "gemm", lambda lib: gemm_case(lib, "gemm", "bf16 pitch 4097", bf16, pitch=1)
    yield "bf16 pitch 4098", "gemm", lambda lib: gemm_case(lib, "gemm", "bf16 pitch 4098", bf16, pitch=2)
    for shape in SHAPES:
        for orders in ORDERS:
            words = f"bf16 {'x'.join(str(extent) for extent in shape)} {letters_of(orders)}"
            yield words, "gemm", lambda lib, w=words, s=shape, o=orders: gemm_case(lib, "gemm", w, bf16, s, o)
    for shape in OTHER_SHAPES:
        for orders in ORDERS:
            words = f"tf32 {'x'.join(str(extent) for extent in shape)} {letters_of(orders)}"
            yield (words, "gemm_tf32",
                   lambda lib, w=words, s=shape, o=orders: gemm_case(lib, "gemm_tf32", w, torch.float32, s, o))
    for shape in SHAPES[:3]:
        words = f"linear, bias, GELU {'x'.join(str(extent) for extent in shape)}"
        yield words, "linear", lambda lib, w=words, s=shape: linear_case(lib, w, s)
    for way, kernel, shapes in (("in parts", "gemm_f32_split", OTHER_SHAPES), ("by fma", "gemm_f32", FLOAT_SHAPES)):
        for shape in shapes:
            for orders in ORDERS:
                words = f"f32 {way} {'x'.join(str(extent) for extent in shape)} {letters_of(orders)}"
                yield (words, kernel,
                       lambda lib, k=kernel, w=words, s=shape, o=orders: exact_case(lib, k, w, s, o))
    for kind, source, kernel, dtype in (("fp8", "gemm_fp8", "gemm_fp8", torch.float8_e4m3fn),
                                        ("i8", "gemm_types", "gemm_i8", torch.int8)):
        for shape in OTHER_SHAPES[:3] if kind == "i8" else OTHER_SHAPES:  # the library wants more rows of those
            for orders in ((False, True), (False, False)):
                words = f"{kind} {'x'.join(str(extent) for extent in shape)} {letters_of(orders)}"
                yield words, source, (lambda lib, k=kernel, w=words, d=dtype, s=shape, o=orders:
                                      bytes_case(lib, k, w, d, s, o))
    yield "f16", "gemm_types", lambda lib: gemm_case(lib, "gemm_f16", "f16", f16)
    yield "f64", "gemm_types", lambda lib: gemm_case(lib, "gemm_f64", "f64", f64)
    for depth in (64, 128, 256):
        yield f"attention D{depth}", "attention", lambda lib, d=depth: attention_case(lib, d)
        yield (f"attention causal D{depth}", "attention",
               lambda lib, d=depth: attention_case(lib, d, causal=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tesserac", default=ROOT / "build/release/bin/tesserac")
    parser.add_argument("--plan", default="", help="of every kernel, as for tesserac")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    options = ["--arch=sm_90", *([f"--plan={arguments.plan}"] if arguments.plan else [])]
    chosen = [case for case in cases() if not arguments.names or any(n in case[0] for n in arguments.names)]
    needed = {source for _, source, _ in chosen}
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "cuDNN", torch.backends.cudnn.version())
    torch.backends.cuda.matmul.allow_tf32 = True
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor())
        libraries = {name: pool.submit(build, arguments.tesserac, SOURCES[name], options, folder / name)
                     for name in needed}
        for _, source, run in chosen:
            run(libraries[source].result())


if __name__ == "__main__":
    sys.exit(main())
