// SPDX-License-Identifier: Apache-2.0
// Each kind of fault is found, by its kind, at its line of the .tsr file, on every schedule.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "faults.h"
#include "tessera/twin/launch.h"
#include "tests/runtime/handwritten.h"

namespace {

using tessera::Status;
using tessera::tensor;
using tessera::twin::Copies;
using tessera::twin::Fault;
using tessera::twin::FaultKind;
using tessera::twin::Schedule;

/// A fault that a kernel of faults.cu commits when it runs over `elements` elements in `blocks` blocks.
struct Case {
  const char* kernel;
  int elements;
  int blocks;
  FaultKind kind;
  const char* source;
  const char* detail;  // a part of it
};

const Case kCases[] = {
    {"load_without_guard", 100, 2, FaultKind::out_of_bounds, "faults.tsr:101", "x[100], extents [100]"},
    {"store_without_guard", 100, 2, FaultKind::out_of_bounds, "faults.tsr:112", "y[100], extents [100]"},
    {"negative_index", 64, 1, FaultKind::out_of_bounds, "faults.tsr:121", "x[-1], extents [64]"},
    {"vector_over_the_end", 102, 1, FaultKind::out_of_bounds, "faults.tsr:131",
     "x[100] and the 3 that follow"},
    {"written_twice", 64, 1, FaultKind::written_twice, "faults.tsr:151", "y[4]"},
    {"never_written", 64, 1, FaultKind::never_written, "faults.tsr:161", "y[1] and 31 more"},
    {"output_read", 64, 1, FaultKind::read_before_written, "faults.tsr:171", "y["},
    {"without_barrier", 64, 1, FaultKind::shared_uninitialised, "faults.tsr:204", "part["},
    {"without_fill", 64, 1, FaultKind::shared_uninitialised, "faults.tsr:204", "part[7]"},
    {"without_second_barrier", 128, 1, FaultKind::shared_race, "faults.tsr:201",
     "and no barrier stands in between"},
    {"wrong_pitch", 64, 1, FaultKind::shared_out_of_bounds, "faults.tsr:204", "part[64], extent 64"},
    {"barrier_in_branch", 64, 1, FaultKind::divergent_barrier, "faults.tsr:205",
     "thread 0 waits at the barrier of faults.tsr:202"},
    {"early_end", 64, 1, FaultKind::divergent_barrier, "faults.tsr:203", "thread 5 has ended"},
    {"both_write", 64, 1, FaultKind::shared_race, "faults.tsr:302", "last[0]: thread "},
    {"warp_instead_of_block", 64, 1, FaultKind::shared_race, "faults.tsr:312", "part["},
    {"shuffle_in_branch", 60, 1, FaultKind::divergent_shuffle, "faults.tsr:321",
     "28 of 32 lanes wait for ever"},
    {"group_in_loop", 5, 1, FaultKind::shared_race, "faults.tsr:331", "partial["},
    {"dynamic_overlap", 64, 1, FaultKind::shared_race, "faults.tsr:34", ""},
    {"dynamic_too_large", 64, 1, FaultKind::shared_out_of_bounds, "faults.tsr:351", "which has 256"},
    {"static_too_large", 64, 1, FaultKind::shared_out_of_bounds, "faults.tsr:381", "may take 49152"},
    {"copy_without_wait", 192, 1, FaultKind::copy_in_flight, "faults.tsr:404", "has started a copy to it"},
    {"copy_waits_for_too_few", 192, 1, FaultKind::copy_in_flight, "faults.tsr:404", "part["},
    {"copy_without_group", 192, 1, FaultKind::copy_in_flight, "faults.tsr:404", "part["},
    {"copy_without_barrier", 192, 1, FaultKind::shared_race, "faults.tsr:404",
     "and no barrier stands in between"},
    {"copy_without_second_barrier", 192, 1, FaultKind::copy_in_flight, "faults.tsr:404", "thread 63"},
    {"copy_read_early", 192, 1, FaultKind::copy_in_flight, "faults.tsr:402", "part["},
    {"uninitialised_sum", 64, 1, FaultKind::uninitialised, "faults.tsr:363", ""},
    {"uninitialised_maximum", 64, 1, FaultKind::uninitialised, "faults.tsr:372", ""},
};

std::string all_faults() {
  std::string text;
  for (const Fault& fault : tessera::twin::faults()) text += to_string(fault) + "\n";
  return text;
}

bool found(const Case& expected) {
  const std::vector<Fault>& faults = tessera::twin::faults();
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
    return fault.kind == expected.kind && fault.source.rfind(expected.source, 0) == 0 &&
           fault.detail.find(expected.detail) != std::string::npos;
  });
}

