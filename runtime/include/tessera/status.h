/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch answers: success, or what was wrong with which argument. Plain C11, a few helpers for C++. */
#ifndef TESSERA_STATUS_H
#define TESSERA_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reasons why a launch was refused or failed. The numbers are part of the binary interface. */
enum TesseraStatusCode {
  TESSERA_OK = 0,
  TESSERA_WRONG_DTYPE = 1, /**< expected and actual are TesseraDType */
  TESSERA_WRONG_RANK = 2,
  TESSERA_WRONG_EXTENT = 3, /**< of `dimension`; `rule` is the symbol that fixed it */
  TESSERA_WRONG_STRIDE = 4, /**< negative; or elements of an output that share memory */
  TESSERA_MISALIGNED = 5,   /**< expected: alignment in bytes, actual: address modulo that */
  TESSERA_WRONG_DEVICE = 6,
  TESSERA_NULL_POINTER = 7,        /**< `rule` is what is null; if that is null too, the data of the tensor */
  TESSERA_OVERLAP = 8,             /**< with argument number `actual` */
  TESSERA_CONSTRAINT = 9,          /**< `rule` does not hold */
  TESSERA_WRONG_ARCHITECTURE = 10, /**< actual: of the device, or 0; expected: what the launch names, or 0;
                                      `rule`: what was built, or the CUDA error's name */
  TESSERA_UNKNOWN_VARIANT =
      11, /**< the variant asked for (actual) does not exist or does not fit these arguments */
  TESSERA_TOO_LARGE = 12,  /**< sizes or offsets beyond 63 bits, or more than the GPU has */
  TESSERA_CUDA_ERROR = 13, /**< cuda_error is the cudaError_t */
  TESSERA_FAULT = 14 /**< host twin only: the kernel ran and did something wrong; see the fault reports */
};

/** The answer of a launch. When `code` is not TESSERA_OK nothing was launched, except for TESSERA_FAULT. The
   strings are static. `argument` and `dimension` count from 0 and are -1 when they do not apply. */
typedef struct TesseraStatus {
  int32_t code; /**< one of TesseraStatusCode */
  int32_t argument;
  int32_t dimension;
  int32_t cuda_error;
  int64_t expected;
  int64_t actual;
  const char* kernel; /**< null for success */
  const char* name;   /**< of the argument, or null */
  const char* rule;   /**< the symbol or condition that was violated, or null */
} TesseraStatus;

/** The spelling of an element type in .tsr, "?" if there is none. */
static inline const char* tessera_dtype_name(int64_t dtype) {
  static const char* const names[] = {"bool",     "i4",       "i8",  "i16",  "i32", "i64",
                                      "u4",       "u8",       "u16", "u32",  "u64", "index",
                                      "fp8_e4m3", "fp8_e5m2", "f16", "bf16", "f32", "f64"};
  return dtype >= 0 && dtype < (int64_t)(sizeof names / sizeof names[0]) ? names[dtype] : "?";
}

/** What was built, and what the device is or the launch asks for. */
static inline int tessera_architecture_detail(const TesseraStatus* status, char* buffer, size_t size) {
  const long long named = (long long)status->expected, device = (long long)status->actual;
  const char* rule = status->rule ? status->rule : "";
  if (status->cuda_error != 0)
    return snprintf(buffer, size, "CUDA error %d (%s): compiled without code for the device, sm_%lld",
                    (int)status->cuda_error, rule, device);
  if (named != 0) return snprintf(buffer, size, "built for %s, the launch asks for sm_%lld", rule, named);
  if (device == 0) return snprintf(buffer, size, "built for %s, there is no GPU", rule);
  return snprintf(buffer, size, "built for %s, the device is sm_%lld", rule, device);
}

