// SPDX-License-Identifier: Apache-2.0
// The references themselves: against published values, against plain float programs, and against planted
// mistakes.
#include <fstream>
#include <set>

#include "catch.h"
#include "clifford.h"

namespace tessera::reference {
namespace {

const Case& case_named(const std::string& name) {
  for (const Case& description : cases()) {
    if (description.name == name) return description;
  }
  FAIL("no case " << name);
  std::abort();
}

Sizes sizes_of(const Case& description, std::vector<std::int64_t> values) {
  Sizes sizes;
  for (std::size_t i = 0; i < description.symbols.size(); ++i) {
    sizes[description.symbols[i]] = values[i % values.size()];
  }
  return sizes;
}

Problem solved(const std::string& name, std::vector<std::int64_t> sizes) {
  const Case& description = case_named(name);
  Problem problem(description, sizes_of(description, std::move(sizes)));
  problem.solve();
  return problem;
}

/// The softmax of every row in float, each sum in ascending order; `skipped` terms are left out of the sum.
std::vector<double> float_softmax(Problem& problem, std::int64_t skipped) {
  const auto x = problem.in("x");
  const auto R = problem.dim("R"), C = problem.dim("C");
  std::vector<double> y;
  for (std::int64_t r = 0; r < R; ++r) {
    float top = -INFINITY, sum = 0;
    for (std::int64_t c = 0; c < C; ++c) top = std::max(top, static_cast<float>(x(r, c)));
    for (std::int64_t c = skipped; c < C; ++c) sum += std::exp(static_cast<float>(x(r, c)) - top);
    for (std::int64_t c = 0; c < C; ++c) {
      y.push_back(round_to(format_of("bf16"), std::exp(static_cast<float>(x(r, c)) - top) / sum));
    }
  }
  return y;
}

/// The log-sum-exp of every row in float, streamed in tiles.
std::vector<double> float_lse(Problem& problem, std::int64_t tile) {
  const auto logits = problem.in("logits");
  const auto R = problem.dim("R"), V = problem.dim("V");
  std::vector<double> lse;
  for (std::int64_t r = 0; r < R; ++r) {
    float top = -INFINITY, total = 0;
    for (std::int64_t begin = 0; begin < V; begin += tile) {
      const auto end = std::min(V, begin + tile);
      float higher = top, sum = 0;
      for (std::int64_t v = begin; v < end; ++v) higher = std::max(higher, static_cast<float>(logits(r, v)));
      for (std::int64_t v = begin; v < end; ++v) sum += std::exp(static_cast<float>(logits(r, v)) - higher);
      total = total * std::exp(top - higher) + sum;
      top = higher;
    }
    lse.push_back(top + std::log(total));
  }
  return lse;
}

Case clifford_check_case(bool normalize) {
  return {
      .name = "check",
      .file = "",
      .kernel = "",
      .symbols = {"B", "N"},
      .tensors = {input("x", "f64", {"4", "B", "N"}), input("y", "f64", {"4", "B", "N"}),
                  input("w", "f64", {"N", "10"}), output("o", "f64", {"4", "B", "N"})},
      .scalars = {{"eps", "f64", 1e-6}},
      .reference = [normalize](Problem& problem) { geometric_product_2d(problem, normalize); },
  };
}

}  // namespace

TEST_CASE("the geometric product reproduces the check values") {
  const std::vector<double> plain = {-0.290915726604, +0.023264013588, +0.266949817800, +0.120445776433,
                                     +0.247133693274, +0.122064277000, -0.051482708397, -0.150759977813};
  const std::vector<double> normalized = {-1.409696695503, +0.112730939171, +0.938701827837, +0.423535297475,
                                          +0.869020445521, +0.429226589769, -0.457005761962, -1.338278048680};
  for (const bool normalize : {false, true}) {
    const Case description = clifford_check_case(normalize);
    Problem problem(description, {{"B", 1}, {"N", 2}});
    for (int f = 0; f < 2; ++f) {
      for (int c = 0; c < 4; ++c) {
        problem.values("x")[c * 2 + f] = std::sin(1.0 + 2 * c + f);
        problem.values("y")[c * 2 + f] = std::cos(1.0 + 2 * c + f);
      }
      for (int p = 0; p < 10; ++p) problem.values("w")[f * 10 + p] = (p + 1) * (0.1 - 0.05 * f);
    }
    problem.solve();
    const auto& expected = normalize ? normalized : plain;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO("normalize " << normalize << ", element " << i);
      CHECK(std::abs(problem.expected("o")[i].value - expected[i]) < 1e-11);
    }
  }
}

TEST_CASE("every case solves at ordinary and at empty sizes") {
  for (const Case& description : cases()) {
    for (const std::vector<std::int64_t>& extents :
         std::vector<std::vector<std::int64_t>>{{0}, {0, 3}, {3, 0}, {1}, {2, 3, 5, 7}, {5, 4, 3, 2}, {13}}) {
      INFO(description.name << " at " << extents[0]);
      const Sizes sizes = sizes_of(description, extents);
      if (description.allowed && !description.allowed(sizes)) continue;
      Problem problem(description, sizes);
      problem.solve();
      for (const TensorSpec& spec : description.tensors) {
        const Format& format = format_of(spec.dtype);
        if (!spec.output) {
          for (const double value : problem.values(spec.name)) CHECK((std::isnan(value) || round_to(format, value) == value));
          continue;
        }
        std::vector<double> nearest;
        for (const Bounded& element : problem.expected(spec.name)) {
          REQUIRE_FALSE(std::isnan(element.error));  // stored
          nearest.push_back(round_to(format, element.value));
          const double scale = std::max(1.0, std::abs(element.value));
          CHECK(element.error <= scale * (format.is_float() ? 4 * format.unit_roundoff() + 1e-3 : 0.5));
        }
        CHECK(compare(problem, spec.name, nearest).wrong == 0);
      }
    }
  }
}

