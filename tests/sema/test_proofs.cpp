// SPDX-License-Identifier: Apache-2.0
// What can be proved and what cannot: presence (R10, R14), coverage (R14), independence (R11), implied constraints.
#include "catch.h"
#include "checked.h"

using namespace tessera;
using namespace tessera::test;

namespace {

std::string codes(const std::string& text) { return check_text(text)->codes(); }

/// The one constraint that sema found, or "" when there is none.
std::string implied(const std::string& text) {
  const auto program = check_text(text);
  INFO(program->rendered());
  REQUIRE(program->module.has_value());
  std::string found;
  for (const ir::Constraint& constraint : program->module->kernels[0].constraints) {
    if (constraint.implied) found += constraint.text;
  }
  return found;
}

}  // namespace

TEST_CASE("a selection over a dimension needs an element only if something without the dimension is stored") {
  CHECK(implied(
            "kernel k(in x: f32[R, C], out y: f32[R]) { grid r in R by auto { y[r] = max[C](x[r, :]); } }") ==
        "C >= 1");
  CHECK(
      implied(
          "kernel k(in x: f32[R, C], out y: f32[R]) { grid r in R by auto { y[r] = mean[C](x[r, :]); } }") ==
      "C >= 1");
  CHECK(
      implied("kernel k(in x: f32[R, C], out y: f32[R]) { grid r in R by auto { y[r] = sum[C](x[r, :]); } }")
          .empty());
  CHECK(
      implied(
          "kernel k(in x: f32[R, C], out y: f32[R]) { grid r in R by auto { y[r] = max[C](x[r, :]) ?? 0; } }")
          .empty());
  CHECK(implied("kernel k(in x: f32[R, C], out y: f32[R, C]) { grid r in R by auto "
                "{ y[r, :] = x[r, :] - max[C](x[r, :]); } }")
            .empty());
  CHECK(implied("kernel k(in x: f32[R, C], out y: f32[R]) where C >= 1 { grid r in R by auto "
                "{ y[r] = max[C](x[r, :]); } }")
            .empty());
  CHECK(implied("kernel k(in x: f32[R, C], out y: f32[R]) { grid r in R by auto "
                "{ var t: f32[r] = max[C](x[r, :]); t += 1; y[r] = t; } }") == "C >= 1");
}

TEST_CASE("strided and shifted stores cover together what none covers alone") {
  const std::string head = "kernel k(in x: f32[N], out y: f32[M]) where M == 3 * N { grid i in N by auto { ";
  const std::string first = "y[3 * i] = x[i]; y[3 * i + 1] = x[i]; ";
  CHECK(codes(head + first + "y[3 * i + 2] = x[i]; } }").empty());
  CHECK(codes(head + first + "} }") == "T0512");
  CHECK(codes(head + "let c in 3; y[3 * i + c] = x[i]; } }").empty());
  CHECK(codes(head + "let c in 2; y[3 * i + c] = x[i]; } }") == "T0512");
  CHECK(codes(head + "y[i + 0] = x[i]; y[i + N] = x[i]; y[i + 2 * N] = x[i]; } }").empty());
  CHECK(codes(head + "y[i + 0] = x[i]; y[i + 2 * N] = x[i]; } }") == "T0512");
}

TEST_CASE("a stencil needs something at its border") {
  const std::string head = "kernel k(in x: f32[N], out y: f32[N]) { grid i in N by auto { ";
  CHECK(codes(head + "y[i] = x[i - 1] + x[i + 1]; } }") == "T0512");
  CHECK(codes(head + "y[i] = x[i - 1] + x[i + 1] ?? x[i]; } }").empty());
  CHECK(codes(head + "y[i] = x[i]; y[i] = x[i - 1] + x[i + 1]; } }").empty());
  CHECK(codes(head + "y[i] = where(i > 0, x[i - 1], 0); } }").empty());
  CHECK(codes(head + "y[i] = where(i >= 0, x[i - 1], 0); } }") == "T0512");
  CHECK(codes(head + "y[i] = x[max(i - 1, 0)] + x[min(i + 1, N - 1)]; } }").empty());
  CHECK(codes("kernel k(in x: f32[N] periodic, out y: f32[N]) { grid i in N by auto { y[i] = x[i - 9]; } }")
            .empty());
}

