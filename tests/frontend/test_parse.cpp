// SPDX-License-Identifier: Apache-2.0
// What programs mean to the parser: expected trees of whole programs, and the corners of expressions.
#include "base/check.h"
#include "catch.h"
#include "frontend/dump.h"
#include "frontend/dump_expr.h"
#include "support/program.h"

using namespace tessera;
using namespace tessera::test;

namespace {

/// The tree of an expression, as the value of a constant.
std::string tree(const std::string& expression) {
  const auto program = parse_text("const a = " + expression + ";");
  INFO(expression << "\n" << program->rendered());
  REQUIRE(program->file);
  const auto& file = *program->file;
  return dump_expr(file, std::get<ast::ConstDecl>(file[file.declarations.front()].node).value);
}

std::string codes(const std::string& expression) {
  return parse_text("const a = " + expression + ";")->codes();
}

}  // namespace

TEST_CASE("sample programs have the expected trees") {
  for (const auto& path : files_in("frontend/programs", ".tsr")) {
    INFO(path.filename().string());
    const auto program = parse_text(read_file(path), path.filename().string());
    INFO(program->rendered());
    REQUIRE(program->file);
    auto expected = path;
    compare_with_file(expected.replace_extension(".ast"), dump(*program->file));
  }
}

TEST_CASE("the ladder of operators (R23)") {
  CHECK(tree("a ?? b || c && d == e | f ^ g & h << i + j * -k") ==
        "(?? a (|| b (&& c (== d (| e (^ f (& g (<< h (+ i (* j (- k)))))))))))");
  CHECK(tree("-k * j + i >> h & g ^ f | e >= d && c || b ?? a") ==
        "(?? (|| (&& (>= (| (^ (& (>> (+ (* (- k) j) i) h) g) f) e) d) c) b) a)");
  CHECK(tree("a - b - c") == "(- (- a b) c)");
  CHECK(tree("a / b * c % d") == "(% (* (/ a b) c) d)");
  CHECK(tree("a - (b - c)") == "(- a '(- b c))");
  CHECK(tree("-a[1].b(2)") == "(- (call (. (index a 1) b) 2))");
  CHECK(tree("!~-a") == "(! (~ (- a)))");
  CHECK(tree("a * b as bf16") == "(as (* a b) bf16)");
  CHECK(tree("a ?? 0 as bf16") == "(as (?? a 0) bf16)");
  CHECK(tree("f(a as f32, b)") == "(call f (as a f32) b)");
  CHECK(tree("a + 1 in {1, 2, 4 .. 8} && b") == "(&& (in (+ a 1) 1 2 (.. 4 8)) b)");
}

TEST_CASE("comparisons do not chain, parentheses help (R23)") {
  for (const char* op : {"==", "!=", "<", "<=", ">", ">="})
    CHECK(codes(fmt::format("a < b {} c", op)) == "T0121");
  CHECK(codes("a in {1} == b") == "T0121");
  CHECK(codes("a == b in {1}") == "T0121");
  CHECK(codes("a < b + c < d") == "T0121");
  CHECK(codes("a < b < c < d") == "T0121");
  CHECK(codes("(a < b) == c").empty());
  CHECK(codes("a < b && c < d").empty());
}

TEST_CASE("nothing but , ; ) ] @ follows the type of a cast (R23)") {
  for (const char* bad : {"a as f32 + b", "a as f32 as f64", "a as f32 < b", "a as f32 ?? b", "a as f32[3]",
                          "[1] in {a as f32}"}) {
    INFO(bad);
    CHECK_FALSE(codes(bad).empty());
  }
  for (const char* good :
       {"a as f32", "(a as f32) + b", "f(a as f32)", "f(a as f32, b)", "[a as f32]", "x[a as index]"}) {
    CHECK(codes(good).empty());
  }
}

TEST_CASE("numbers: a digit on both sides of a point, ranges beside them (R23)") {
  CHECK(tree("x[0..4]") == "(index x (.. 0 4))");
  CHECK(tree("x[0 .. 4]") == "(index x (.. 0 4))");
  CHECK(tree("1.5e-3 + 1e5 + 0x1F") == "(+ (+ 1.5e-3 1e5) 0x1F)");
  CHECK(tree("x[0.5 .. 1.5]") == "(index x (.. 0.5 1.5))");
  for (const char* bad : {".5", "5.", "1.f", "1.5f", "12ab", "0x", "1e", "1.5.2"}) {
    INFO(bad);
    CHECK_FALSE(codes(bad).empty());
  }
}

TEST_CASE("calls, axes, generics and picks") {
  CHECK(tree("sum[k](x)") == "(call sum [k] x)");
  CHECK(tree("max[r, q](x[:, 2*i])") == "(call max [r q] (index x : (* 2 i)))");
  CHECK(tree("dot<T = f16>(a, b)") == "(call dot <T f16> a b)");
  CHECK(tree("dot<T = f16>[k](a, b)") == "(call dot <T f16> [k] a b)");
  CHECK(tree("f<G = (a + 1), H = -2>(x)") == "(call f <G '(+ a 1)> <H (- 2)> x)");
  CHECK(tree("t[c = 3]") == "(index t (= c 3))");
  CHECK(tree("where(c, a)") == "(call where c a)");
  CHECK(tree("cumsum[t](x, reverse = true)") == "(call cumsum [t] x (= reverse true))");
  CHECK(tree("f()") == "(call f)");
  CHECK(tree("s[]") == "(index s)");
  CHECK(tree("[(1, 2), (3, 4)]") == "(array (tuple 1 2) (tuple 3 4))");
  CHECK(tree("a < b") == "(< a b)");
  CHECK(tree("f(a < b, c > d)") == "(call f (< a b) (> c d))");
}

TEST_CASE("words that are no keywords are names, and any word may follow @") {
  CHECK(parse_text(
            "kernel max(in on: f32[N], type: f32, int: i32, from: f32) { let load = on[0]; let warps = 1; }")
            ->codes()
            .empty());
  CHECK(parse_text("@in @for(x = 1) kernel k() { for i in N @out @where(1) { } }")->codes().empty());
}

TEST_CASE("spans hold exactly what they name") {
  const auto program = parse_text("const a = (f(x) + 1) * y[2];");
  REQUIRE(program->file);
  const auto& file = *program->file;
  const auto text_of = [&](ast::ExprId id) { return program->source().text_of(file[id].span); };
  const auto product = std::get<ast::ConstDecl>(file[file.declarations.front()].node).value;
  CHECK(text_of(product) == "(f(x) + 1) * y[2]");
  const auto& multiply = std::get<ast::Binary>(file[product].node);
  CHECK(text_of(multiply.left) == "(f(x) + 1)");
  CHECK(text_of(multiply.right) == "y[2]");
  CHECK(text_of(std::get<ast::Binary>(file[multiply.left].node).left) == "f(x)");
}

TEST_CASE("operators have spellings and levels") {
  CHECK(std::string(spelling(ast::BinaryOp::coalesce)) == "??");
  CHECK(std::string(spelling(ast::AssignOp::max)) == "max=");
  CHECK(ast::precedence(ast::BinaryOp::remainder) > ast::precedence(ast::BinaryOp::add));
  CHECK_THROWS_AS(spelling(static_cast<ast::BinaryOp>(200)), InternalError);
}
