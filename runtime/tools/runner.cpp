// SPDX-License-Identifier: Apache-2.0
// The runner of tessera/runner.h, with CUDA when nvcc compiles it, on the host twin when g++ does.
#include "tessera/runner.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tessera/abi.h"
#include "tessera/location.h"

#if TESSERA_TWIN
#include "tessera/launch.h"
#else
#include <cuda_runtime.h>
#endif

namespace {

thread_local std::string last_error;

/// The starts and ends of the timed repeats.
constexpr int kMostRepeats = 4096;

int succeed() {
  last_error.clear();
  return 0;
}

int fail(const std::string& reason) {
  last_error = reason;
  return 1;
}

#if TESSERA_TWIN

using Clock = std::chrono::steady_clock;
using Mark = Clock::time_point;

int device_count(int* count) { return *count = 1, succeed(); }
int device_name(int, std::string* name) { return *name = "host twin", succeed(); }
int multiprocessors(int, int* count) { return *count = tessera::multiprocessor_count(), succeed(); }

/// Memory begins and ends at a multiple of 256 bytes and is surrounded by what no tensor may touch.
constexpr std::size_t kAlignment = 256;

int allocate(int, std::int64_t bytes, void** memory) {
  const std::size_t rounded =
      (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment + kAlignment;
  *memory = std::aligned_alloc(kAlignment, rounded);
  if (*memory == nullptr) return fail("out of memory: " + std::to_string(bytes) + " bytes");
  tessera::twin::register_allocation(*memory, bytes);
  return succeed();
}

int release(int, void* memory) {
  tessera::twin::forget_allocation(memory);
  std::free(memory);
  return succeed();
}

int copy_in(int, void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
  return succeed();
}
int copy_out(int, void* to, const void* from, std::int64_t bytes) { return copy_in(0, to, from, bytes); }
int copy_within(int, void* to, const void* from, std::int64_t bytes) { return copy_in(0, to, from, bytes); }

int fill(int, void* memory, int byte, std::int64_t bytes) {
  std::memset(memory, byte, static_cast<std::size_t>(bytes));
  return succeed();
}

int synchronize(int) { return succeed(); }
int mark(int, Mark* mark) { return *mark = Clock::now(), succeed(); }
int milliseconds_between(Mark begin, Mark end, double* milliseconds) {
  *milliseconds = std::chrono::duration<double, std::milli>(end - begin).count();
  return succeed();
}
void forget(Mark) {}

#else

using Mark = cudaEvent_t;

int check(cudaError_t error) {
  if (error == cudaSuccess) return succeed();
  (void)cudaGetLastError();
  return fail(std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error));
}

/// Evaluates `call` on `device` and returns from the function if it fails.
#define TESSERA_RUNNER_ON(device, call)                               \
  do {                                                                \
    if (const int error = check(cudaSetDevice(device))) return error; \
    return check(call);                                               \
  } while (false)

int device_count(int* count) { return check(cudaGetDeviceCount(count)); }

int device_name(int device, std::string* name) {
  cudaDeviceProp properties;
  if (const int error = check(cudaGetDeviceProperties(&properties, device))) return error;
  *name = std::string(properties.name) + " (sm_" + std::to_string(properties.major) +
          std::to_string(properties.minor) + ")";
  return succeed();
}

int multiprocessors(int device, int* count) {
  return check(cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device));
}

int allocate(int device, std::int64_t bytes, void** memory) {
  TESSERA_RUNNER_ON(device, cudaMalloc(memory, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))));
}
int release(int device, void* memory) { TESSERA_RUNNER_ON(device, cudaFree(memory)); }
int copy_in(int device, void* to, const void* from, std::int64_t bytes) {
  TESSERA_RUNNER_ON(device, cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice));
}
int copy_out(int device, void* to, const void* from, std::int64_t bytes) {
  TESSERA_RUNNER_ON(device, cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost));
}
int copy_within(int device, void* to, const void* from, std::int64_t bytes) {
  TESSERA_RUNNER_ON(device,
                    cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice));
}
int fill(int device, void* memory, int byte, std::int64_t bytes) {
  TESSERA_RUNNER_ON(device, cudaMemset(memory, byte, static_cast<std::size_t>(bytes)));
}
int synchronize(int device) { TESSERA_RUNNER_ON(device, cudaDeviceSynchronize()); }

int mark(int device, Mark* mark) {
  if (const int error = check(cudaSetDevice(device))) return error;
  if (const int error = check(cudaEventCreate(mark))) return error;
  return check(cudaEventRecord(*mark, nullptr));
}
int milliseconds_between(Mark begin, Mark end, double* milliseconds) {
  float result = 0;
  if (const int error = check(cudaEventSynchronize(end))) return error;
  const int error = check(cudaEventElapsedTime(&result, begin, end));
  *milliseconds = result;
  return error;
}
void forget(Mark mark) { (void)cudaEventDestroy(mark); }

#endif

/// The repeats that are being timed: marks alternate between begins and ends.
thread_local std::vector<Mark> marks;

void forget_marks() {
  for (const Mark mark : marks) forget(mark);
  marks.clear();
}

int add_mark(int device) {
  Mark next{};
  if (const int error = mark(device, &next)) return error;
  marks.push_back(next);
  return 0;
}

