// SPDX-License-Identifier: Apache-2.0
// The product of matrices written by hand on the host twin against a loop: every variant, ragged extents, both orders of
// each operand, padded and misaligned views, all schedules.
#include <string>

#include "catch.h"
#include "handwritten.h"
#include "matrices.h"
#include "tessera/convert.h"
#include "tessera/mma.h"

namespace gemms {

using namespace tessera;
using tessera::index;

namespace {

using matrices::is_product;
using matrices::Matrix;

struct Case {
  index M, N, K;
  bool a_by_rows, b_by_rows;
  index padding, shift;
};

std::string text(const Case& c) {
  return std::to_string(c.M) + " x " + std::to_string(c.N) + " x " + std::to_string(c.K) + ", a " +
         (c.a_by_rows ? "by rows" : "by columns") + ", b " + (c.b_by_rows ? "by rows" : "by columns") +
         ", padding " + std::to_string(c.padding) + ", shift " + std::to_string(c.shift);
}

constexpr int kVariants = 11;

/// Runs the variants from `first` on that take the case; returns how many did.
int run_variants(const Case& shape, int first = 0, int end = kVariants) {
  int accepted = 0;
  for (int variant = first; variant < end; ++variant) {
    Matrix a(shape.M, shape.K, shape.a_by_rows, shape.padding, shape.shift, 1);
    Matrix b(shape.K, shape.N, shape.b_by_rows, shape.padding, shape.shift, 2);
    Matrix c(shape.M, shape.N, true, 0, 0, 3);
    const Status status = kernels::gemm(a.view(), b.view(), c.view(), {.variant = variant});
    INFO(text(shape) << ", variant " << variant << ": " << status.message().c_str());
    if (status.code == TESSERA_UNKNOWN_VARIANT) continue;
    ++accepted;
    REQUIRE(status.ok());
    REQUIRE(is_product(a, b, c));
  }
  return accepted;
}

}  // namespace

TEST_CASE("ragged extents, every way of copying") {
  const index extents[] = {0, 1, 17, 130};
  for (const index M : extents) {
    for (const index N : extents) {
      for (const index K : extents) {
        const bool by_rows = (M + N + K) % 2 == 0;
        CHECK(run_variants({M, N, K, by_rows, !by_rows, 0, 0}, 0, 6) >= 1);
      }
    }
  }
}

TEST_CASE("both orders of each operand, whole chunks and ragged ends") {
  for (const bool a_by_rows : {false, true}) {
    for (const bool b_by_rows : {false, true}) {
      CHECK(run_variants({96, 72, 64, a_by_rows, b_by_rows, 0, 0}, 0, 6) >= 2);
      CHECK(run_variants({64, 120, 200, a_by_rows, b_by_rows, 0, 0}, 0, 6) >= 2);
      CHECK(run_variants({130, 17, 33, a_by_rows, b_by_rows, 7, 8}, 0, 6) >= 1);
      CHECK(run_variants({130, 17, 33, a_by_rows, b_by_rows, 7, 3}, 0, 6) >= 1);  // nothing is aligned
    }
  }
  // Pitches that suit copies of 16 bytes, ends that do not.
  CHECK(run_variants({65, 70, 67, true, true, 5, 0}, 0, 6) >= 1);
  CHECK(run_variants({67, 67, 67, true, false, 5, 8}, 0, 6) >= 2);
  CHECK(run_variants({67, 67, 67, false, true, 5, 8}, 0, 6) >= 2);
}

TEST_CASE("lines that begin anywhere") {
  for (const index shift : {0, 1, 3}) {
    for (const index padding : {0, 1, 6}) {
      CHECK(run_variants({70, 67, 131, true, true, padding, shift}, 10) == 1);
      CHECK(run_variants({1, 128, 64, true, true, padding, shift}, 10) == 1);
    }
  }
}

TEST_CASE("tiles of 128 rows") {
  CHECK(run_variants({136, 264, 72, true, false, 0, 0}, 6, 10) == 2);
  CHECK(run_variants({136, 264, 72, false, true, 0, 0}, 6, 10) == 2);
}

TEST_CASE("results do not depend on the schedule, nor on when copies land") {
  const twin::Options before = twin::options();
  for (int seed = -1; seed < 4; ++seed) {
    twin::options().copies = seed % 2 == 0 ? twin::Copies::late : twin::Copies::early;
    twin::options().schedule = seed < 0 ? twin::Schedule::reverse : twin::Schedule::random;
    twin::options().seed = static_cast<std::uint64_t>(seed + 1);
    CHECK(run_variants({72, 96, 168, true, false, 0, 0}, 0, 6) >= 2);
    CHECK(run_variants({72, 96, 168, false, true, 0, 0}, 0, 6) >= 2);
  }
  twin::options() = before;
}

namespace {

/// One tile of small integers by Mma<T>, operands by rows and by columns.
template <typename T>
void check_tile(index M, index N, index K) {
  using Element = typename Mma<T>::Element;
  using Sum = typename Mma<T>::Sum;
  INFO(M << " x " << N << " x " << K);
  std::vector<Element> a(static_cast<std::size_t>(M * K)), b(static_cast<std::size_t>(K * N));
  std::mt19937 random(5);
  for (Element& x : a) x = convert<Element>(static_cast<int>(random() % 16));
  for (Element& x : b) x = convert<Element>(static_cast<int>(random() % 16));
  for (int variant = 0; variant < 2; ++variant) {
    std::vector<Sum> c(static_cast<std::size_t>(M * N));
    const Status status = kernels::product<T>(tensor(a.data(), {M, K}), tensor(b.data(), {K, N}),
                                              tensor(c.data(), {M, N}), {.variant = variant});
    INFO(status.message().c_str());
    REQUIRE(status.ok());
    for (index m = 0; m < M; ++m) {
      for (index n = 0; n < N; ++n) {
        int sum = 0;
        for (index k = 0; k < K; ++k)
          sum += convert<int>(a[static_cast<std::size_t>(m * K + k)]) *
                 convert<int>(b[static_cast<std::size_t>(k * N + n)]);
        REQUIRE(c[static_cast<std::size_t>(m * N + n)] == static_cast<Sum>(sum));
      }
    }
  }
}

}  // namespace

TEST_CASE("a tile of every type, ragged along all axes") {
  check_tile<bf16>(37, 50, 70);
  check_tile<f16>(128, 1, 33);
  check_tile<tf32>(37, 50, 70);
  check_tile<float>(37, 50, 21);
  check_tile<double>(37, 50, 21);
  check_tile<std::int8_t>(37, 50, 70);
  check_tile<std::uint8_t>(1, 128, 129);
}

}  // namespace gemms
