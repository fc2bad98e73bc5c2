/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, timing and devices for programs that load a compiled kernel and know no CUDA themselves: plain C, found by
   name. runtime/tools/runner.cpp is compiled together with the generated files into one shared object. Every function
   answers 0 for success; otherwise tessera_runner_last_error() says what went wrong. */
#ifndef TESSERA_RUNNER_H
#define TESSERA_RUNNER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TESSERA_RUNNER_EXPORT __attribute__((visibility("default")))

/** 1 when kernels of this object run on the host twin, 0 when they run on a GPU. */
TESSERA_RUNNER_EXPORT int tessera_runner_is_twin(void);

/** What went wrong in the last call of this thread that failed; empty after one that succeeded. */
TESSERA_RUNNER_EXPORT const char* tessera_runner_last_error(void);

/** How many devices there are: GPUs, or 1 for the host twin. */
TESSERA_RUNNER_EXPORT int tessera_runner_device_count(int* count);

/** The name of a device, cut to `size` bytes with its terminator; and how many multiprocessors it has. */
TESSERA_RUNNER_EXPORT int tessera_runner_device_name(int device, char* buffer, int64_t size);
TESSERA_RUNNER_EXPORT int tessera_runner_multiprocessors(int device, int* count);

/** Device memory of the caller, aligned to 256 bytes. On the twin, `device` is not looked at in any function
    here. */
TESSERA_RUNNER_EXPORT int tessera_runner_allocate(int device, int64_t bytes, void** memory);
TESSERA_RUNNER_EXPORT int tessera_runner_free(int device, void* memory);

/** Copies between host and device memory, and sets every byte of device memory. All three have happened on
    return. */
TESSERA_RUNNER_EXPORT int tessera_runner_copy_in(int device, void* to, const void* from, int64_t bytes);
TESSERA_RUNNER_EXPORT int tessera_runner_copy_out(int device, void* to, const void* from, int64_t bytes);
TESSERA_RUNNER_EXPORT int tessera_runner_fill(int device, void* memory, int byte, int64_t bytes);

/** Waits until the device has done everything; reports what failed meanwhile. */
TESSERA_RUNNER_EXPORT int tessera_runner_synchronize(int device);

/** Time of what is queued on the default stream between start and stop; repeat the pair, then ask for the
    median of all pairs in milliseconds, which begins a new series. Events on a GPU, the steady clock on the
    twin. */
TESSERA_RUNNER_EXPORT int tessera_runner_time_start(int device);
TESSERA_RUNNER_EXPORT int tessera_runner_time_stop(int device);
TESSERA_RUNNER_EXPORT int tessera_runner_time_median(double* milliseconds);

/** What a plain copy of `bytes` bytes within the device reaches, in bytes read and written per second: the
    median of `repeats` (at least 1) after one that is not counted. */
TESSERA_RUNNER_EXPORT int tessera_runner_copy_bandwidth(int device, int64_t bytes, int repeats,
                                                        double* bytes_per_second);

/** How the twin runs launches of this thread, whose faults are no longer printed but kept for
    tessera_runner_twin_fault: schedule 0 forward, 1 reverse, 2 random with `seed`;
    drop_barrier is -1, or the number of a barrier place that does not wait (to test that this is found).
    Fails on a GPU. */
TESSERA_RUNNER_EXPORT int tessera_runner_twin_options(int schedule, uint64_t seed, int drop_barrier);

/** When the bytes of asynchronous copies of this thread's launches arrive on the twin: 0 when a copy is started, which
    tessera_runner_twin_options sets too, 1 when its group has been waited for. Fails on a GPU. */
TESSERA_RUNNER_EXPORT int tessera_runner_twin_copies(int late);

/** How many blocks this thread's launches have at most on the twin, so that a block takes several tiles; 0, which
    tessera_runner_twin_options sets too, leaves it to the launcher. Fails on a GPU. */
TESSERA_RUNNER_EXPORT int tessera_runner_twin_blocks(int64_t most);

/** What this thread's launches on the twin have cost so far, in steps of its threads; a launch costs the same everywhere.
    Fails on a GPU. */
TESSERA_RUNNER_EXPORT int tessera_runner_twin_steps(int64_t* steps);

/** The text of fault number `fault` of this thread's last launch on the twin, cut to `size` bytes; fails when
    there are not so many. */
TESSERA_RUNNER_EXPORT int tessera_runner_twin_fault(int fault, char* buffer, int64_t size);

#ifdef __cplusplus
}
#endif

#endif
