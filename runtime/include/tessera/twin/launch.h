// SPDX-License-Identifier: Apache-2.0
// A launch on the host twin: gives each view the shadow of its tensor, runs the grid, looks at what was
// written.
#pragma once

#include <deque>
#include <tuple>
#include <type_traits>

#include "tessera/launch_check.h"
#include "tessera/twin/machine.h"
#include "tessera/view.h"

namespace tessera {
struct StoreBoxes;
}

namespace tessera::twin {

/// Tells the twin that [memory, memory + bytes) is one allocation: a tensor that begins in it must end in it.
void register_allocation(const void* memory, std::int64_t bytes);
void forget_allocation(const void* memory);

/// The tensors of one launch, which begins with it.
class LaunchShadow {
 public:
  LaunchShadow(const LaunchCheck& check, const Grid& grid);

  /// What a kernel gets for an argument: a view or boxes of an output with their shadow, anything else as it is.
  template <typename T>
  T attach(T argument) {
    if constexpr (std::is_same_v<T, StoreBoxes>) argument.map.shadow = find(argument.map.data, false);
    return argument;
  }
  template <typename T, int Rank>
  View<T, Rank> attach(View<T, Rank> view) {
    view.shadow = find(view.data, std::is_const_v<T>);
    return view;
  }

  /// Reports the elements of outputs that nobody wrote.
  void check_outputs() const;

 private:
  struct Entry {
    const void* data;
    Access access;
    std::vector<std::int64_t> extents;
    TensorShadow shadow;
  };

  TensorShadow* find(const void* data, bool read_only);

  std::deque<Entry> entries_;  // views point into it
};

/// The Status of a launch that has ended.
Status finish(const LaunchCheck& check);

/// Runs the grid; `arguments` are the kernel's parameters.
template <typename... Parameters>
Status launch(const LaunchCheck& check, const Grid& grid, void (*kernel)(Parameters...),
              Parameters... arguments) {
  LaunchShadow shadow(check, grid);
  const std::tuple<Parameters...> attached(shadow.attach(arguments)...);
  const bool runs = fault_count() == 0;  // not with tensors that reach outside of their memory
  if (runs && run(grid, [&] { std::apply(kernel, attached); })) shadow.check_outputs();
  return finish(check);
}

}  // namespace tessera::twin
