// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel.h"
#include "timing.h"

namespace bench {
namespace {

constexpr int kMostSets = 32;
constexpr int kMostLaunches = 64;  // of a graph
constexpr double kGraphSeconds = 1e-3;
constexpr std::size_t kFinalists = 4;

/// A stream of this measurement.
class Stream {
 public:
  Stream() { check(cudaStreamCreate(&stream_), "stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// As many sets as are twice what the cache holds.
int sets_for(const Case& product, const Device& device, const Options& options) {
  if (options.warm) return 1;
  const double sets = 2.0 * static_cast<double>(device.cache_bytes) /
                      static_cast<double>(bytes_of(product.type, product.shape));
  return std::clamp(static_cast<int>(std::ceil(sets)), 1, kMostSets);
}

int launches_for(double seconds, int sets) {
  const int launches = std::clamp(static_cast<int>(std::ceil(kGraphSeconds / seconds)), 2, kMostLaunches);
  return (launches + sets - 1) / sets * sets;
}

int rounds_for(double seconds, double seconds_of_round) {
  return std::clamp(static_cast<int>(seconds / seconds_of_round / 2) * 2, 8, 40);
}

/// The library's product: of the same matrices if it takes them, otherwise of those it takes, with equal elements.
/// Without lines that lie apart in any case, and at last with a multiple of 16 rows.
std::unique_ptr<LibraryProduct> library_product(const Library& library, const Case& product,
                                                const std::shared_ptr<const Operands>& ours, Row* row) {
  const Orders usual{.a_by_columns = false, .b_by_columns = true};
  Shape rounded = product.shape;
  rounded.m = (rounded.m + 15) / 16 * 16;
  const struct {
    Shape shape;
    Orders orders;
  } attempts[] = {{product.shape, product.orders}, {product.shape, usual}, {rounded, usual}};
  for (const auto& [shape, orders] : attempts) {
    const bool same = product.pitch == 0 && shape.m == product.shape.m && orders == product.orders;
    const auto operands = same ? ours : std::make_shared<Operands>(product, shape, orders, 0, ours->sets());
    auto found = std::make_unique<LibraryProduct>(library, product, operands);
    row->library_orders = orders;
    row->library_rows = shape.m;
    if (found->candidates() > 0) return found;
  }
  return nullptr;
}

/// Both sides of a case.
class Contest {
 public:
  Contest(const Kernel& kernel, const Operands& operands, const LibraryProduct& theirs)
      : kernel_(kernel), operands_(operands), theirs_(theirs) {}

  Graph ours(int launches) const {
    return Graph(stream_, launches, [&](int i) { kernel_.launch(operands_, i % operands_.sets(), stream_); });
  }
  Graph library(int candidate, int launches) const {
    return Graph(stream_, launches,
                 [&](int i) { theirs_.launch(candidate, i % theirs_.operands().sets(), stream_); });
  }

  /// Fills in candidates' number and all times.
  void run(const Options& options, Row* row) const;

 private:
  int best_candidate(int launches) const;
  /// What a replay leaves in a set, and what one launch does.
  Outcome check_ours(const Graph& graph, int set) const;
  Outcome check_library(int candidate, int set) const;

  const Kernel& kernel_;
  const Operands& operands_;
  const LibraryProduct& theirs_;
  Stream stream_;
};

Outcome Contest::check_ours(const Graph& graph, int set) const {
  operands_.poison(set);
  graph.replay();
  return operands_.compare(set, false);
}

Outcome Contest::check_library(int candidate, int set) const {
  theirs_.operands().poison(set);
  theirs_.launch(candidate, set, stream_);
  return theirs_.operands().compare(set, true);
}

/// Every candidate shortly, then the quickest ones in turns.
int Contest::best_candidate(int launches) const {
  std::vector<std::pair<double, int>> ranked;
  for (int candidate = 0; candidate < theirs_.candidates(); ++candidate) {
    ranked.emplace_back(library(candidate, launches).quick_seconds(), candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), kFinalists));
  std::vector<Graph> graphs;
  for (const auto& [seconds, candidate] : ranked) graphs.push_back(library(candidate, launches));
  std::vector<const Graph*> sides;
  for (const Graph& graph : graphs) sides.push_back(&graph);
  const std::vector<double> times = median_seconds(sides, 6);
  return ranked[static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin())]
      .second;
}

void Contest::run(const Options& options, Row* row) const {
  const double about = library(0, 4).quick_seconds();
  const int launches = launches_for(about, operands_.sets());
  const int best = best_candidate(launches);
  const Graph our_graph = ours(launches), first_graph = library(0, launches),
              best_graph = library(best, launches);
  std::vector<const Graph*> sides = {&our_graph, &first_graph};
  if (best != 0) sides.push_back(&best_graph);
  const double round =
      our_graph.quick_seconds() * launches + about * launches * static_cast<double>(sides.size() - 1);
  const std::vector<double> times = median_seconds(sides, rounds_for(options.seconds, round));
  row->candidates = theirs_.candidates();
  row->ours = times[0];
  row->first = times[1];
  row->best = *std::min_element(times.begin() + 1, times.end());
  // The same set for both, so that their errors can be held against each other.
  const int set = operands_.sets() - 1;
  row->library_outcome = check_library(best, set);
  if (!row->library_outcome.ok()) row->remark = "the library's result is wrong";
  row->our_outcome = check_ours(our_graph, set);
  if (!row->our_outcome.ok()) row->remark = "wrong after replays";
}

}  // namespace

Row measure(const Case& product, const Device& device, const Library& library, const Options& options) {
  Row row;
  try {
    const Kernel kernel(options.kernels, product);
    row.sets = sets_for(product, device, options);
    const auto operands =
        std::make_shared<const Operands>(product, product.shape, product.orders, product.pitch, row.sets);
    if (operands->compare(0, false).ok()) throw std::runtime_error("the comparison sees nothing");
    kernel.launch(*operands, 0, nullptr);
    row.our_outcome = operands->compare(0, false);
    if (!row.our_outcome.ok()) {
      row.remark = "wrong";
      return row;
    }
    const auto theirs = library_product(library, product, operands, &row);
    if (theirs == nullptr) {
      row.remark = "the library has no way";
      return row;
    }
    Contest(kernel, *operands, *theirs).run(options, &row);
  } catch (const std::exception& error) {
    row.remark = error.what();
  }
  return row;
}

}  // namespace bench
