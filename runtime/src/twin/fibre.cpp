// SPDX-License-Identifier: Apache-2.0
// Fibres by hand on x86-64 (a switch is six pushes and pops), by ucontext elsewhere; AddressSanitizer is
// told.
#include "fibre.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if TESSERA_TWIN_OWN_SWITCH
// void tessera_twin_switch_stack(void** save, void* load): the registers that a call preserves, and the stack
// pointer.
asm(R"(
.text
.p2align 4
.globl tessera_twin_switch_stack
.hidden tessera_twin_switch_stack
.type tessera_twin_switch_stack, @function
tessera_twin_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tessera_twin_switch_stack, .-tessera_twin_switch_stack
)");
extern "C" void tessera_twin_switch_stack(void** save, void* load);
#endif

namespace tessera::twin {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = 1024 * 1024;
#else
constexpr std::size_t kStackBytes = 256 * 1024;
#endif

thread_local Fibre* switching_from = nullptr;
thread_local Fibre* switching_to = nullptr;

}  // namespace

Fibre::~Fibre() {
  if (memory_ != nullptr) munmap(memory_, memory_bytes_);
}

void Fibre::enter() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(switching_to->sanitizer_state_, &switching_from->stack_begin_,
                                  &switching_from->stack_bytes_);
#endif
  switching_to->entry_();
  std::abort();
}

void Fibre::restart() {
  sanitizer_state_ = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(stack_begin_, stack_bytes_);  // what abandoned frames have left
#endif
#if TESSERA_TWIN_OWN_SWITCH
  // As if the switch had been called from enter's first instruction: six registers, then where to go, on a
  // stack that is a multiple of 16 before the return address of a call.
  constexpr int kSavedRegisters = 6;
  auto* frame = reinterpret_cast<std::uintptr_t*>(memory_ + memory_bytes_) - 2;
  frame[1] = 0;
  frame[0] = reinterpret_cast<std::uintptr_t>(&Fibre::enter);
  frame -= kSavedRegisters;
  std::memset(frame, 0, kSavedRegisters * sizeof *frame);
  stack_pointer_ = frame;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = const_cast<void*>(stack_begin_);
  context_.uc_stack.ss_size = stack_bytes_;
  context_.uc_link = nullptr;
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fibre::enter), 0);
#endif
}

void Fibre::switch_to(Fibre& from, Fibre& to) {
  switching_from = &from;
  switching_to = &to;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.sanitizer_state_, to.stack_begin_, to.stack_bytes_);
#endif
#if TESSERA_TWIN_OWN_SWITCH
  tessera_twin_switch_stack(&from.stack_pointer_, to.stack_pointer_);
#else
  swapcontext(&from.context_, &to.context_);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.sanitizer_state_, &switching_from->stack_begin_,
                                  &switching_from->stack_bytes_);
#endif
}

std::unique_ptr<Fibre> make_fibre(void (*entry)()) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = kStackBytes + page;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto fibre = std::make_unique<Fibre>();
  fibre->memory_ = static_cast<unsigned char*>(memory);
  fibre->memory_bytes_ = bytes;
  if (mprotect(memory, page, PROT_NONE) != 0) throw std::bad_alloc();
  fibre->stack_begin_ = fibre->memory_ + page;
  fibre->stack_bytes_ = kStackBytes;
  fibre->entry_ = entry;
  fibre->restart();
  return fibre;
}

}  // namespace tessera::twin
