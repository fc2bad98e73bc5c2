/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory for the examples, in C11 and C++: GPU memory where nvcc compiled the kernels, plain host
   memory on the host twin. A program of yours calls cudaMalloc and cudaMemcpy here, or already has its
   tensors on the device. */
#ifndef EXAMPLES_DEVICE_H
#define EXAMPLES_DEVICE_H

#include <stdio.h>
#include <stdlib.h>

#include "tessera/abi.h"
#include "tessera/runner.h"

/** The device's ordinal, as tensors name it: the first GPU, or TESSERA_HOST on the twin. */
static inline int device_ordinal(void) { return tessera_runner_is_twin() ? TESSERA_HOST : 0; }

/** Ends the program with the reason if a call of the runner failed. */
static inline void device_must(int error) {
  if (error == 0) return;
  fprintf(stderr, "device: %s\n", tessera_runner_last_error());
  exit(3);
}

/** Ends the program with the launcher's message unless a launch was accepted. */
static inline void launch_must(TesseraStatus status) {
  if (status.code == TESSERA_OK) return;
  char message[512];
  tessera_status_message(&status, message, sizeof message);
  fprintf(stderr, "%s\n", message);
  exit(1);
}

/** `bytes` bytes of device memory full of 0xff: NaN in every float format, so that nothing passes by
    chance. The caller gives them back with device_free(). */
static inline void* device_poisoned(size_t bytes) {
  void* memory = NULL;
  device_must(tessera_runner_allocate(0, (int64_t)bytes, &memory));
  device_must(tessera_runner_fill(0, memory, 0xff, (int64_t)bytes));
  return memory;
}

/** A copy of host memory on the device; given back with device_free(). */
static inline void* device_copy(const void* host, size_t bytes) {
  void* memory = device_poisoned(bytes);
  device_must(tessera_runner_copy_in(0, memory, host, (int64_t)bytes));
  return memory;
}

/** Waits for the kernels that were launched, then copies device memory to the host. */
static inline void device_read(void* host, const void* memory, size_t bytes) {
  device_must(tessera_runner_synchronize(0));
  device_must(tessera_runner_copy_out(0, host, memory, (int64_t)bytes));
}

static inline void device_free(void* memory) { device_must(tessera_runner_free(0, memory)); }

/** Prints what a C program found, and returns its exit code: `ratio` is the largest error over its bound. */
static inline int report_ratio(const char* example, int elements, double ratio) {
  char device[256];
  device_must(tessera_runner_device_name(0, device, sizeof device));
  printf("%s from C on %s: %d elements compared, largest error %.2f of its bound: %s\n", example, device,
         elements, ratio, ratio <= 1 ? "right" : "WRONG");
  return ratio <= 1 ? 0 : 1;
}

#endif
