// SPDX-License-Identifier: Apache-2.0
#include "emit/lifetimes.h"

#include <algorithm>

namespace tessera::emit {

int Lifetimes::add_from(int born, double registers) {
  values_.push_back({born, now_, registers});
  return static_cast<int>(values_.size()) - 1;
}

int Lifetimes::add_before(std::size_t loop, double registers) {
  const int born = loops_[loop].begin - 1;
  values_.push_back({born, born, registers});
  return static_cast<int>(values_.size()) - 1;
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
  if (registers > 0) values_.push_back({now_, now_ + 1, registers});
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

double Lifetimes::peak() const {
  std::vector<double> change(static_cast<std::size_t>(now_) + 2, 0.0);
  for (const Value& value : values_) {
    change[static_cast<std::size_t>(value.born)] += value.registers;
    change[static_cast<std::size_t>(std::min(value.dies, now_ + 1))] -= value.registers;
  }
  double sum = 0, most = 0;
  for (double each : change) most = std::max(most, sum += each);
  return most;
}

}  // namespace tessera::emit
