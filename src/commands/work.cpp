// SPDX-License-Identifier: Apache-2.0
// Each operation computes a point for every combination of its axes and of the loops around it; see work.h.
#include "commands/work.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tessera::commands {

namespace {

// Generated code computes products in whole tiles, however few elements there are. A term costs less there than one
// that the interpreter and the analysis of errors take, each by itself.
constexpr double kTile = 128, kSummedTile = 64, kTermsOfTile = 32;

class Counter {
 public:
  explicit Counter(const Problem& problem) : problem_(problem) {}

  double of(const ir::Grid& grid) {
    double instances = 1;
    for (const ir::AxisId axis : grid.axes) instances *= enter(axis);
    const double terms = of(grid.body, instances);
    around_.clear();
    return terms;
  }

 private:
  double of(const ir::Block& block, double iterations) {
    double terms = 0;
    for (const ir::Statement& statement : block) {
      if (const auto* define = std::get_if<ir::Define>(&statement.node)) {
        terms += iterations * points(kernel().values[define->value]);
      } else if (const auto* loop = std::get_if<ir::Loop>(&statement.node)) {
        const double times = enter(loop->axis);
        terms += of(loop->body, iterations * times);
        around_.erase(loop->axis);
      }
    }
    return terms;
  }

  /// Along the axes that no loop around the value goes over; of a product, its terms.
  double points(const ir::Value& value) const {
    const auto* dot = std::get_if<ir::Dot>(&value.op);
    if (dot == nullptr) return along(value.axes);
    return along(value.axes) * along(dot->axes) * std::max(1.0, padding(value, *dot) / kTermsOfTile);
  }

  /// How many terms there are in whole tiles for each one that exists.
  double padding(const ir::Value& value, const ir::Dot& dot) const {
    double factor = 1;
    for (const ir::AxisId axis : value.axes) factor *= padding(axis, kTile);
    for (const ir::AxisId axis : dot.axes) factor *= padding(axis, kSummedTile);
    return factor;
  }

  double padding(ir::AxisId axis, double tile) const {
    const double elements = extent(axis);
    return kernel().axes[axis].is_tile() && elements > 0 ? std::ceil(elements / tile) * tile / elements : 1;
  }

  double along(const std::vector<ir::AxisId>& axes) const {
    double count = 1;
    for (const ir::AxisId axis : axes) {
      if (!around_.contains(axis)) count *= extent(axis);
    }
    return count;
  }

  double enter(ir::AxisId axis) {
    around_.insert(axis);
    return extent(axis);
  }

  double extent(ir::AxisId id) const {
    const ir::Axis& axis = kernel().axes[id];
    return static_cast<double>(
        std::max<int64_t>(problem_.evaluate(axis.upper) - problem_.evaluate(axis.lower), 0));
  }

  const ir::Kernel& kernel() const { return *problem_.kernel; }

  const Problem& problem_;
  std::set<ir::AxisId> around_;
};

}  // namespace

double count_terms(const Problem& problem) {
  double terms = 0;
  for (const ir::Grid& grid : problem.kernel->grids) terms += Counter(problem).of(grid);
  return terms;
}

}  // namespace tessera::commands
