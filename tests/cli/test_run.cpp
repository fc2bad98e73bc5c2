// SPDX-License-Identifier: Apache-2.0
// `run` and `verify`: kernels, sizes, arrays, faults.
#include <limits>

#include "interp/npy.h"
#include "tesserac.h"

using namespace tessera;
using namespace tessera::commands::test;

TEST_CASE("a kernel runs in the interpreter and on the host twin, with the same results") {
  const Tesserac tesserac;
  Answer answer = tesserac({"run", "add.tsr", "--set", "N=1000", "--on=interp", "--output", "y=a.npy"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says("add_one N=1000 on interpreter\ny: f32[1000], from "));
  answer = tesserac({"run", "add.tsr", "--set", "N=1000", "--output", "y=b.npy", "--repeat=3"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says("add_one N=1000 on host twin\n"));
  CHECK(answer.says(" ms (median of 3), "));
  CHECK(tesserac.read("a.npy") == tesserac.read("b.npy"));
  CHECK(tesserac({"run", "add.tsr", "--set=N=1000", "--on=interp", "--seed=2", "--output=y=c.npy"}).code ==
        0);
  CHECK(tesserac.read("a.npy") != tesserac.read("c.npy"));
}

TEST_CASE("inputs come from files, which give the sizes") {
  const Tesserac tesserac;
  interp::Array x = interp::Array::zeros(DType::f32, {3});
  for (int i = 0; i < 3; ++i) interp::set_element(x, i, i);
  tesserac.write("x.npy", interp::format_npy(x));
  const std::vector<std::string> run = {"run", "add.tsr", "--on=interp", "--input", "x=x.npy"};
  CHECK(tesserac(run).says("y: f32[3], from 1 to 3: 1, 2, 3\n"));
  auto with_step = run;
  with_step.insert(with_step.end(), {"--set", "step=0.5"});
  CHECK(tesserac(with_step).says("from 0.5 to 2.5: 0.5, 1.5, 2.5\n"));
  auto contradicted = run;
  contradicted.insert(contradicted.end(), {"--set", "N=4"});
  const Answer answer = tesserac(contradicted);
  CHECK(answer.code == 2);
  CHECK(answer.says(
      "error[T0807]: `x.npy` cannot be used for parameter `x`: its dimension 0 is 3, and N is 4"));
}

TEST_CASE("what a run is told wrongly is wrong usage") {
  const Tesserac tesserac;
  tesserac.write("two.tsr", std::string(kAddOne) + kSoftmax);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "run");
    arguments.push_back("--on=interp");
    const Answer answer = tesserac(arguments);
    INFO(answer.text);
    CHECK(answer.code == 2);
    CHECK(answer.says(part));
  };
  refused({"two.tsr"}, "error[T0804]: `two.tsr` has 2 kernels");
  refused({"two.tsr", "--kernel=three"}, "error[T0803]: `two.tsr` has no kernel `three`");
  refused({"add.tsr", "--set=M=3"}, "error[T0805]: kernel `add_one` has no symbol or scalar parameter `M`");
  refused({"add.tsr", "--set=N"}, "`--set N` is not `NAME=VALUE`");
  refused({"add.tsr", "--set=N=many"}, "the value is not a whole number");
  refused({"add.tsr", "--set=step=x"}, "the value is not of type f32");
  refused({"add.tsr", "--set=N=100000000000000"}, "error[T0809]");
  refused({"add.tsr", "--input=z=x.npy"}, "error[T0808]: kernel `add_one` has no in parameter `z`");
  refused({"add.tsr", "--output=x=x.npy"}, "error[T0808]: kernel `add_one` has no out parameter `x`");
  refused({"add.tsr", "--input=x=missing.npy"}, "error[T0807]");
  refused({"add.tsr", "--on=moon"}, "moon");
}

TEST_CASE("a GPU that is not there exits with 3") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"run", "add.tsr", "--on=gpu"});
  CHECK((answer.code == 0 || (answer.code == 3 && answer.says("error[T0837]: no GPU can be used"))));
}

