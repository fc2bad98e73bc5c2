// SPDX-License-Identifier: Apache-2.0
// The words of kernels one by one, on the host twin: group reductions, vectors, shared memory, numbers.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "catch.h"
#include "tessera/kernel.h"

namespace words {

using namespace tessera;
using tessera::index;

namespace {

/// Runs `kernel` on every thread of a grid; the words must find nothing wrong.
template <typename Kernel>
void run_clean(index blocks, int threads, Kernel kernel) {
  twin::begin_faults("words");
  twin::begin_shared(0);
  REQUIRE(twin::run({blocks, threads, 0}, kernel));
  REQUIRE(twin::fault_count() == 0);
}

/// Each group of each block reduces `rounds` values a thread, one right after the other; `check(group, round, result)`
/// sees what every thread got.
template <int kThreads, int kGroups, typename Op, typename T, typename Check>
void reduce_all(Op op, const std::vector<T>& values, int rounds, Check check) {
  run_clean(1, kThreads * kGroups, [&] {
    Group<kThreads, kGroups> group;
    REQUIRE(group.rank() == thread_index() % kThreads);
    REQUIRE(group.number() == thread_index() / kThreads);
    for (int round = 0; round < rounds; ++round) {
      const auto i = static_cast<std::size_t>(round * kThreads * kGroups + thread_index());
      check(group.number(), round, group.reduce(op, values[i]));
    }
  });
}

constexpr int kRounds = 3;

/// Compares with a loop over the values of each group.
template <int kThreads, int kGroups, typename Op, typename T>
void compare_with_loop(Op op, const std::vector<T>& values) {
  reduce_all<kThreads, kGroups>(op, values, kRounds, [&](int group, int round, T result) {
    const auto first = static_cast<std::size_t>((round * kGroups + group) * kThreads);
    T expected = values[first];
    for (std::size_t i = 1; i < kThreads; ++i) expected = op(expected, values[first + i]);
    REQUIRE(result == expected);
  });
}

template <typename T>
std::vector<T> random_values(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> result(count);
  for (T& value : result) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<int>(random() % 201) - 100);  // small integers: sums are exact
    } else {
      value = static_cast<T>(random());
    }
  }
  return result;
}

template <int kThreads, int kGroups>
void test_group() {
  INFO(kGroups << " groups of " << kThreads);
  constexpr std::size_t kCount = kThreads * kGroups * kRounds;
  compare_with_loop<kThreads, kGroups>(Sum{}, random_values<float>(kCount, 1));
  compare_with_loop<kThreads, kGroups>(Sum{}, random_values<double>(kCount, 2));
  compare_with_loop<kThreads, kGroups>(Sum{}, random_values<std::int32_t>(kCount, 3));
  compare_with_loop<kThreads, kGroups>(Sum{}, random_values<std::int64_t>(kCount, 4));
  compare_with_loop<kThreads, kGroups>(Sum{}, random_values<std::int8_t>(kCount, 5));
  compare_with_loop<kThreads, kGroups>(Product{}, random_values<std::uint32_t>(kCount, 6));
  compare_with_loop<kThreads, kGroups>(Product{}, random_values<std::int16_t>(kCount, 7));
  compare_with_loop<kThreads, kGroups>(Maximum{}, random_values<float>(kCount, 8));
  compare_with_loop<kThreads, kGroups>(Maximum{}, random_values<std::int64_t>(kCount, 9));
  compare_with_loop<kThreads, kGroups>(Minimum{}, random_values<double>(kCount, 10));
  compare_with_loop<kThreads, kGroups>(Minimum{}, random_values<std::uint8_t>(kCount, 11));
  for (int ones = 0; ones < 2; ++ones) {
    std::vector<std::uint8_t> flags(kCount, static_cast<std::uint8_t>(ones));
    flags[kCount / 2] = 1 - ones;
    reduce_all<kThreads, kGroups>(All{}, flags, kRounds, [](int, int, bool) {});
    compare_with_loop<kThreads, kGroups>(Any{}, std::vector<bool>(flags.begin(), flags.end()));
    compare_with_loop<kThreads, kGroups>(All{}, std::vector<bool>(flags.begin(), flags.end()));
  }
}