TEST_CASE("instances that store the same element are refused") {
  const std::string head =
      "kernel k(in x: f32[B, N], out y: f32[L]) where L == B * N { grid b in B, n in N by auto { ";
  CHECK(codes(head + "y[b * N + n] = x[b, n]; } }").empty());
  CHECK(codes(head + "y[b * (N - 1) + n] = x[b, n]; } }") == "T0513");
  CHECK(codes(head + "y[n + 0] = x[b, n]; } }") == "T0513");
  CHECK(codes("kernel k(in x: f32[N], out y: f32[N]) { grid { let i in N; y[i] = x[i]; } }").empty());
  CHECK(codes("kernel k(in x: f32[N], out y: f32[N]) { grid i in N by auto { y[i] = x[i]; y[N - 1 - i] = "
              "x[i]; } }") == "T0514");
  CHECK(codes("kernel k(in x: f32[N], out y: f32[N]) { grid i in N by auto { y[N - 1 - i] = x[i]; } }")
            .empty());
}

TEST_CASE("an index of few bits wraps") {
  const std::string head =
      "kernel k(in t: f32[M], out y: f32[N]) where M >= 4 { grid n in N by auto { y[n] = t[min(";
  CHECK(codes(head + "n, 3)]; } }").empty());
  CHECK(codes(head + "n as i8, 3)]; } }") == "T0512");
  CHECK(codes(head + "((n as i32) * 100000), 3)]; } }") == "T0512");
  CHECK(codes(head + "((n % 100 as i32) as index), 3)]; } }").empty());
}

TEST_CASE("a table that is read modulo its length has every element") {
  const std::string head =
      "const T = [1.0, 2.0, 3.0, 4.0]; kernel k(in x: f32[N], out y: f32[N]) { grid n in N by auto { y[n] = ";
  CHECK(codes(head + "x[n] * T[n % 4] * T[3 - n % 4] * T[1 + n % 3]; } }").empty());
  CHECK(codes(head + "x[n] * T[2 - n % 4]; } }") == "T0512");
  CHECK(codes(head + "x[n] * T[1 + n % 4]; } }") == "T0512");
}

TEST_CASE("an instance stores to an element once, or with the same indices") {
  const std::string head =
      "kernel k(in x: f32[R, C], out y: f32[R, C]) where C >= 3 { grid r in R by auto { ";
  CHECK(codes(head + "y[r, :] = x[r, :]; y[r, :] = where(x[r, :] > 0, 1.0); } }").empty());
  CHECK(codes(head + "y[r, :] = x[r, :]; y[r, 0] = 1; } }") == "T0516");
  CHECK(codes(head + "y[r, :] = x[r, :]; for i in 3 { y[r, i + 0] = 1; } } }") == "T0516");
  CHECK(codes(head + "for t in 3 { y[r, :] = x[r, :]; } } }") == "T0516");
  CHECK(codes(head + "y[r, 0] = 1; let c in C[1 .. C]; y[r, c] = x[r, c]; } }").empty());
  CHECK(codes("kernel k(in x: f32[N, 3], out y: f32[N, 5]) { grid n in N by auto { let i in 3, j in 3; "
              "y[n, i + j] = x[n, i] * x[n, j]; } }") == "T0516");
  CHECK(codes("kernel k(in x: f32[N], out y: f32[M]) where M == 2 * N { grid n in N by auto { y[2 * n] = "
              "x[n]; y[2 * n + 1] = -x[n]; } }")
            .empty());
}

TEST_CASE("a condition over a literal range is decided point by point") {
  const std::string head =
      "kernel k(in x: f32[4, N], out y: f32[4, N]) { const G = [0, 1, 1, 2]; grid n in N by auto { let c in "
      "4; ";
  CHECK(codes(head + "static for g in 0 .. 3 { y[c, n] = where(G[c] == g, x[c, n]); } } }").empty());
  CHECK(codes(head + "static for g in 0 .. 2 { y[c, n] = where(G[c] == g, x[c, n]); } } }") == "T0512");
}

TEST_CASE("the sum of a product is contracted inside one expression only") {
  const auto count = [](const std::string& expression) {
    const auto program = check_text(
        "kernel k(in x: f32[N], in w: f32[N], out y: f32[N]) { grid i in N by auto { " + expression + " } }");
    INFO(program->rendered());
    REQUIRE(program->module.has_value());
    std::size_t fused = 0;
    for (const ir::Value& value : program->module->kernels[0].values) {
      fused += std::holds_alternative<ir::FusedMultiplyAdd>(value.op) ? 1 : 0;
    }
    return fused;
  };
  CHECK(count("y[i] = x[i] * w[i] + x[i];") == 1);
  CHECK(count("y[i] = x[i] - x[i] * w[i];") == 1);
  CHECK(count("y[i] = x[i] * w[i] + w[i] * x[i];") == 1);
  CHECK(count("let p = x[i] * w[i]; y[i] = p + x[i];") == 0);
  CHECK(count("var a: f32[i] = x[i]; a += x[i] * w[i]; y[i] = a;") == 1);
  CHECK(count("y[i] = (x[i] * w[i]) + x[i];") == 1);
}

