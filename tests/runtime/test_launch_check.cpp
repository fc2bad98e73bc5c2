// SPDX-License-Identifier: Apache-2.0
// Every way to refuse a launch: its code, its particulars, its message. And what must be accepted.
#include <string>
#include <vector>

#include "catch.h"
#include "tessera/boxed_tensor.h"
#include "tessera/launch.h"
#include "tessera/shared_terms.h"
#include "tests/runtime/test_abi.h"

namespace launch_check {

using namespace tessera;
using tessera::index;

namespace {

std::string text_of(const Status& status) { return status.message().c_str(); }

void count_threads(View<float, 2> y) { y.store({0, 0}, y.load({0, 0}) + 1.0f); }

/// A launcher as the compiler prints it; `launched` says whether the kernel ran.
Status launcher(const Tensor& x, const Tensor& y, const LaunchOptions& options = {},
                bool* launched = nullptr) {
  LaunchCheck check("scale");
  check.tensor<const bf16, 2>(0, "x", x);
  check.tensor<float, 2>(1, "y", y, Access::update);
  const index R = check.symbol("R", 0, x, 0), C = check.symbol("C", 0, x, 1);
  check.extent(1, "y", y, 0, R, "R");
  check.extent(1, "y", y, 1, C, "C");
  check.require(C >= 2, "C >= 2");
  check.outputs_are_disjoint();
  const int variant = check.choose(options, {C % 8 == 0, C >= 0});
  const Status status =
      launch(check, options, count_threads, Blocks{variant < 0 ? 3 : 1}, Threads{1}, view<float, 2>(y));
  if (launched != nullptr) *launched = status.ok() && static_cast<const float*>(y.data)[0] == 1.0f;
  return status;
}

struct Data {
  alignas(64) bf16 x[64] = {};
  alignas(64) float y[64] = {};
  Tensor tx = tensor(x, {4, 8});
  Tensor ty = tensor(y, {4, 8});
};

}  // namespace

TEST_CASE("good arguments launch") {
  Data data;
  bool launched = false;
  CHECK(launcher(data.tx, data.ty, {}, &launched).ok());
  CHECK(launched);
}

TEST_CASE("each mistake is named, and launches nothing") {
  struct Case {
    void (*spoil)(Data& data);
    TesseraStatusCode code;
    const char* message;
  };
  const Case cases[] = {
      {[](Data& data) { data.tx.rank = 3; }, TESSERA_WRONG_RANK,
       "scale: argument 0 (x): rank is 3, expected 2"},
      {[](Data& data) { data.tx.dtype = TESSERA_F16; }, TESSERA_WRONG_DTYPE,
       "scale: argument 0 (x): element type is f16, expected bf16"},
      {[](Data& data) { data.ty.dtype = 99; }, TESSERA_WRONG_DTYPE,
       "scale: argument 1 (y): element type is ?, expected f32"},
      {[](Data& data) { data.ty.extent[1] = 7; }, TESSERA_WRONG_EXTENT,
       "scale: argument 1 (y): extent of dimension 1 is 7, expected C = 8"},
      {[](Data& data) { data.tx.extent[0] = -1; }, TESSERA_WRONG_EXTENT,
       "scale: argument 0 (x): extent of dimension 0 is -1, expected at least 0 = 0"},
      {[](Data& data) { data.tx.stride[0] = -8; }, TESSERA_WRONG_STRIDE,
       "scale: argument 0 (x): stride of dimension 0 is -8, expected at least 0"},
      {[](Data& data) { data.ty.stride[0] = 0; }, TESSERA_WRONG_STRIDE,
       "scale: argument 1 (y): stride of dimension 0 is 0, expected at least 1"},
      {[](Data& data) { data.ty.stride[0] = 7; }, TESSERA_WRONG_STRIDE,
       "scale: argument 1 (y): stride of dimension 0 is 7, expected at least 8"},
      {[](Data& data) { data.tx.data = nullptr; }, TESSERA_NULL_POINTER,
       "scale: argument 0 (x): data is null"},
      {[](Data& data) { data.ty.data = reinterpret_cast<char*>(data.y) + 1; }, TESSERA_MISALIGNED,
       "scale: argument 1 (y): address is 1 modulo 4, expected 0"},
      {[](Data& data) { data.ty.device = 0; }, TESSERA_WRONG_DEVICE,
       "scale: argument 1 (y): device is 0, expected -1"},
      {[](Data& data) { data.ty.data = data.x; }, TESSERA_OVERLAP,
       "scale: argument 1 (y): shares memory with argument 0 (x)"},
      {[](Data& data) { data.tx.extent[1] = data.ty.extent[1] = 1; }, TESSERA_CONSTRAINT,
       "scale: requires C >= 2"},
      {[](Data& data) { data.tx.extent[0] = data.ty.extent[0] = index{1} << 62; }, TESSERA_TOO_LARGE,
       "scale: argument 0 (x): too large: more than 2^62 elements or bytes"},
      {[](Data& data) { data.tx.stride[0] = index{1} << 62; }, TESSERA_TOO_LARGE,
       "scale: argument 0 (x): too large: more than 2^62 elements or bytes"},
  };
  for (const Case& expected : cases) {
    Data data;
    expected.spoil(data);
    bool launched = false;
    const Status status = launcher(data.tx, data.ty, {}, data.ty.data == data.y ? &launched : nullptr);
    INFO(expected.message);
    CHECK(status.code == expected.code);
    CHECK(text_of(status) == expected.message);
    CHECK_FALSE(launched);
    CHECK(data.y[0] == 0.0f);
  }
}

TEST_CASE("variants: the first that fits, or the one asked for") {
  LaunchCheck check("k");
  CHECK(check.choose({}, {false, true, true}) == 1);
  CHECK(check.choose({.variant = 2}, {false, true, true}) == 2);
  for (const int variant : {0, 3}) {
    LaunchCheck refused("k");
    CHECK(refused.choose({.variant = variant}, {false, true, true}) == -1);
    CHECK(refused.status().code == TESSERA_UNKNOWN_VARIANT);
    CHECK(text_of(refused.status()) ==
          "k: variant " + std::to_string(variant) + " does not fit these arguments");
  }
}

TEST_CASE("no variant fits") {
  LaunchCheck check("k");
  CHECK(check.choose({}, {false, false}) == -1);
  CHECK(text_of(check.status()) == "k: no variant fits these arguments");
}

TEST_CASE("what no GPU takes is refused") {
  Data data;
  LaunchCheck check("k");
  const auto y = view<float, 2>(data.ty);
  CHECK(text_of(launch(check, {}, count_threads, Blocks{1}, Threads{1025}, y)) ==
        "k: too large: threads of a block");
  CHECK(launch(check, {}, count_threads, Blocks{1}, Threads{32}, DynamicShared{228 * 1024}, y).code ==
        TESSERA_TOO_LARGE);
}

TEST_CASE("empty tensors need no memory and are checked all the same") {
  Data data;
  data.tx = tensor(static_cast<bf16*>(nullptr), {0, 8});
  data.ty = tensor(static_cast<float*>(nullptr), {0, 8});
  LaunchCheck check("k");
  check.tensor<const bf16, 2>(0, "x", data.tx);
  check.tensor<float, 2>(1, "y", data.ty);
  check.outputs_are_disjoint();
  CHECK(check.ok());
  CHECK(launch(check, {}, count_threads, Blocks{0}, Threads{1}, view<float, 2>(data.ty)).ok());
}

TEST_CASE("outputs may have gaps and any order of dimensions; inputs may be broadcast") {
  alignas(16) float memory[256];
  LaunchCheck check("k");
  check.tensor<float, 3>(0, "a", strided_tensor(memory, {4, 3, 5}, {1, 4, 12}));
  check.tensor<float, 3>(1, "b", strided_tensor(memory, {4, 1, 5}, {20, 0, 3}));
  check.tensor<const float, 3>(2, "c", strided_tensor(memory, {4, 3, 5}, {0, 0, 0}));
  check.tensor<const std::int64_t, 0>(3, "d", tensor(reinterpret_cast<std::int64_t*>(memory), {}));
  CHECK(check.ok());
  Tensor positions = tensor(reinterpret_cast<std::int64_t*>(memory), {4});
  positions.dtype = TESSERA_INDEX;
  check.tensor<const std::int64_t, 1>(4, "e", positions);
  CHECK(check.ok());
}

TEST_CASE("vector access asks for unit stride, whole vectors and aligned rows") {
  alignas(64) bf16 memory[1024];
  CHECK(vector_access(tensor(memory, {4, 64}), 1, 8));
  CHECK_FALSE(vector_access(tensor(memory, {4, 60}), 1, 8));
  CHECK(vector_access(tensor(memory, {4, 60}), 1, 4));
  CHECK_FALSE(vector_access(tensor(memory + 1, {4, 64}), 1, 8));
  CHECK_FALSE(vector_access(strided_tensor(memory, {4, 64}, {68, 1}), 1, 8));
  CHECK(vector_access(strided_tensor(memory, {1, 64}, {68, 1}), 1, 8));
  CHECK(vector_access(strided_tensor(memory, {4, 64}, {0, 1}), 1, 8));
  CHECK_FALSE(vector_access(strided_tensor(memory, {4, 64}, {1, 4}), 1, 8));
  CHECK(vector_access(tensor(memory, {4, 64}), 1, 64));
  CHECK(vector_access(tensor(memory, {0, 64}), 1, 8));
}

TEST_CASE("conditions of variants may be asked of tensors that the check refused") {
  alignas(64) bf16 memory[1024];
  Tensor unknown = tensor(memory, {4, 64});
  unknown.dtype = 99;
  CHECK_FALSE(vector_access(unknown, 1, 8));
  CHECK_FALSE(aligned_lines(unknown, 1, 16));
  Tensor deep = tensor(memory, {4, 64});
  deep.rank = 1 << 30;
  CHECK_FALSE(vector_access(deep, 1, 8));
  CHECK_FALSE(aligned_lines(deep, 1, 16));
}

TEST_CASE("the launcher takes the tiles that the device is done with first, and any that are named") {
  const int wave = multiprocessor_count();
  const auto quickest = [](index large, index small, int variant) {
    const QuickestTiles is_quickest(LaunchOptions{.variant = variant}, true, {{large, 1000}, {small, 600}});
    return std::pair(is_quickest(0), is_quickest(1));
  };
  CHECK(quickest(wave, 2 * wave, -1) == std::pair(true, false));          // 1000 clocks against 1200
  CHECK(quickest(wave / 2, wave, -1) == std::pair(false, true));          // half of the device would idle
  CHECK(quickest(3 * wave + 1, 6 * wave, -1) == std::pair(false, true));  // 4000 against 3600
  CHECK(quickest(6 * wave, 10 * wave, -1) == std::pair(true, false));     // equal: the first
  CHECK(quickest(index{1} << 40, index{1} << 41, -1) == std::pair(true, false));
  CHECK(quickest(wave / 2, wave, 0) == std::pair(true, true));
  CHECK(quickest(kNoTiles, 9 * wave, -1) == std::pair(false, true));  // a size that is not for this launch
  CHECK(quickest(9 * wave, kNoTiles, -1) == std::pair(true, false));
  CHECK(quickest(9 * wave, kNoTiles, 1) == std::pair(true, false));  // not even where it is named
  CHECK(quickest(kNoTiles, kNoTiles, -1) == std::pair(false, false));
  for (const int variant : {-1, 0})
    CHECK_FALSE(QuickestTiles(LaunchOptions{.variant = variant}, false, {{wave, 1000}})(0));
}

TEST_CASE("blocks that take more than three units of a launch do not begin early") {
  const index wave = multiprocessor_count();
  CHECK_FALSE(persistent_blocks(3 * wave).take_many);
  CHECK(persistent_blocks(3 * wave + 1).take_many);
  CHECK(persistent_blocks(3 * wave + 1).count == wave);
  CHECK_FALSE(persistent_blocks(3 * (wave / 2), 2).take_many);
  CHECK(persistent_blocks(3 * (wave / 2) + 1, 2).take_many);
  CHECK(detail::can_begin_early(persistent_blocks(3 * wave), Threads{384, kBeginsEarly}));
  CHECK_FALSE(detail::can_begin_early(persistent_blocks(3 * wave + 1), Threads{384, kBeginsEarly}));
  CHECK_FALSE(detail::can_begin_early(persistent_blocks(wave), Threads{384}));
}

TEST_CASE("where memory takes longer than products, their terms are not shared") {
  const auto quickest = [](double bytes) {
    LaunchCheck check("few rows");
    const LaunchOptions options;
    const SharedTerms terms(check, options, 8192, {bytes, bytes});
    const index wave = multiprocessor_count();
    return QuickestTiles(options, true, {{wave / 2, 318, 0, 1, 32768}, {wave, 207, 0, 1, 16384}}, terms)(0)
               ? "shares"
               : "tiles";
  };
  CHECK(quickest(0) == std::string("shares"));  // 32744 clocks against 37359
  CHECK(quickest(1e9) == std::string("tiles"));
}

TEST_CASE("a last round of one block takes memory about half as long as one of all blocks") {
  LaunchCheck check("few rows");
  const LaunchOptions options;
  const auto quickest = [&](double bytes) {
    const SharedTerms terms(check, options, 8192, {bytes}, 132);
    return QuickestTiles(options, true, {{133, 100}, {132, 400}}, terms)(0) ? 0 : 1;
  };
  CHECK(quickest(0) == 0);    // 27198 clocks against 72192
  CHECK(quickest(1e9) == 1);  // 602 thousand against 422 thousand
}

TEST_CASE("three blocks share the terms of a tile in two rounds where a third would be idle") {
  LaunchCheck check("few tiles");
  const LaunchOptions options;
  const auto are_shared = [&](index tiles, index k, index multiprocessors) {
    const SharedTerms terms(check, options, k, {}, multiprocessors);
    const index alone = terms(TilesOfSize{tiles, 512, 100, 2}),
                best = terms(TilesOfSize{tiles, 512, 100, 2, 65536});
    CHECK(best <= alone);
    return best < alone;
  };
  CHECK(are_shared(66, 12288, 132));  // one round
  CHECK(are_shared(67, 12288, 132));
  CHECK(are_shared(88, 12288, 132));
  CHECK_FALSE(are_shared(89, 12288, 132));
  CHECK_FALSE(are_shared(132, 12288, 132));
  CHECK_FALSE(are_shared(88, 4096, 132));  // two thirds and the join are more
  CHECK(are_shared(72, 12288, 108));
  CHECK_FALSE(are_shared(73, 12288, 108));
}

TEST_CASE("rounds count where few blocks are busy, work where all are") {
  LaunchCheck check("waves");
  const LaunchOptions options;
  const SharedTerms terms(check, options, 2048, {}, 132);
  const auto first_is_quicker = [&](const TilesOfSize& first, const TilesOfSize& second) {
    return QuickestTiles(options, true, {first, second}, terms)(0);
  };
  CHECK(first_is_quicker({121, 432}, {88, 512}));  // 18472 clocks against 18754
  // Three full rounds, and two of which one is not: 58475 clocks against 56849.
  CHECK_FALSE(first_is_quicker({396, 432}, {216, 704}));
}

TEST_CASE("what follows products counts where a block takes several tiles, unless teams take them in turn") {
  const auto quickest = [](index rounds, index behind_of_teams) {
    LaunchCheck check("epilogue");
    const LaunchOptions options;
    const SharedTerms terms(check, options, 640, {});
    const index tiles = rounds * multiprocessor_count();
    return QuickestTiles(options, true, {{tiles, 1000, 300}, {tiles, 1000, behind_of_teams, 2}}, terms)(0)
               ? 0
               : 1;
  };
  CHECK(quickest(1, 3000) == 0);    // 14400 clocks against 17100
  CHECK(quickest(20, 3000) == 1);   // 288000 against 287736
  CHECK(quickest(20, 5000) == 0);   // products beside it are of a lone team, 19 times: 291560
  CHECK(quickest(20, 11100) == 0);  // and half of what goes beyond them: 312670
}

TEST_CASE("a function is launched that is for the order of the factors") {
  for (const bool first : {true, false}) {
    for (const bool second : {true, false}) {
      const Status status = in_order(first, second, [&](auto order, auto other) {
        CHECK((order == Order::k) == first);
        CHECK((other == Order::k) == second);
        return LaunchCheck("order").status();
      });
      CHECK(status.ok());
    }
  }
}

TEST_CASE("the C interface says the same") {
  char buffer[256];
  CHECK(test_abi_message(buffer, sizeof buffer) > 0);
  CHECK(std::string(buffer) == "softmax: argument 1 (y): extent of dimension 0 is 8, expected R = 7");
  CHECK(test_abi_message(buffer, 8) == 67);
  CHECK(std::string(buffer) == "softmax");
  CHECK(test_abi_rank(tensor(static_cast<float*>(nullptr), {2, 3, 4})) == 3);
  const LaunchOptions options = launch_options(nullptr);
  CHECK(options.stream == nullptr);
  CHECK(options.variant == -1);
  static_assert(sizeof(Status) == sizeof(TesseraStatus) && std::is_trivially_copyable_v<Status>);
  static_assert(sizeof(Tensor) == 8 + 2 * 64 + 16 && std::is_standard_layout_v<Tensor>);
}

TEST_CASE("a launch of zeros leaves every choice to the launcher") {
  for (const int variant : {-1, 0, 3}) {
    const TesseraLaunch launch = test_abi_launch(variant);
    const LaunchOptions options = launch_options(&launch);
    CHECK(options.stream == nullptr);
    CHECK(options.variant == variant);
    CHECK(options.arch == 0);
    CHECK_FALSE(options.begins_early);
  }
  const TesseraLaunch negative{nullptr, INT32_MIN, 0, 1};
  CHECK(launch_options(&negative).variant == -1);
  CHECK(launch_options(&negative).begins_early);
}

TEST_CASE("null pointers and builds that do not fit are told in words") {
  CHECK(text_of(null_pointer("k", "tensor", 2, "y")) == "k: argument 2 (y): tensor is null");
  CHECK(text_of(null_pointer("k", "scalars")) == "k: scalars is null");
  CHECK(null_pointer("k", "scalars").code == TESSERA_NULL_POINTER);
  CHECK(text_of(wrong_architecture("k", "sm_80, sm_90", {}, 75)) ==
        "k: built for sm_80, sm_90, the device is sm_75");
  CHECK(text_of(wrong_architecture("k", "sm_80, sm_90", {}, 0)) ==
        "k: built for sm_80, sm_90, there is no GPU");
  CHECK(text_of(wrong_architecture("k", "sm_90", {.arch = 80}, 90)) ==
        "k: built for sm_90, the launch asks for sm_80");
  const Status no_image(TesseraStatus{TESSERA_WRONG_ARCHITECTURE, -1, -1, 209, 0, 75, "k", nullptr,
                                      "cudaErrorNoKernelImageForDevice"});
  CHECK(text_of(no_image) ==
        "k: CUDA error 209 (cudaErrorNoKernelImageForDevice): compiled without code for the device, sm_75");
}

TEST_CASE("an output shares memory with nothing; inputs may share") {
  alignas(16) float memory[64] = {};
  struct Case {
    int y, z;  // where the outputs begin
    const char* message;
  };
  const Case cases[] = {
      {16, 24, "tessera: ok"},
      {12, 24, "k: argument 2 (y): shares memory with argument 0 (x)"},
      {24, 4, "k: argument 3 (z): shares memory with argument 0 (x)"},
      {24, 31, "k: argument 2 (y): shares memory with argument 3 (z)"},
  };
  for (const Case& expected : cases) {
    LaunchCheck check("k");
    check.tensor<const float, 1>(0, "x", tensor(memory, {16}));
    check.tensor<const float, 1>(1, "w", tensor(memory, {1}));
    check.tensor<float, 1>(2, "y", tensor(memory + expected.y, {8}));
    check.tensor<float, 1>(3, "z", tensor(memory + expected.z, {8}), Access::update);
    check.outputs_are_disjoint();
    CHECK(text_of(check.status()) == expected.message);
  }
}

TEST_CASE("a launch with more tensors than the checks remember is refused") {
  float memory[1] = {};
  LaunchCheck check("k");
  for (int argument = 0; argument < 64; ++argument)
    check.tensor<const float, 1>(argument, "x", tensor(memory, {1}));
  CHECK(check.ok());
  check.tensor<const float, 1>(64, "y", tensor(memory, {1}));
  CHECK(text_of(check.status()) == "k: argument 64 (y): too large: more than 64 tensors");
}

}  // namespace launch_check