/// The winner of a loop that keeps the first of the best, a NaN being the best of all.
template <typename T, typename Better>
index first_best(const std::vector<T>& values, std::size_t first, std::size_t count, Better better) {
  std::size_t best = first;
  for (std::size_t i = first + 1; i < first + count; ++i) {
    if (std::isnan(values[best])) break;
    if (std::isnan(values[i]) || better(values[i], values[best])) best = i;
  }
  return static_cast<index>(best);
}

template <int kThreads, int kGroups>
void test_arg_group(bool with_nan) {
  std::vector<float> values = random_values<float>(kThreads * kGroups * kRounds, 12);
  for (float& value : values) value = std::floor(value / 20);  // many ties
  if (with_nan) {
    for (std::size_t i = 3; i < values.size(); i += 7) values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  std::vector<Indexed<float>> indexed;
  for (const float value : values) indexed.push_back({value, static_cast<index>(indexed.size())});
  const auto first_of = [](int group, int round) {
    return static_cast<std::size_t>((round * kGroups + group) * kThreads);
  };
  reduce_all<kThreads, kGroups>(
      ArgMaximum{}, indexed, kRounds, [&](int group, int round, Indexed<float> result) {
        REQUIRE(result.position ==
                first_best(values, first_of(group, round), kThreads, std::greater<float>()));
      });
  reduce_all<kThreads, kGroups>(
      ArgMinimum{}, indexed, kRounds, [&](int group, int round, Indexed<float> result) {
        REQUIRE(result.position == first_best(values, first_of(group, round), kThreads, std::less<float>()));
      });
}

}  // namespace

TEST_CASE("reductions of groups of every size agree with loops, in all threads") {
  test_group<1, 1>();
  test_group<1, 64>();
  test_group<2, 1>();
  test_group<2, 16>();
  test_group<4, 8>();
  test_group<8, 3>();
  test_group<16, 1>();
  test_group<16, 8>();
  test_group<32, 1>();
  test_group<32, 5>();
  test_group<64, 1>();
  test_group<64, 4>();
  test_group<96, 1>();
  test_group<96, 3>();
  test_group<128, 2>();
  test_group<256, 1>();
  test_group<1024, 1>();
}

TEST_CASE("argmax and argmin take the first, and NaN before anything else") {
  for (const bool with_nan : {false, true}) {
    test_arg_group<4, 8>(with_nan);
    test_arg_group<32, 2>(with_nan);
    test_arg_group<96, 2>(with_nan);
    test_arg_group<256, 1>(with_nan);
  }
  const Indexed<bf16> none{lowest<bf16>(), kNoPosition}, some{lowest<bf16>(), 5};
  CHECK(ArgMaximum{}(none, some).position == 5);
  CHECK(ArgMaximum{}(some, none).position == 5);
  CHECK(ArgMaximum{}.in_order(none, some).position == 5);
  const Indexed<float> nothing{highest<float>(), kNoPosition}, first{highest<float>(), 5},
      next{highest<float>(), 6};
  CHECK(ArgMinimum{}.in_order(nothing, first).position == 5);
  CHECK(ArgMinimum{}.in_order(first, next).position == 5);
}

TEST_CASE("a float sum has the same bits in all threads and on every schedule") {
  std::mt19937 random(5);
  std::vector<float> values(256);
  for (float& value : values)
    value = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 40) - 60);
  std::set<float> results;
  const twin::Options before = twin::options();
  for (const twin::Schedule schedule :
       {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
    twin::options().schedule = schedule;
    reduce_all<256, 1>(Sum{}, values, 1, [&](int, int, float result) { results.insert(result); });
  }
  twin::options() = before;
  CHECK(results.size() == 1);
}

