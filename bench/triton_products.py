#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times products beside Triton and PyTorch, in one process: bench/triton_products.py [--tesserac PATH] [WORD …]

Needs a GPU, nvcc, PyTorch and its Triton. The cases are those of bench/products/cases.csv that are plain products of
bf16, f16 or tf32; words choose some by a part of their name. Triton's side is a plain kernel in blocks, for which
Triton chooses among the CONFIGS below by timing them at each size; PyTorch's is torch.matmul. All three are compared
with f64 first. Without words it takes a FEW: Triton compiles each configuration for each order and type.
"""
import argparse
import csv
import pathlib
import sys
import tempfile

import torch
import triton
import triton.language as tl

import products

FEW = [f"bf16 {shape} {orders}" for orders in ("nn", "nt")
       for shape in ("1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "512x4096x4096",
                     "4096x4096x14336")] + ["bf16 few rows 16x8192x8192 nt"]
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "tf32": torch.float32}
CONFIGS = [triton.Config({"ROWS": rows, "COLUMNS": columns, "DEPTH": depth, "GROUP": 8}, num_warps=warps,
                         num_stages=stages)
           for rows, columns, depth, warps, stages in (
               (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 3), (256, 128, 64, 8, 4),
               (128, 128, 64, 8, 4), (128, 128, 64, 4, 4), (128, 128, 32, 4, 5), (128, 64, 64, 4, 4),
               (64, 128, 64, 4, 4), (64, 256, 64, 4, 4), (64, 64, 64, 4, 5), (64, 64, 128, 4, 4),
               (16, 128, 128, 4, 5), (16, 64, 256, 4, 4), (32, 128, 128, 4, 4), (128, 256, 32, 8, 4),
               (128, 128, 32, 8, 4))]


@triton.jit
def product_kernel(a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, ROWS: tl.constexpr,
                   COLUMNS: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr):
    """A block computes ROWS × COLUMNS results; GROUP rows of blocks share columns while they are in the cache."""
    row_blocks, column_blocks = tl.cdiv(M, ROWS), tl.cdiv(N, COLUMNS)
    at = tl.program_id(0)
    group = at // (GROUP * column_blocks)
    first = group * GROUP
    height = min(row_blocks - first, GROUP)
    row_block = first + at % (GROUP * column_blocks) % height
    column_block = at % (GROUP * column_blocks) // height
    rows = (row_block * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    columns = (column_block * COLUMNS + tl.arange(0, COLUMNS)).to(tl.int64)
    depth = tl.arange(0, DEPTH)
    a_at = a + (rows % M)[:, None] * a_row + depth[None, :] * a_column
    b_at = b + depth[:, None] * b_row + (columns % N)[None, :] * b_column
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, DEPTH)):
        left = K - k * DEPTH
        a_tile = tl.load(a_at, mask=depth[None, :] < left, other=0.0)
        b_tile = tl.load(b_at, mask=depth[:, None] < left, other=0.0)
        sums = tl.dot(a_tile, b_tile, sums)
        a_at += DEPTH * a_column
        b_at += DEPTH * b_row
    results = sums.to(c.dtype.element_ty)
    tl.store(c + rows[:, None] * c_row + columns[None, :], results,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


tuned_product = triton.autotune(configs=CONFIGS, key=["M", "N", "K", "a_row", "b_row"])(product_kernel)


def triton_side(a, b, c):
    """A function that launches Triton's product."""
    (m, k), n = a.shape, b.shape[1]

    def grid(chosen):
        return (triton.cdiv(m, chosen["ROWS"]) * triton.cdiv(n, chosen["COLUMNS"]),)

    def run():
        tuned_product[grid](a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0))

    return run


def cases(words):
    """(name, row of the file, orders)"""
    with open(products.ROOT / "bench/products/cases.csv", encoding="utf-8") as file:
        rows = [[field.strip() for field in row] for row in csv.reader(file) if row and not row[0].startswith("#")]
    for row in rows:
        group, _, _, dtype, epilogue, m, n, k, pitch, orders = row
        for letters in orders.split():
            name = f"{group} {m}x{n}x{k} {letters}"
            if dtype in TYPES and epilogue == "none" and pitch == "0":
                if any(word in name for word in words):
                    yield name, row, letters


def run_case(library, name, row, letters):
    """Checks and times the three sides and prints a line of CSV."""
    dtype, shape = TYPES[row[3]], tuple(map(int, row[5:8]))
    m, n, k = shape
    a = products.matrix(m, k, dtype, letters[0] == "t")
    b = products.matrix(k, n, dtype, letters[1] == "t")
    outputs = [torch.full((m, n), float("nan"), device="cuda", dtype=dtype) for _ in range(3)]
    sides = [products.Kernel(library, row[2]).call([a, b, outputs[0]]), triton_side(a, b, outputs[1]),
             lambda: torch.matmul(a, b, out=outputs[2])]
    exact = a.double() @ b.double()
    errors = []
    for side, output in zip(sides, outputs):
        side()
        output.fill_(float("nan"))
        side()
        errors.append(products.relative_error(output, exact))
    del exact
    times = products.median_times(sides)
    rates = ",".join(f"{2 * m * n * k / time / 1e12:.1f}" for time in times)
    ratios = ",".join(f"{time / times[0]:.3f}" for time in times[1:])
    print(f"{name},{rates},{ratios}," + ",".join(f"{error:.1e}" for error in errors), flush=True)
    if not all(error < 0.01 for error in errors):
        raise RuntimeError(f"{name} is wrong: {errors}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tesserac", default=products.ROOT / "build/release/bin/tesserac")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
    print("case,ours_tflops,triton_tflops,pytorch_tflops,ratio_triton,ratio_pytorch,error_ours,error_triton,"
          "error_pytorch")
    with tempfile.TemporaryDirectory() as folder:
        libraries = {}
        for name, row, letters in cases(arguments.words or FEW):
            if row[1] not in libraries:
                place = pathlib.Path(folder) / str(len(libraries))
                libraries[row[1]] = products.build(arguments.tesserac, products.ROOT / row[1], ["--arch=sm_90"], place)
            run_case(libraries[row[1]], name, row, letters)


if __name__ == "__main__":
    sys.exit(main())
