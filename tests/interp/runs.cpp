// SPDX-License-Identifier: Apache-2.0
// Runs of kernels in tests.
#include "interp/runs.h"

#include "catch.h"

namespace tessera::testing {

using interp::Array;
using interp::InstanceOrder;
using interp::Partition;

Array array_of(DType dtype, std::vector<int64_t> extents, const std::vector<double>& numbers) {
  Array array = Array::zeros(dtype, std::move(extents));
  REQUIRE(array.count() == static_cast<int64_t>(numbers.size()));
  for (size_t i = 0; i < numbers.size(); ++i) interp::set_element(array, static_cast<int64_t>(i), numbers[i]);
  return array;
}

Array random_array(DType dtype, std::vector<int64_t> extents, double low, double high) {
  Array array = Array::zeros(dtype, std::move(extents));
  interp::fill_random(array, 7, low, high);
  return array;
}

std::vector<double> numbers_of(const Array& array) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < array.count(); ++i) numbers.push_back(interp::element_as_double(array, i));
  return numbers;
}

std::vector<Partition> partitions() {
  return {{1, {}, InstanceOrder::forward, 1},
          {1, {}, InstanceOrder::random, 2},
          {3, {}, InstanceOrder::reverse, 1},
          {3, {}, InstanceOrder::random, 3},
          {Partition::kChosen, {}, InstanceOrder::reverse, 1},
          {Partition::kWhole, {}, InstanceOrder::forward, 1}};
}

interp::Result run_or_fail(const ir::Kernel& kernel, const interp::Arguments& arguments,
                           interp::Numbers numbers) {
  interp::Result result = interp::run(kernel, arguments, {numbers, {}});
  if (!result.ok()) UNSCOPED_INFO(result.error->message);
  REQUIRE(result.ok());
  return result;
}

interp::Result run_at_all_partitions(const ir::Kernel& kernel, const interp::Arguments& arguments,
                                     interp::Numbers numbers) {
  const interp::Result expected = run_or_fail(kernel, arguments, numbers);
  for (const Partition& partition : partitions()) {
    const interp::Result result = interp::run(kernel, arguments, {numbers, partition});
    if (!result.ok()) UNSCOPED_INFO(result.error->message);
    REQUIRE(result.ok());
    for (const auto& [name, output] : expected.outputs) {
      INFO(name << " at step " << partition.step);
      REQUIRE(interp::compare_bits(result.outputs.at(name), output).count == 0);
    }
  }
  return expected;
}

}  // namespace tessera::testing