TEST_CASE("a variant that does not exist is wrong usage") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"run", "add.tsr", "--variant=77"});
  CHECK(answer.code == 2);
  CHECK(answer.says("variant 77 does not exist"));
}

TEST_CASE("verify prints a table over sizes, partitions and variants") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"verify", "add.tsr"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says("add_one: "));
  CHECK(answer.says("equal to the last bit everywhere or wrong"));
  for (const char* row : {"interpreter  step 1 ", "interpreter  step 3 ", "interpreter  plan ",
                          "interpreter  whole ", "host twin    chosen "}) {
    CHECK(answer.says(row));
  }
  CHECK_FALSE(answer.says("WRONG"));
}

TEST_CASE("verify says which sizes it ran, and chooses such that it ends") {
  const Tesserac tesserac;
  // With 250 for each symbol there would be four thousand million products.
  tesserac.write("filter.tsr",
                 "kernel filter(in x: i32[H, W], in k: i32[P, Q], out y: i32[H, W]) {\n"
                 "  grid h in H by auto, w in W by auto {\n"
                 "    let p in P, q in Q;\n"
                 "    y[h, w] = sum[p, q](x[h + p, w + q] * k[p, q]);\n"
                 "  }\n"
                 "}\n");
  const Answer answer = tesserac({"verify", "filter.tsr", "--on=interp"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says(
      " sizes, equal to the last bit everywhere or wrong\n  at H=17 W=17 P=17 Q=17, H=0 W=17 P=17"));
  CHECK(answer.says("H=250 W=17 P=17 Q=17"));
  CHECK_FALSE(answer.says("H=64 W=256 P=32 Q=16"));  // eight million
  CHECK(answer.says("H=1 W=1 P=1 Q=1"));
}

TEST_CASE("verify finds small sizes where one dimension is many times another") {
  const Tesserac tesserac;
  tesserac.write("groups.tsr",
                 "kernel groups(in x: i8[B, M, K], in w: i8[N, K], in s: i32[G], out y: i32[B, M, N])\n"
                 "  where K == 128 * G {\n"
                 "  grid b in B, m in M by auto, n in N by auto {\n"
                 "    var acc: i32[m, n] = 0;\n"
                 "    for g in G {\n"
                 "      for j in 128 by 64 { acc += dot(x[b, m, 128 * g + j], w[n, 128 * g + j]) * s[g]; }\n"
                 "    }\n"
                 "    y[b, m, n] = acc;\n"
                 "  }\n"
                 "}\n");
  const Answer answer = tesserac({"verify", "groups.tsr", "--on=interp"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says(" M=65 K="));  // ends behind a tile of 64
  CHECK(answer.says(" K=2176 N=1 G=17,"));
}

TEST_CASE("a kernel may be named like what is in it") {
  const Tesserac tesserac;
  tesserac.write(
      "x.tsr",
      "kernel x(in x: f32[N], out y: f32[N]) { grid i in N by auto { y[i] = x[i]; } }\n"
      "kernel N(in x: f32[N], out y: f32[N]) { grid i in N by auto { y[i] = x[i]; } }\n"
      "kernel a(in x: f32[N], out y: f32[N], a: f32) { grid i in N by auto { y[i] = a * x[i]; } }\n");
  for (const char* kernel : {"x", "N", "a"}) {
    const Answer answer = tesserac({"run", "x.tsr", "--kernel", kernel, "--set=N=3"});
    INFO(answer.text);
    CHECK(answer.code == 0);
  }
}

TEST_CASE("verify bounds the error of sums") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"verify", "softmax.tsr", "--on=interp"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says("sums within their error bound"));
}

