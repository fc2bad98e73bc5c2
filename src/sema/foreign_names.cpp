// SPDX-License-Identifier: Apache-2.0
// See foreign_names.h.
#include "sema/foreign_names.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/dtype.h"
#include "sema/calls.h"

namespace tessera::sema {

namespace {

/// What to write for a name: a name that takes its place, or a sentence.
struct ForeignName {
  std::string_view name, replacement, help;
};

constexpr ForeignName kFunctions[] = {
    {"fmax", "max", ""},
    {"fmin", "min", ""},
    {"maximum", "max", ""},
    {"minimum", "min", ""},
    {"amax", "max", ""},
    {"amin", "min", ""},
    {"fabs", "abs", ""},
    {"absolute", "abs", ""},
    {"power", "pow", ""},
    {"clip", "clamp", ""},
    {"rint", "round", ""},
    {"nearbyint", "round", ""},
    {"average", "mean", ""},
    {"product", "prod", ""},
    {"not", "!", ""},
    {"select", "where", ""},
    {"mm", "dot", ""},
    {"bmm", "", "name what is summed, and the other shared axes stay: `dot[k](a, b)`"},
    {"inner", "dot", ""},
    {"vdot", "dot", ""},
    {"outer", "", "write `a * b`: operands align by the names of their axes"},
    {"gemm", "", "a product of matrices is `dot(a[m, :], b[:, n])`"},
    {"einsum", "",
     "the ranges are the letters: `dot(a[m, :], b[:, n])`, or `dot[k](…)` to name what is summed"},
    {"tensordot", "", "name what is summed: `dot[i, j](a, b)`"},
    {"conv2d", "",
     "a convolution is a product along its window: `dot[c, i, j](x[c, h + i, w + j], f[c, i, j])`"},
    {"dp4a", "", "factors of `i8` are summed in `i32`: `dot(a[m, :], b[:, n])`"},
    {"mma_sync", "", "a product of matrices is `dot(a[m, :], b[:, n])`; the plan chooses the instruction"},
    {"saturate", "", "write `clamp(a, 0, 1)`"},
    {"fmod", "", "write `a - b * trunc(a / b)`; `a - b * floor(a / b)` has the sign of `b`"},
    {"fma", "", "write `a * b + c`: it is one fused operation (R24)"},
    {"fdividef", "", "write `a / b`"},
    {"frcp_rn", "", "write `1 / a`"},
    {"reciprocal", "", "write `1 / a`"},
    {"square", "", "write `a * a`"},
    {"hypot", "", "write `sqrt(a * a + b * b)`"},
    {"cbrt", "", "write `pow(a, 1.0 / 3.0)` for a positive `a`"},
    {"exp10", "", "write `pow(10, a)`"},
    {"log10", "", "write `log(a) / 2.302585092994046`"},
    {"tan", "", "write `sin(a) / cos(a)`"},
    {"isnan", "", "write `a != a`"},
    {"isinf", "", "write `abs(a) == inf`"},
    {"isfinite", "", "write `abs(a) < inf`"},
    {"sign", "", "write `where(a > 0, 1.0, where(a < 0, -1.0, 0.0))`"},
    {"range", "", "a range is named in the head of a loop: `for i in 4`"},
    {"arange", "", "`let i in N;` names a range; `i` is the tile of its coordinates"},
    {"zeros", "", "a tile that changes is a `var` with an initial value: `var acc: f32[i] = 0;`"},
    {"ones", "", "a tile that changes is a `var` with an initial value: `var acc: f32[i] = 1;`"},
    {"transpose", "", "there are no transposes: index in the other order, `x[n, m]`"},
    {"reshape", "", "there are no reshapes: write the index, for example `x[i / W, i % W]`"},
    {"len", "", "the extent of a dimension is its symbol, `N`"},
    {"print", "", "a kernel prints nothing; `tesserac run` shows what it stores"},
    {"printf", "", "a kernel prints nothing; `tesserac run` shows what it stores"},
    {"syncthreads", "", "leave it out: a statement sees what the ones before it computed"},
    {"syncwarp", "", "leave it out: a statement sees what the ones before it computed"},
    {"ldg", "", "index the tensor: `x[i]`; the plan chooses how it is read"},
    {"shfl_down_sync", "", "fold an axis: `sum[c](…)`"},
    {"shfl_xor_sync", "", "fold an axis: `sum[c](…)`"},
    {"atomicAdd", "", "fold an axis, `sum[c](…)`, and store the result once"},
    {"atomicMax", "", "fold an axis, `max[c](…)`, and store the result once"},
    {"float2half", "", "a conversion stands behind its operand: `(… as f16)`"},
    {"float2bfloat16", "", "a conversion stands behind its operand: `(… as bf16)`"},
    {"half2float", "", "leave it out: arithmetic on narrow floats is done in f32"},
    {"bfloat162float", "", "leave it out: arithmetic on narrow floats is done in f32"},
};

constexpr ForeignName kValues[] = {
    {"INFINITY", "inf", ""},
    {"Infinity", "inf", ""},
    {"infinity", "inf", ""},
    {"HUGE_VAL", "inf", ""},
    {"True", "true", ""},
    {"False", "false", ""},
    {"TRUE", "true", ""},
    {"FALSE", "false", ""},
    {"M_PI", "3.141592653589793", ""},
    {"pi", "3.141592653589793", ""},
    {"FLT_MAX", "", "write `inf`, or the number 3.4028234e38"},
    {"FLT_MIN", "", "write the number 1.17549435e-38"},
    {"FLT_EPSILON", "", "write the number 1.1920929e-7"},
    {"DBL_MAX", "", "write `inf`, or the number 1.7976931348623157e308"},
    {"INT_MAX", "", "write the number 2147483647"},
    {"INT_MIN", "", "write the number -2147483648"},
    {"NAN", "", "what shall have no value is left out: `where(c, a)` exists where `c` holds"},
    {"nan", "", "what shall have no value is left out: `where(c, a)` exists where `c` holds"},
    {"NaN", "", "what shall have no value is left out: `where(c, a)` exists where `c` holds"},
    {"None", "",
     "what shall have no value is left out: `where(c, a)` exists where `c` holds; an axis needs no `None`"},
    {"newaxis", "", "operands align by the names of their axes: `newaxis` is left out"},
    {"null", "", "what shall have no value is left out: `where(c, a)` exists where `c` holds"},
    {"nullptr", "", "what shall have no value is left out: `where(c, a)` exists where `c` holds"},
    {"threadIdx", "", "ranges take the place of threads: `grid i in N by auto` binds `i`"},
    {"blockIdx", "", "ranges take the place of blocks: `grid i in N by auto` binds `i`"},
    {"blockDim", "", "ranges take the place of blocks: `grid i in N by auto` binds `i`"},
    {"gridDim", "", "ranges take the place of blocks: `grid i in N by auto` binds `i`"},
    {"break", "",
     "a loop runs over the whole of its range: give the range other bounds, or use `where(c, a)`"},
    {"continue", "", "a loop runs over the whole of its range: leave elements out by `where(c, a)`"},
};

constexpr std::string_view kModules[] = {"np", "numpy", "math", "torch", "jnp",
                                         "tl", "cupy",  "cp",   "F",     "std"};

const ForeignName* find(std::span<const ForeignName> table, std::string_view name) {
  const auto row = std::ranges::find(table, name, &ForeignName::name);
  return row != table.end() ? &*row : nullptr;
}

bool tell(DiagnosticBuilder& report, const ForeignName& row, Span span) {
  if (row.replacement.empty()) {
    report.help("{}", row.help);
  } else {
    report.fix(span, std::string(row.replacement), fmt::format("write `{}`", row.replacement));
  }
  return true;
}

/// `__expf` and `expf` are `exp`: without the marks of an intrinsic and of single precision.
std::string_view without_marks(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  return name;
}

}  // namespace

bool suggest_function(DiagnosticBuilder& report, const std::string& name, Span span) {
  if (const auto type = type_of_other_languages(name)) {
    report.help("a conversion stands behind its operand: `(… as {})`", *type);
    return true;
  }
  const std::string_view bare = without_marks(name);
  const bool single = bare.size() > 1 && bare.ends_with('f');
  for (const std::string_view candidate : {bare, single ? bare.substr(0, bare.size() - 1) : bare}) {
    if (const ForeignName* row = find(kFunctions, candidate)) return tell(report, *row, span);
    if (candidate == name || !is_library_function(std::string(candidate))) continue;
    const bool fast = name.starts_with("__") && candidate == "exp";
    if (fast) report.note("the clause `precision(exp = fast)` permits a faster form");
    return tell(report, {name, candidate, ""}, span);
  }
  return false;
}

bool suggest_value(DiagnosticBuilder& report, const std::string& name, Span span) {
  if (const ForeignName* row = find(kValues, name)) return tell(report, *row, span);
  if (const auto type = type_of_other_languages(name)) {
    report.help("a type is no value; a conversion stands behind its operand: `(… as {})`", *type);
    return true;
  }
  if (!is_foreign_module(name)) return false;
  report.help("functions of the library have no prefix: `exp(…)`");
  return true;
}

bool is_foreign_module(const std::string& name) {
  return std::ranges::find(kModules, name) != std::end(kModules);
}

}  // namespace tessera::sema