/// Keeps faults off standard error, and the options as they were.
class Quiet {
 public:
  Quiet() {
    tessera::twin::on_fault([](const Fault&) {});
  }
  ~Quiet() {
    tessera::twin::on_fault({});
    tessera::twin::options() = options_;
  }

 private:
  tessera::twin::Options options_ = tessera::twin::options();
};

struct Vectors {
  explicit Vectors(int elements) : x(static_cast<std::size_t>(elements), 1.0f), y(x) {}
  std::vector<float> x, y;
};

}  // namespace

TEST_CASE("every fault is reported with its kind and its line, in the order of the threads") {
  const Quiet quiet;
  for (const Case& expected : kCases) {
    Vectors data(expected.elements);
    const Status status = faults::run(expected.kernel, tensor(data.x.data(), {expected.elements}),
                                      tensor(data.y.data(), {expected.elements}), expected.blocks);
    INFO(expected.kernel << "\n" << all_faults());
    CHECK(status.code == TESSERA_FAULT);
    CHECK(found(expected));
  }
}

TEST_CASE("races and divergence are found whatever the schedule") {
  const Quiet quiet;
  for (const Case& expected : kCases) {
    for (int seed = 0; seed < 8; ++seed) {
      tessera::twin::options().schedule = seed == 0 ? Schedule::reverse : Schedule::random;
      tessera::twin::options().seed = static_cast<std::uint64_t>(seed);
      Vectors data(expected.elements);
      const Status status = faults::run(expected.kernel, tensor(data.x.data(), {expected.elements}),
                                        tensor(data.y.data(), {expected.elements}), expected.blocks);
      INFO(expected.kernel << ", seed " << seed << "\n" << all_faults());
      CHECK(status.code == TESSERA_FAULT);
    }
  }
}

TEST_CASE("faults of copies are found whenever the copies land, and a good pipeline has none") {
  const Quiet quiet;
  for (const Copies copies : {Copies::early, Copies::late}) {
    tessera::twin::options().copies = copies;
    for (const Case& expected : kCases) {
      if (expected.kernel[0] != 'c') continue;
      Vectors data(expected.elements);
      (void)faults::run(expected.kernel, tensor(data.x.data(), {expected.elements}),
                        tensor(data.y.data(), {expected.elements}), expected.blocks);
      INFO(expected.kernel << "\n" << all_faults());
      CHECK(found(expected));
    }
    for (int seed = -1; seed < 8; ++seed) {
      tessera::twin::options().schedule = seed < 0 ? Schedule::forward : Schedule::random;
      tessera::twin::options().seed = static_cast<std::uint64_t>(seed);
      Vectors data(192);
      for (std::size_t i = 0; i < 192; ++i) data.x[i] = static_cast<float>(i);
      INFO(all_faults());
      REQUIRE(faults::run("pipeline", tensor(data.x.data(), {192}), tensor(data.y.data(), {192}), 1).ok());
      for (std::size_t i = 0; i < 192; ++i)
        REQUIRE(data.y[i] == static_cast<float>(i / 64 * 64 + 63 - i % 64));
    }
    tessera::twin::options().schedule = Schedule::forward;
  }
}

TEST_CASE("late copies bring nothing before the wait") {
  const Quiet quiet;
  tessera::twin::options().copies = Copies::late;
  Vectors data(192);
  for (float& y : data.y) y = 0;
  (void)faults::run("copy_without_wait", tensor(data.x.data(), {192}), tensor(data.y.data(), {192}), 1);
  CHECK(std::none_of(data.y.begin(), data.y.end(), [](float y) { return y == 1.0f; }));
}

TEST_CASE("a vector at an address that is not its multiple") {
  const Quiet quiet;
  Vectors data(68);
  alignas(16) float memory[72] = {};
  const Status status =
      faults::run("vector_misaligned", tensor(memory + 1, {64}), tensor(data.y.data(), {64}), 1);
  CHECK(status.code == TESSERA_FAULT);
  const Case expected{"", 0, 0, FaultKind::misaligned, "faults.tsr:141", "x[0] and the 3 that follow"};
  INFO(all_faults());
  CHECK(found(expected));
}

