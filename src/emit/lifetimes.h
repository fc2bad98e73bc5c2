// SPDX-License-Identifier: Apache-2.0
// Lifetimes of values along a line of steps, with loops as stretches of it.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <vector>

namespace tessera::emit {

/// Values are numbers that `add` gives out. A value lives from the step that makes it to the last one that uses it; what
/// a loop uses from outside lives until the loop ends.
class Lifetimes {
 public:
  void step() { ++now_; }
  int now() const { return now_; }

  /// A value that this step makes.
  int add(double registers) { return add_from(now_, registers); }
  /// A value of this step that was under way since an earlier one.
  int add_from(int born, double registers);
  void use(int value);
  /// Registers that only this step needs.
  void scratch(double registers);

  std::size_t depth() const { return loops_.size(); }
  void open_loop() { loops_.push_back({now_, {}}); }
  /// Ends the innermost loop. `replaced` came from outside and had other values take its place, the `carried` ones.
  void close_loop(const std::set<int>& replaced, const std::set<int>& carried);
  /// The outermost open loop that all the values come from outside of; depth() when there is none.
  std::size_t outermost_without(const std::vector<int>& values) const;
  /// A value made in front of an open loop, and the use of its operands there.
  int add_before(std::size_t loop, double registers);
  void use_before(std::size_t loop, int value);

  /// A value that is there from the start of an open loop to its end, whichever turn gave it.
  int add_through(std::size_t loop, double registers);

  /// Registers at the widest step. What loops do not change takes `most_before` at most: the rest is made again inside.
  double peak(double most_before = std::numeric_limits<double>::infinity()) const;

 private:
  struct Value {
    int born, dies;
    double registers;
    bool is_before = false;  // made in front of a loop
  };
  struct Loop {
    int begin;
    std::set<int> used;  // values from outside
  };
  Value& at(int value) { return values_[static_cast<std::size_t>(value)]; }

  int now_ = 0;
  std::vector<Value> values_;
  std::vector<Loop> loops_;
};

}  // namespace tessera::emit