TEST_CASE("groups of one block may be at different places of the kernel") {
  for (const int longer : {0, 1, 2, 3}) {
    run_clean(1, 256, [&] {
      Group<64, 4> row;
      const int rounds = row.number() == longer ? 9 : 4;
      for (int round = 0; round < rounds; ++round) REQUIRE(row.reduce(Sum{}, 1) == 64);
    });
    run_clean(1, 32, [&] {
      Group<8, 4> row;
      const int rounds = row.number() == longer ? 9 : 4;
      TESSERA_SHARED(int, part, 32);
      for (int round = 0; round < rounds; ++round) {
        REQUIRE(row.reduce(Sum{}, 1) == 8);
        part[thread_index()] = round;
        row.sync();
        REQUIRE(part.load(thread_index() ^ 7) == round);
        row.sync();
      }
    });
  }
}

TEST_CASE("strips: each thread of a group holds one vector of each") {
  std::vector<int> seen(3 * 64 * 4);
  run_clean(1, 128, [&] {
    Group<64, 2> row;
    for (int strip = 0; strip < 3; ++strip) {
      if (row.number() == 1) ++seen[static_cast<std::size_t>(row.first(strip, 4))];
    }
  });
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == (i % 4 == 0 ? 1 : 0));
}

TEST_CASE("views load and store elements and vectors") {
  std::vector<float> data(6 * 16);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const auto x = view<const float, 2>(strided_tensor(data.data(), {6, 8}, {16, 1}));
  CHECK(x.load({2, 3}) == 35.0f);
  const Vector<float, 4> four = x.load<4>({3, 4});
  for (int i = 0; i < 4; ++i) CHECK(four[i] == 52.0f + static_cast<float>(i));
  const Vector<float, 8> eight = x.load<8>({5, 0});
  for (int i = 0; i < 8; ++i) CHECK(eight[i] == 80.0f + static_cast<float>(i));

  const auto y = view<float, 2>(strided_tensor(data.data(), {6, 8}, {16, 1}));
  y.store({0, 4}, eight[0]);
  y.store({1, 0}, Vector<float, 2>{{-1.0f, -2.0f}});
  CHECK(data[4] == 80.0f);
  CHECK(data[16] == -1.0f);
  CHECK(data[17] == -2.0f);

  const auto transposed = view<const float, 2>(strided_tensor(data.data(), {8, 6}, {1, 16}));
  CHECK(transposed.load({3, 2}) == 35.0f);
  const auto broadcast = view<const float, 3>(strided_tensor(data.data(), {4, 6, 8}, {0, 16, 1}));
  CHECK(broadcast.load({3, 2, 3}) == 35.0f);
  double one = 7.0;
  const auto scalar = view<double, 0>(tensor(&one, {}));
  CHECK(scalar.load({}) == 7.0);
  scalar.store({}, 8.0);
  CHECK(one == 8.0);
}

TEST_CASE("vectors are aligned to their size, at most 16 bytes") {
  CHECK(alignof(Vector<bool, 1>) == 1);
  CHECK(alignof(Vector<bf16, 2>) == 4);
  CHECK(alignof(Vector<bf16, 8>) == 16);
  CHECK(alignof(Vector<double, 4>) == 16);
  CHECK(sizeof(Vector<double, 4>) == 32);
  CHECK(sizeof(Vector<fp8_e4m3, 16>) == 16);
}

TEST_CASE("shared memory: elements, vectors, one array for each declaration") {
  run_clean(3, 64, [] {
    TESSERA_SHARED(float, first, 64);
    TESSERA_SHARED(std::int16_t, second, 512);
    const int thread = thread_index();
    first[thread] = static_cast<float>(thread);
    Vector<std::int16_t, 8> eight;
    for (int i = 0; i < 8; ++i) eight.set(i, static_cast<std::int16_t>(i + 1));
    second.store(thread * 8, eight);
    barrier();
    const float other = first[63 - thread];
    REQUIRE(other == static_cast<float>(63 - thread));
    REQUIRE(second.load(thread * 8 + 5) == 6);
    REQUIRE(second.load<4>((thread * 8 + 12) % 512)[3] == 8);
    barrier();
    first[thread] = second[thread];
    first[thread] = first[thread];
  });
}