/** Writes the part of a message that follows the argument's name; returns as snprintf does. */
static inline int tessera_status_detail(const TesseraStatus* status, char* buffer, size_t size) {
  const long long expected = (long long)status->expected, actual = (long long)status->actual;
  const char* rule = status->rule ? status->rule : "";
  switch (status->code) {
    case TESSERA_OK: return snprintf(buffer, size, "ok");
    case TESSERA_WRONG_DTYPE:
      return snprintf(buffer, size, "element type is %s, expected %s", tessera_dtype_name(actual),
                      tessera_dtype_name(expected));
    case TESSERA_WRONG_RANK: return snprintf(buffer, size, "rank is %lld, expected %lld", actual, expected);
    case TESSERA_WRONG_EXTENT:
      return snprintf(buffer, size, "extent of dimension %d is %lld, expected %s = %lld",
                      (int)status->dimension, actual, rule, expected);
    case TESSERA_WRONG_STRIDE:
      return snprintf(buffer, size, "stride of dimension %d is %lld, expected at least %lld",
                      (int)status->dimension, actual, expected);
    case TESSERA_MISALIGNED:
      return snprintf(buffer, size, "address is %lld modulo %lld, expected 0", actual, expected);
    case TESSERA_WRONG_DEVICE:
      return snprintf(buffer, size, "device is %lld, expected %lld", actual, expected);
    case TESSERA_NULL_POINTER: return snprintf(buffer, size, "%s is null", status->rule ? rule : "data");
    case TESSERA_OVERLAP:
      return snprintf(buffer, size, "shares memory with argument %lld (%s)", actual, rule);
    case TESSERA_CONSTRAINT: return snprintf(buffer, size, "requires %s", rule);
    case TESSERA_WRONG_ARCHITECTURE: return tessera_architecture_detail(status, buffer, size);
    case TESSERA_UNKNOWN_VARIANT:
      if (actual < 0) return snprintf(buffer, size, "no variant fits these arguments");
      return snprintf(buffer, size, "variant %lld does not fit these arguments", actual);
    case TESSERA_TOO_LARGE: return snprintf(buffer, size, "too large: %s", rule);
    case TESSERA_CUDA_ERROR:
      return snprintf(buffer, size, "CUDA error %d (%s)", (int)status->cuda_error, rule);
    case TESSERA_FAULT: return snprintf(buffer, size, "%lld faults on the host twin", actual);
    default: return snprintf(buffer, size, "unknown status %d", (int)status->code);
  }
}

/** Writes the message of a status into `buffer` (always terminated when size > 0), as in
    "softmax: argument 1 (y): extent of dimension 0 is 8, expected R = 7". Returns the length of the whole
   message. */
static inline int tessera_status_message(const TesseraStatus* status, char* buffer, size_t size) {
  const char* kernel = status->kernel ? status->kernel : "tessera";
  char detail[256];
  (void)tessera_status_detail(status, detail, sizeof detail);
  if (status->argument < 0) return snprintf(buffer, size, "%s: %s", kernel, detail);
  return snprintf(buffer, size, "%s: argument %d (%s): %s", kernel, (int)status->argument,
                  status->name ? status->name : "?", detail);
}

#ifdef __cplusplus
}  // extern "C"

namespace tessera {

/// A text that is its own memory: every kernel includes this header, and <string> would double what it parses.
struct StatusMessage {
  char text[512];

  const char* c_str() const { return text; }
};

/// TesseraStatus with a few words; adds no data. A value-initialised Status is success.
struct [[nodiscard]] Status : TesseraStatus {
  Status() : TesseraStatus{TESSERA_OK, -1, -1, 0, 0, 0, nullptr, nullptr, nullptr} {}
  explicit Status(const TesseraStatus& status) : TesseraStatus(status) {}

  /// Whether the launch was accepted (it may still be running).
  bool ok() const { return code == TESSERA_OK; }

  /// The message for people.
  StatusMessage message() const {
    StatusMessage result;
    tessera_status_message(this, result.text, sizeof result.text);
    return result;
  }
};

}  // namespace tessera
#endif /* __cplusplus */

#endif /* TESSERA_STATUS_H */
