// SPDX-License-Identifier: Apache-2.0
// Each operation computes a point for every combination of its axes and of the loops around it; see work.h.
#include "commands/work.h"

#include <algorithm>
#include <set>

namespace tessera::commands {

namespace {

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

  /// Along the axes that no loop around the value goes over.
  double points(const ir::Value& value) const {
    double count = 1;
    for (const ir::AxisId axis : value.axes) {
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