TEST_CASE("what divides a dimension makes its parts fit") {
  const auto halves = [](const std::string& clause, const std::string& body) {
    return codes("kernel k(in x: f32[R, C], in h: f32[R, H], out y: f32[R, C], out z: f32[R]) where " +
                 clause +
                 " { grid r in R by auto { let k in C / 2; z[r] = sum[H](h[r, :]) + sum[C](x[r, :]); " +
                 body + " } }");
  };
  const std::string pairs = "y[r, 2 * k] = x[r, 2 * k + 1]; y[r, 2 * k + 1] = x[r, 2 * k];";
  const std::string sides = "y[r, k + 0] = x[r, k + C / 2]; y[r, k + C / 2] = x[r, k + 0];";
  for (const std::string& body : {pairs, sides}) {
    CHECK(halves("C % 2 == 0, H == 1", body).empty());
    CHECK(halves("0 == C % 2, H == 1", body).empty());
    CHECK(halves("C % 6 == 0, H == 1", body).empty());
    CHECK(halves("C % 2 == 0, C % 5 == 0, H == 1", body).empty());
    CHECK(halves("C % 2 == 1, H == 1", body) == "T0512");
    CHECK(halves("C % 3 == 0, H == 1", body) == "T0512");
    CHECK(halves("R % 2 == 0, H == 1", body) == "T0512");
    CHECK(halves("C >= 1, H == 1", body) == "T0512");
  }
  // Through another symbol, either way round.
  CHECK(halves("C % 2 == 0, H == C / 2", "y[r, 2 * k] = h[r, k]; y[r, 2 * k + 1] = h[r, k];").empty());
  CHECK(halves("C == 2 * H", "y[r, 2 * k] = h[r, k]; y[r, 2 * k + 1] = h[r, k];").empty());
  CHECK(halves("C == 2 * (C / 2) + 1, H == 1", pairs) == "T0512");
}

TEST_CASE("a divided dimension keeps what else is known of it") {
  const std::string head = "kernel k(in x: f32[R, C], out y: f32[R]) where C % 4 == 0";
  CHECK(codes(head + ", C >= 1 { grid r in R by auto { let j in C[0 .. 4]; y[r] = max[j](x[r, j]); } }")
            .empty());
  CHECK(implied(head + " { grid r in R by auto { let j in C[0 .. 4]; y[r] = max[j](x[r, j]); } }") ==
        "min(C, 4) >= 1");
  CHECK(implied(head + " { grid r in R by auto { y[r] = max[C](x[r, :]); } }") == "C >= 1");
  CHECK(codes("kernel k(in x: f32[N, C], out y: f32[M]) where C % 2 == 0, M == N * C { grid n in N by auto, "
              "c in C by auto { y[n * C + c] = x[n, c]; } }")
            .empty());
}

TEST_CASE("an element of a dimension that may be empty is there beside all of it") {
  const std::string head = "kernel k(in x: f32[R, C], out y: f32[R, C]) { grid r in R by auto { ";
  for (const char* index : {"C - 1", "0"})
    CHECK(codes(head + "y[r, :] = x[r, :] + x[r, " + index + "]; } }").empty());
  CHECK(codes(head + "y[r, :] = x[r, :] + x[r, C]; } }") == "T0512");
  CHECK(codes("kernel k(in x: f32[R, C], out y: f32[R]) { grid r in R by auto { y[r] = x[r, C - 1]; } }") ==
        "T0512");
}

TEST_CASE("a dimension that wraps around has an element where one is needed") {
  const std::string head =
      "kernel k(in p: f32[C] periodic, in x: f32[R], out y: f32[R]) { grid r in R by auto { ";
  CHECK(implied(head + "y[r] = p[3] + x[r]; } }") == "C >= 1");
  CHECK(implied(head + "y[r] = p[r + 0] + p[-r]; } }") == "C >= 1");
  CHECK(implied(head + "y[r] = p[3] ?? x[r]; } }").empty());
  CHECK(implied("kernel k(in p: f32[C] periodic, out y: f32[C]) { grid c in C by auto { y[c] = p[c + 1]; } }")
            .empty());
}