TEST_CASE("wrap is the residue, for any index and extent") {
  for (const index extent : {1, 2, 3, 7, 16, 1000}) {
    for (index i = -2050; i < 2050; ++i) {
      const index wrapped = wrap(i, extent);
      REQUIRE(wrapped >= 0);
      REQUIRE(wrapped < extent);
      REQUIRE((i - wrapped) % extent == 0);
    }
  }
  constexpr index kMost = std::numeric_limits<index>::max(), kLeast = std::numeric_limits<index>::min();
  CHECK(wrap(kMost, kMost) == 0);
  CHECK(wrap(kLeast, 1) == 0);
  CHECK(wrap(kLeast, kMost) == kMost - 1);
  CHECK(wrap(kMost, 10) == 7);
}

TEST_CASE("sizes and tile positions") {
  CHECK(ceil_divide(0, 4) == 0);
  CHECK(ceil_divide(1, 4) == 1);
  CHECK(ceil_divide(8, 4) == 2);
  CHECK(ceil_divide(std::numeric_limits<index>::max(), 1) == std::numeric_limits<index>::max());
  index tile = 0;
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 4; ++j) {
      for (index k = 0; k < 5; ++k, ++tile) {
        const Index<3> position = tile_position(tile, Index<3>{3, 4, 5});
        CHECK((position[0] == i && position[1] == j && position[2] == k));
      }
    }
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = random() >> random() % 64, b = (random() >> random() % 64) | 1;
    CHECK(detail::divide_bit_by_bit(a, b) == a / b);
  }
  CHECK(divide_counts(std::numeric_limits<index>::max(), 3) == std::numeric_limits<index>::max() / 3);
  CHECK(divide_few(0xffffffff, 3) == 0x55555555);
}

TEST_CASE("clusters of two take the last tile, too") {
  CHECK((in_clusters(0, 1) == 0 && in_clusters(5, 1) == 5));
  CHECK((in_clusters(0, 2) == 0 && in_clusters(5, 2) == 3 && in_clusters(6, 2) == 3));
}

TEST_CASE("blocks run in clusters where copies are slow, have few rows, or end in few columns") {
  const Clusters many(4097, false, 4104), slow(4097, true, 4104), few(128, false, 4104);
  CHECK((many(128, 128) == 2 && many(128, 192) == 1));  // 8 columns of 128, 72 of 192
  CHECK((many(64, 64) == 2 && slow(128, 192) == 2 && Clusters(129, true, 192)(128, 192) == 2));
  CHECK((few(64, 128) == 2 && few(128, 128) == 1 && Clusters(128, true, 4104)(128, 128) == 1));
  CHECK((Clusters(2048, false, 4104)(128, 128) == 1 && Clusters(2049, false, 4104)(128, 128) == 2));
  CHECK((Clusters(4097, false, 4112)(128, 128) == 2 && Clusters(4097, false, 4113)(128, 128) == 1));
  CHECK((Clusters(4097, false, 4096)(128, 128) == 1 && Clusters(4097, false, 16)(128, 128) == 1));
  CHECK((many.clocks(5, 7) == 5 && slow.clocks(5, 7) == 7));
}

