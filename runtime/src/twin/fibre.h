// SPDX-License-Identifier: Apache-2.0
// Stacks that a host thread can leave in the middle and come back to.
#pragma once

#include <cstddef>
#include <memory>

/// 1 where the stack switch is ours, 0 where it is that of <ucontext.h> (some ten times slower).
#if defined(__x86_64__) && !defined(TESSERA_TWIN_UCONTEXT)
#define TESSERA_TWIN_OWN_SWITCH 1
#else
#define TESSERA_TWIN_OWN_SWITCH 0
#include <ucontext.h>
#endif

namespace tessera::twin {

/// A place that execution can be switched to: the stack of the host thread itself, or one made by
/// make_fibre().
class Fibre {
 public:
  Fibre() = default;  ///< the host thread's own stack
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// Leaves `from`, which is running, and goes on where `to` left off. Returns when somebody switches to
  /// `from` again.
  static void switch_to(Fibre& from, Fibre& to);

  /// Makes the fibre start over with its entry function at the next switch to it, whatever it was doing.
  void restart();

 private:
  friend std::unique_ptr<Fibre> make_fibre(void (*entry)());
  [[noreturn]] static void enter();

  void (*entry_)() = nullptr;
  unsigned char* memory_ = nullptr;  // a guard page, then the stack; null for the host thread's own
  std::size_t memory_bytes_ = 0;
  const void* stack_begin_ = nullptr;  // as sanitizers want to be told
  std::size_t stack_bytes_ = 0;
  void* sanitizer_state_ = nullptr;
#if TESSERA_TWIN_OWN_SWITCH
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_{};
#endif
};

/// A fibre that runs `entry`, which must not return. Throws std::bad_alloc when there is no memory for its
/// stack.
std::unique_ptr<Fibre> make_fibre(void (*entry)());

}  // namespace tessera::twin