int median_milliseconds(double* result) {
  std::vector<double> times;
  for (std::size_t begin = 0; begin + 1 < marks.size(); begin += 2) {
    double milliseconds = 0;
    if (const int error = milliseconds_between(marks[begin], marks[begin + 1], &milliseconds)) return error;
    times.push_back(milliseconds);
  }
  forget_marks();
  if (times.empty()) return fail("nothing was timed");
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  *result = times.size() % 2 != 0 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return succeed();
}

int copy_text(const std::string& text, char* buffer, std::int64_t size) {
  if (size <= 0) return fail("no room for the text");
  const std::size_t length = std::min(text.size(), static_cast<std::size_t>(size) - 1);
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  return succeed();
}

}  // namespace

int tessera_runner_is_twin(void) { return TESSERA_TWIN; }

const char* tessera_runner_last_error(void) { return last_error.c_str(); }

int tessera_runner_device_count(int* count) { return device_count(count); }

int tessera_runner_device_name(int device, char* buffer, int64_t size) {
  std::string name;
  if (const int error = device_name(device, &name)) return error;
  return copy_text(name, buffer, size);
}
int tessera_runner_multiprocessors(int device, int* count) { return multiprocessors(device, count); }

int tessera_runner_allocate(int device, int64_t bytes, void** memory) {
  if (bytes < 0) return fail("a negative number of bytes");
  return allocate(device, bytes, memory);
}
int tessera_runner_free(int device, void* memory) { return release(device, memory); }

int tessera_runner_copy_in(int device, void* to, const void* from, int64_t bytes) {
  return copy_in(device, to, from, bytes);
}
int tessera_runner_copy_out(int device, void* to, const void* from, int64_t bytes) {
  return copy_out(device, to, from, bytes);
}
int tessera_runner_fill(int device, void* memory, int byte, int64_t bytes) {
  return fill(device, memory, byte, bytes);
}

int tessera_runner_synchronize(int device) { return synchronize(device); }

int tessera_runner_time_start(int device) {
  if (marks.size() >= 2 * kMostRepeats) return fail("too many repeats");
  if (marks.size() % 2 != 0) return fail("the last repeat has not stopped");
  return add_mark(device);
}
int tessera_runner_time_stop(int device) {
  if (marks.size() % 2 == 0) return fail("no repeat has started");
  return add_mark(device);
}
int tessera_runner_time_median(double* milliseconds) { return median_milliseconds(milliseconds); }

int tessera_runner_copy_bandwidth(int device, int64_t bytes, int repeats, double* bytes_per_second) {
  void* memory[2] = {};
  int error = 0;
  for (void*& half : memory) {
    if (error == 0) error = tessera_runner_allocate(device, bytes, &half);
    if (error == 0) error = fill(device, half, 0, bytes);
  }
  if (error == 0) error = copy_within(device, memory[1], memory[0], bytes);
  forget_marks();
  for (int repeat = 0; repeat < repeats && error == 0; ++repeat) {
    error = tessera_runner_time_start(device);
    if (error == 0) error = copy_within(device, memory[1], memory[0], bytes);
    if (error == 0) error = tessera_runner_time_stop(device);
  }
  double milliseconds = 0;
  if (error == 0) error = median_milliseconds(&milliseconds);
  const std::string reason = last_error;
  for (void* half : memory) {
    if (half != nullptr) (void)release(device, half);
  }
  if (error != 0) return fail(reason);
  *bytes_per_second = 2.0 * static_cast<double>(bytes) / (milliseconds * 1e-3);
  return succeed();
}

int tessera_runner_twin_options(int schedule, uint64_t seed, int drop_barrier) {
#if TESSERA_TWIN
  if (schedule < 0 || schedule > 2) return fail("the schedule is 0, 1 or 2");
  tessera::twin::on_fault([](const tessera::twin::Fault&) {});
  tessera::twin::options() = {static_cast<tessera::twin::Schedule>(schedule), seed, drop_barrier};
  return succeed();
#else
  static_cast<void>(schedule);
  static_cast<void>(seed);
  static_cast<void>(drop_barrier);
  return fail("these kernels run on a GPU");
#endif
}

int tessera_runner_twin_copies(int late) {
#if TESSERA_TWIN
  if (late < 0 || late > 1) return fail("copies arrive early, 0, or late, 1");
  tessera::twin::options().copies = late == 0 ? tessera::twin::Copies::early : tessera::twin::Copies::late;
  return succeed();
#else
  static_cast<void>(late);
  return fail("these kernels run on a GPU");
#endif
}

int tessera_runner_twin_blocks(int64_t most) {
#if TESSERA_TWIN
  if (most < 0) return fail("a launch has at least one block");
  tessera::twin::options().most_blocks = most;
  return succeed();
#else
  static_cast<void>(most);
  return fail("these kernels run on a GPU");
#endif
}

int tessera_runner_twin_steps(int64_t* steps) {
#if TESSERA_TWIN
  *steps = tessera::twin::steps();
  return succeed();
#else
  static_cast<void>(steps);
  return fail("these kernels run on a GPU");
#endif
}

int tessera_runner_twin_fault(int fault, char* buffer, int64_t size) {
#if TESSERA_TWIN
  const std::vector<tessera::twin::Fault>& faults = tessera::twin::faults();
  if (fault < 0 || fault >= static_cast<int>(faults.size())) return fail("there is no such fault");
  return copy_text(to_string(faults[static_cast<std::size_t>(fault)]), buffer, size);
#else
  static_cast<void>(fault);
  static_cast<void>(buffer);
  static_cast<void>(size);
  return fail("these kernels run on a GPU");
#endif
}
