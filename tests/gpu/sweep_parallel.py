#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs sweep_gpu for all kernels in several processes that share the GPU through CUDA's Multi-Process Service (MPS).

sweep_parallel.py BINARY DONE_FILE SECONDS [--jobs N]

DONE_FILE names the kernels that passed; a later call goes on with the others. Exit code 1 where a kernel failed or is
left over. Kernels that keep the GPU longest begin first. A run of a small problem takes less time than the change of the
GPU from one process to the next, which MPS spares: it is started here, and ended. Without it the sweep takes six times
as long.
"""
import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

LONGEST = ("five_rows", "both_dimensions", "state_from_rows", "rotary")
ENTRIES = pathlib.Path(__file__).resolve().parents[1] / "sweep" / "entries.cpp"


@contextlib.contextmanager
def shared_gpu():
    """One context on the GPU for all processes that are started meanwhile, where the driver came with MPS."""
    control = "nvidia-cuda-mps-control"
    if shutil.which(control) is None:
        print(f"no {control}: processes take turns on the GPU")
        yield
        return
    with tempfile.TemporaryDirectory(prefix="mps") as folder:
        os.environ.update(CUDA_MPS_PIPE_DIRECTORY=folder, CUDA_MPS_LOG_DIRECTORY=folder)
        subprocess.run([control, "-d"], check=True)
        try:
            yield
        finally:
            subprocess.run([control], input="quit\n", text=True, check=False)


class Sweep:
    """The kernels that are left, and what became of the others."""

    def __init__(self, binary, done_file, seconds):
        self.binary, self.done_file = binary, pathlib.Path(done_file)
        self.end = time.monotonic() + seconds
        self.done = set(self.done_file.read_text().split()) if self.done_file.exists() else set()
        self.names = re.findall(r'\{"(\w+)", tessera_', ENTRIES.read_text())
        self.failed, self.runs, self.lock = [], 0, threading.Lock()

    def run(self, name):
        """Sweeps one kernel, unless the time is over before it ends."""
        left = self.end - time.monotonic()
        if left <= 0:
            return
        command = [self.binary, f"--kernels={name}", "--threads=3"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            return
        with self.lock:
            if done.returncode != 0:
                self.failed.append(name)
                print(f"{name} failed with {done.returncode}:", *(done.stdout + done.stderr).splitlines()[-12:], sep="\n")
                return
            self.runs += sum(int(passed) for passed in re.findall(r"\d+ of \d+ +(\d+) +0 ", done.stdout))
            self.done.add(name)
            self.done_file.write_text("\n".join(sorted(self.done)) + "\n")

    def run_all(self, jobs):
        """Sweeps what is left; the longest first."""
        left = [name for name in self.names if name not in self.done]
        left.sort(key=lambda name: name not in LONGEST)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.run, left))
        left = [name for name in self.names if name not in self.done]
        print(f"{len(self.names) - len(left)} of {len(self.names)} kernels passed, {self.runs} runs here; "
              f"failed: {' '.join(self.failed) or 'none'}; left: {' '.join(left[:20]) or 'none'}")
        return not left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("done_file")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--jobs", type=int, default=12)
    arguments = parser.parse_args()
    with shared_gpu():
        passed = Sweep(arguments.binary, arguments.done_file, arguments.seconds).run_all(arguments.jobs)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