TEST_CASE("vector access along a dimension that has gaps") {
  const Quiet quiet;
  std::vector<float> x(128), y(64);
  const Status status = faults::run("vector_over_the_end", tessera::strided_tensor(x.data(), {64}, {2}),
                                    tensor(y.data(), {64}), 1);
  CHECK(status.code == TESSERA_FAULT);
  const Case expected{"", 0, 0, FaultKind::broken_promise, "faults.tsr:131", "stride 2"};
  INFO(all_faults());
  CHECK(found(expected));
}

TEST_CASE("a tensor that reaches beyond its allocation") {
  const Quiet quiet;
  std::vector<float> x(100), y(64);
  tessera::twin::register_allocation(x.data(), 60 * sizeof(float));
  const Status status = faults::run("written_twice", tensor(x.data() + 10, {64}), tensor(y.data(), {64}), 1);
  tessera::twin::forget_allocation(x.data());
  CHECK(status.code == TESSERA_FAULT);
  const Case expected{"", 0, 0, FaultKind::outside_allocation, "", "x reaches 56 bytes beyond its memory"};
  INFO(all_faults());
  CHECK(found(expected));
}

TEST_CASE("each barrier of a good kernel is needed: dropping it is found") {
  const Quiet quiet;
  std::vector<float> x(100 * 70), y(x.size());
  const auto transpose = [&] {
    return kernels::transpose(tensor(x.data(), {100, 70}), tensor(y.data(), {70, 100}));
  };
  REQUIRE(transpose().ok());
  tessera::twin::options().drop_barrier = 0;
  CHECK(transpose().code == TESSERA_FAULT);
  CHECK(found({"", 0, 0, FaultKind::shared_uninitialised, "transpose.tsr:4", "tile_x["}));
  tessera::twin::options().drop_barrier = 2;  // there are only two places, and blocks do one tile each
  CHECK(transpose().ok());
}

TEST_CASE("dropping the barrier of a reduction is found") {
  const Quiet quiet;
  std::vector<tessera::bf16> x(3 * 2048), y(x.size());
  for (int place = 0; place < 2; ++place) {
    tessera::twin::options().drop_barrier = place;
    const Status status = kernels::softmax(tensor(x.data(), {3, 2048}), tensor(y.data(), {3, 2048}));
    INFO(all_faults());
    CHECK(status.code == TESSERA_FAULT);
    CHECK(std::string(tessera::twin::faults().front().source).rfind("softmax.tsr:", 0) == 0);
  }
}

TEST_CASE("dropping the barrier of a product's loop is found, its copies early or late") {
  const Quiet quiet;
  std::vector<tessera::bf16> a(64 * 96), b(96 * 64), c(64 * 64);
  for (const Copies copies : {Copies::early, Copies::late}) {
    tessera::twin::options().copies = copies;
    for (int drop = -1; drop < 1; ++drop) {
      tessera::twin::options().drop_barrier = drop;
      const Status status =
          kernels::gemm(tensor(a.data(), {64, 96}), tensor(b.data(), {96, 64}), tensor(c.data(), {64, 64}));
      INFO(all_faults());
      CHECK(status.ok() == (drop < 0));
    }
  }
  CHECK(found({"", 0, 0, FaultKind::shared_race, "gemm.tsr:7", "a_elements["}));
}

TEST_CASE("a fault reads as one line") {
  const Quiet quiet;
  Vectors data(100);
  (void)faults::run("store_without_guard", tensor(data.x.data(), {100}), tensor(data.y.data(), {100}), 2);
  REQUIRE(tessera::twin::faults().size() == 1);
  CHECK(tessera::twin::fault_count() == 28);
  CHECK(to_string(tessera::twin::faults().front()) ==
        "faults.tsr:112: out of bounds: y[100], extents [100] (faulty, block 1, thread 36)");
}

TEST_CASE("a good launch after a faulty one starts afresh") {
  const Quiet quiet;
  Vectors data(64);
  CHECK_FALSE(faults::run("early_end", tensor(data.x.data(), {64}), tensor(data.y.data(), {64}), 1).ok());
  std::vector<float> x(33 * 65), y(x.size());
  CHECK(kernels::transpose(tensor(x.data(), {33, 65}), tensor(y.data(), {65, 33})).ok());
  CHECK(tessera::twin::faults().empty());
}