TEST_CASE("case names and files are given once and lead somewhere") {
  std::set<std::string> names;
  for (const Case& description : cases()) {
    CHECK(names.insert(description.name).second);
    INFO(description.file);
    const bool outsider = description.file.rfind("tests/outsider/", 0) == 0;
    CHECK((!outsider || std::ifstream(std::string(TESSERA_SOURCE_DIR "/") + description.file).good()));
    CHECK_FALSE(description.kernel.empty());
  }
}

TEST_CASE("softmax accepts a float program and refuses one that forgets a term") {
  Problem problem = solved("softmax", {17, 301});
  const Comparison right = compare(problem, "y", float_softmax(problem, 0));
  CHECK(right.wrong == 0);
  CHECK(right.worst > 0.5);
  Problem narrow = solved("softmax", {17, 5});
  CHECK(compare(narrow, "y", float_softmax(narrow, 1)).wrong > 0);
  CHECK(compare(problem, "y", {}).wrong == 17 * 301);
}

TEST_CASE("logit_summary accepts every tile size") {
  Problem problem = solved("logit_summary", {40, 1000});
  for (const std::int64_t tile : {1, 3, 128, 1000})
    CHECK(compare(problem, "lse", float_lse(problem, tile)).wrong == 0);
  std::vector<double> off = float_lse(problem, 128);
  for (double& value : off) value += 1e-3;
  CHECK(compare(problem, "lse", off).wrong == 40);

  problem.values("logits").assign(40 * 1000, 1.5);  // all equal: the first wins
  problem.solve();
  CHECK(problem.expected("best")[39].accepts(0));
  CHECK_FALSE(problem.expected("best")[39].accepts(999));
  CHECK(problem.expected("lse")[0].accepts(static_cast<float>(1.5 + std::log(1000.0))));

  Problem empty = solved("logit_summary", {2, 0});
  CHECK(empty.expected("best")[0].accepts(-1));
  CHECK(empty.expected("lse")[0].accepts(-INFINITY));
}

TEST_CASE("transposition and index maps are exact") {
  Problem transpose = solved("transpose", {3, 5});
  for (int m = 0; m < 3; ++m) {
    for (int n = 0; n < 5; ++n) {
      const Bounded& element = transpose.expected("y")[n * 3 + m];
      CHECK(element.error == 0);
      CHECK(element.value == transpose.values("x")[m * 5 + n]);
    }
  }
  Problem swiglu = solved("swiglu", {2, 4});
  const auto& x = swiglu.values("x");
  const double gate = x[8 + 3], up = x[8 + 7];  // row 1, feature 3 of 4
  CHECK(swiglu.expected("y")[4 + 3].accepts(round_to(format_of("bf16"), gate / (1 + std::exp(-gate)) * up)));
}

TEST_CASE("rotary keeps the length of every pair") {
  Problem problem = solved("rotary", {1, 2, 3, 4});
  for (double& value : problem.values("cosine")) value = 0.6;
  for (double& value : problem.values("sine")) value = 0.8;
  problem.solve();
  const auto& x = problem.values("x");
  const auto& y = problem.expected("y");
  for (int d = 0; d < 4; ++d) {
    CHECK(std::abs(std::hypot(y[d].value, y[d + 4].value) - std::hypot(x[2 * d], x[2 * d + 1])) < 1e-6);
  }
}

TEST_CASE("quantize_rows keeps within half a step and reaches 127") {
  Problem problem = solved("quantize_rows", {5, 64});
  for (int r = 0; r < 5; ++r) {
    double largest = 0;
    const double scale = problem.expected("scale")[r].value;
    for (int c = 0; c < 64; ++c) {
      const double q = problem.expected("q")[r * 64 + c].value;
      largest = std::max(largest, std::abs(q));
      CHECK(std::abs(q * scale - problem.values("x")[r * 64 + c]) <= scale * 0.5001);
    }
    CHECK(largest == 127);
  }
}

TEST_CASE("stencils: a wrapped harmonic, a still wave, a hole") {
  Problem laplacian = solved("laplacian", {32, 1, 1});
  const double wavenumber = 2 * 3.14159265358979323846 / 32, h = laplacian.scalar("h");
  for (int x = 0; x < 32; ++x) laplacian.values("u")[x] = std::cos(wavenumber * x);
  laplacian.solve();
  for (int x = 0; x < 32; ++x) {
    const double exact = -wavenumber * wavenumber / (h * h) * std::cos(wavenumber * x);
    CHECK(std::abs(laplacian.expected("v")[x].value - exact) < 1e-7);  // truncation error of order 8
  }

  Problem wave = solved("wave", {6, 7});
  wave.values("now").assign(42, 3);
  wave.values("before").assign(42, 2);
  wave.solve();
  for (const Bounded& element : wave.expected("next")) CHECK(std::abs(element.value - 4) <= element.error);

  Problem holes = solved("hole_fill_3x3", {3, 3});
  holes.values("depth") = {1, 2, 3, 4, 100, 6, 7, 8, 9};
  holes.values("valid") = {1, 0, 0, 0, 0, 0, 0, 0, 1};
  holes.solve();
  const auto& filled = holes.expected("filled");
  CHECK(filled[0].accepts(1));
  CHECK(filled[1].accepts(1));
  CHECK(filled[2].accepts(0));
  CHECK(filled[4].accepts(5));
  CHECK(holes.expected("seen")[4].accepts(2));
  CHECK(holes.expected("seen")[2].accepts(0));
}

}  // namespace tessera::reference