TEST_CASE("verify knows how many bits sums of fp8 keep, of both kinds too") {
  const Tesserac tesserac;
  for (const std::string other : {"fp8_e4m3", "fp8_e5m2"}) {
    tesserac.write("bytes.tsr",
                   "kernel bytes(in a: fp8_e4m3[M, K], in b: " + other +
                       "[N, K], out c: f32[M, N]) {\n"
                       "  grid m in M by auto, n in N by auto { c[m, n] = dot(a[m, :], b[n, :]); }\n"
                       "}\n");
    const Answer answer =
        tesserac({"verify", "bytes.tsr", "--arch=sm_90", "--set=M=72", "--set=N=40", "--set=K=264"});
    INFO(answer.text);
    CHECK(answer.code == 0);
  }
}

TEST_CASE("verify says where anything may come out") {
  const Tesserac tesserac;
  // Both sums cancel but for their rounding, which is all that is divided by.
  tesserac.write("tips.tsr",
                 "kernel tips(in x: f32[R, C], out y: f32[R]) where C >= 2 {\n"
                 "  grid r in R by auto { y[r] = 1 / (sum[C](x[r, :]) + sum[C](-x[r, :])); }\n"
                 "}\n");
  const Answer answer = tesserac({"verify", "tips.tsr", "--on=interp"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says("  no bound\n"));
  CHECK_FALSE(answer.says("  ok\n"));
}

TEST_CASE("verify holds a kernel to its `verify` clause") {
  const Tesserac tesserac;
  const auto verify = [&](const std::string& bounds) {
    tesserac.write("halve.tsr", "kernel halve(in x: f32[N], out y: bf16[N]) verify(" + bounds +
                                    ") { grid i in N by auto { y[i] = x[i] / 2 as bf16; } }\n");
    return tesserac({"verify", "halve.tsr", "--on=interp", "--set=N=5"});
  };
  Answer answer = verify("max_rel = 4e-3, max_abs = 1e-30");
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.says("  and within verify(max_rel = 0.004, max_abs = 1e-30)\n"));
  CHECK(answer.says("  error/bound  error/verify  unbounded  verdict\n"));
  // bf16 has eight bits, so the clause asks for too much; the results are what the program says all the same.
  answer = verify("max_rel = 1e-6");
  CHECK(answer.code == 4);
  CHECK(answer.says("  and within verify(max_rel = 1e-06)\n"));
  CHECK(answer.says("error[T0892]: kernel `halve` gives "));
  CHECK(answer.says(", says its `verify` clause\n"));
  CHECK(answer.says("= help: compute more accurately or allow more; `max_abs` is what can hold near zero\n"));
}

TEST_CASE("a planted fault is found and told with the line of the source") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"verify", "add.tsr", "--inject-fault=guard:0"});
  INFO(answer.text);
  CHECK(answer.code == 4);
  CHECK(answer.says(
      "error[T0891]: kernel `add_one` broke a rule of the machine while it ran: add.tsr:3: out of bounds"));
}

TEST_CASE("infinities behind the end of the other factor are no terms of a product") {
  const Tesserac tesserac;
  tesserac.write(
      "ahead.tsr",
      "kernel ahead(in a: f32[M, K], in b: f32[K, N], out z: f32[M, N]) {\n"
      "  grid m in M by auto, n in N by auto { let k in K; z[m, n] = dot(a[m, k + 1], b[k, n]); }\n"
      "}\n");
  interp::Array a = interp::Array::zeros(DType::f32, {2, 9}), b = interp::Array::zeros(DType::f32, {9, 2});
  for (int i = 0; i < 18; ++i) {
    interp::set_element(a, i, 1);
    interp::set_element(b, i, i < 16 ? 1 : std::numeric_limits<double>::infinity());
  }
  tesserac.write("a.npy", interp::format_npy(a));
  tesserac.write("b.npy", interp::format_npy(b));
  for (const char* on : {"--on=interp", "--on=host"}) {
    const Answer answer = tesserac({"run", "ahead.tsr", on, "--input=a=a.npy", "--input=b=b.npy"});
    INFO(answer.text);
    CHECK(answer.says("z: f32[2, 2], from 8 to 8: "));
  }
}
