// SPDX-License-Identifier: Apache-2.0
#include "emit/lifetimes.h"

#include <algorithm>

namespace tessera::emit {

int Lifetimes::add_from(int born, double registers) {
  values_.push_back({born, now_, registers, false});
  return static_cast<int>(values_.size()) - 1;
}

int Lifetimes::add_before(std::size_t loop, double registers) {
  const int born = loops_[loop].begin - 1;
  values_.push_back({born, born, registers, true});
  return static_cast<int>(values_.size()) - 1;
}

int Lifetimes::add_through(std::size_t loop, double registers) {
  values_.push_back({loops_[loop].begin, now_, registers, false});
  const int value = static_cast<int>(values_.size()) - 1;
  loops_[loop].used.insert(value);
  return value;
}

void Lifetimes::use(int value) {
  at(value).dies = std::max(at(value).dies, now_);
  for (Loop& loop : loops_)
    if (at(value).born < loop.begin) loop.used.insert(value);
}

void Lifetimes::use_before(std::size_t loop, int value) {
  at(value).dies = std::max(at(value).dies, loops_[loop].begin - 1);
  for (std::size_t k = 0; k < loop; ++k)
    if (at(value).born < loops_[k].begin) loops_[k].used.insert(value);
}

void Lifetimes::scratch(double registers) {
  if (registers > 0) values_.push_back({now_, now_ + 1, registers, false});
}

void Lifetimes::close_loop(const std::set<int>& replaced, const std::set<int>& carried) {
  std::set<int> alive = std::move(loops_.back().used);
  loops_.pop_back();
  for (int value : replaced) alive.erase(value);
  alive.insert(carried.begin(), carried.end());
  for (int value : alive) at(value).dies = std::max(at(value).dies, now_);
}

std::size_t Lifetimes::outermost_without(const std::vector<int>& values) const {
  std::size_t loop = loops_.size();
  const auto is_outside = [&](int value) {
    return values_[static_cast<std::size_t>(value)].born < loops_[loop - 1].begin;
  };
  while (loop > 0 && std::all_of(values.begin(), values.end(), is_outside)) --loop;
  return loop;
}

double Lifetimes::peak(double most_before) const {
  struct Change {
    double registers = 0, before = 0;
  };
  std::vector<Change> changes(static_cast<std::size_t>(now_) + 2);
  for (const Value& value : values_) {
    const auto add = [&](int step, double registers) {
      Change& change = changes[static_cast<std::size_t>(step)];
      (value.is_before ? change.before : change.registers) += registers;
    };
    add(value.born, value.registers);
    add(std::min(value.dies, now_ + 1), -value.registers);
  }
  double registers = 0, before = 0, most = 0;
  for (const Change& change : changes) {
    registers += change.registers;
    before += change.before;
    most = std::max(most, registers + std::min(before, most_before));
  }
  return most;
}

}  // namespace tessera::emit