TEST_CASE("groups of rows visit every tile once, down the rows first") {
  for (const Index<3> counts : {Index<3>{2, 7, 5}, Index<3>{1, 3, 1}, Index<3>{3, 1, 4}, Index<3>{1, 9, 2}}) {
    std::set<std::array<index, 3>> seen;
    index last_group = -1;
    for (index tile = 0; tile < counts[0] * counts[1] * counts[2]; ++tile) {
      const Index<3> position = grouped_position<3>(tile, counts);
      for (int dimension = 0; dimension < 3; ++dimension)
        CHECK(inside(position[dimension], counts[dimension]));
      seen.insert({position[0], position[1], position[2]});
      const index group = position[0] * counts[1] + position[1] / 3;
      CHECK(group >= last_group);
      last_group = group;
    }
    CHECK(static_cast<index>(seen.size()) == counts[0] * counts[1] * counts[2]);
  }
  const Index<2> counts{5, 4};
  const Index<2> second = grouped_position<2>(1, counts), third = grouped_position<2>(2, counts);
  CHECK((second[0] == 1 && second[1] == 0 && third[0] == 0 && third[1] == 1));
  const Index<2> last = grouped_position<2>(19, counts);
  CHECK((last[0] == 4 && last[1] == 3));
  for (index tile = 0; tile < 20; ++tile) {
    const Index<2> plain = tile_position(tile, counts), grouped = grouped_position<1>(tile, counts);
    CHECK((plain[0] == grouped[0] && plain[1] == grouped[1]));
  }
}

TEST_CASE("extremes, and maximum and minimum of narrow floats and integers") {
  CHECK(lowest<float>() == -std::numeric_limits<float>::infinity());
  CHECK(highest<std::int8_t>() == 127);
  CHECK(lowest<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(lowest<std::uint32_t>() == 0);
  CHECK(to_float(lowest<bf16>()) == -std::numeric_limits<float>::infinity());
  CHECK(to_float(highest<f16>()) == std::numeric_limits<float>::infinity());
  CHECK(to_float(highest<fp8_e4m3>()) == 448.0f);
  CHECK(to_float(lowest<fp8_e5m2>()) == -std::numeric_limits<float>::infinity());
  const auto nan = from_float<f16>(std::numeric_limits<float>::quiet_NaN());
  CHECK(std::isnan(to_float(maximum(nan, f16{0}))));
  CHECK(std::isnan(to_float(minimum(f16{0}, nan))));
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const fp8_e5m2 x{static_cast<std::uint8_t>(a)}, y{static_cast<std::uint8_t>(b)};
      const float larger = math::max(to_float(x), to_float(y));
      const float result = to_float(maximum(x, y));
      REQUIRE((std::isnan(larger) ? std::isnan(result) : math::to_bits(result) == math::to_bits(larger)));
    }
  }
}

TEST_CASE("a divisor divides as `/` does, to the bit") {
  std::mt19937_64 random(11);
  const auto check = [](float a, float b) {
    const float expected = a / b, actual = a / Divisor(b);
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(actual));
    } else if (math::to_bits(actual) != math::to_bits(expected)) {
      FAIL(a << " / " << b << " is " << expected << ", not " << actual);
    }
  };
  for (int i = 0; i < 3000; ++i) {
    // Mantissas of all kinds and those at the ends, where roundings are hard; exponents all over and near the bounds.
    const auto mantissa = static_cast<std::uint32_t>(i % 3 == 0   ? random() % 64
                                                     : i % 3 == 1 ? 0x7fffff - random() % 64
                                                                  : random());
    const float b =
        math::from_bits((mantissa & 0x7fffffu) | static_cast<std::uint32_t>(90 + random() % 75) << 23);
    for (const float zero : {0.0f, -0.0f}) {
      check(zero, b);
      check(zero, -b);
    }
    for (int j = 0; j < 1000; ++j) check(math::from_bits(static_cast<std::uint32_t>(random())), b);
    for (int j = 0; j < 1000; ++j) check(b * static_cast<float>(random() % 4096 + 1) / 4096.0f, b);
  }
  const float special[] = {0.0f,
                           -0.0f,
                           1.0f,
                           -3.0f,
                           1e-45f,
                           1e-38f,
                           3e38f,
                           std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()};
  for (const float a : special) {
    for (const float b : special) check(a, b);
  }
}

}  // namespace words
