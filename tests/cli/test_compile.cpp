// SPDX-License-Identifier: Apache-2.0
// `tesserac FILE`: what is written where, and that it is written only when it should be.
#include <fcntl.h>
#include <sys/stat.h>

#include "tesserac.h"

using namespace tessera::commands::test;

TEST_CASE("a folder gets header, dispatcher and a file for each architecture") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"add.tsr", "-o", "out"});
  INFO(answer.text);
  CHECK(answer.code == 0);
  CHECK(answer.text.empty());
  for (const char* name : {"out/add.h", "out/add.dispatch.cpp", "out/add.sm_80.cu", "out/add.sm_90.cu"}) {
    CHECK(tesserac.exists(name));
  }
  CHECK(tesserac({"add.tsr", "-o", "one/", "--arch=sm_80"}).code == 0);
  CHECK(tesserac.exists("one/add.sm_80.cu"));
  CHECK_FALSE(tesserac.exists("one/add.sm_90.cu"));
}

TEST_CASE("x.cu is one file for one architecture, its header beside it") {
  const Tesserac tesserac;
  CHECK(tesserac({"add.tsr", "-o", "kernels.cu", "--arch=sm_90"}).code == 0);
  CHECK(tesserac.read("kernels.cu").find("#include \"kernels.h\"") != std::string::npos);
  CHECK(tesserac.exists("kernels.h"));
  CHECK(tesserac.exists("kernels.dispatch.cpp"));
}

TEST_CASE("each kind goes to its file, or to standard output") {
  const Tesserac tesserac;
  CHECK(tesserac({"add.tsr", "--emit=ast,ir,plan,report,deps", "--emit-dir=texts"}).code == 0);
  for (const char* name :
       {"texts/add.ast", "texts/add.ir", "texts/add.plan", "texts/add.report", "texts/add.d"}) {
    CHECK(tesserac.exists(name));
    CHECK(tesserac.read(name).size() > 10);
  }
  CHECK_FALSE(tesserac.exists("texts/add.h"));
  CHECK(tesserac({"add.tsr", "--emit=ir", "-o", "-"}).text == tesserac.read("texts/add.ir"));
  CHECK(tesserac({"add.tsr", "--emit=ir", "-o", "some.txt"}).code == 0);
  CHECK(tesserac.read("some.txt") == tesserac.read("texts/add.ir"));
  CHECK(tesserac({"add.tsr", "--emit=cuda", "--arch=sm_80", "-o", "-"}).says("#include \"add.h\""));
  CHECK(tesserac({"add.tsr", "--emit=header", "-o", "-"}).says("add_one"));
}

TEST_CASE("the source may stand behind the options that take lists") {
  const Tesserac tesserac;
  CHECK(tesserac({"--arch=sm_80", "--emit=cuda", "-o", "-", "add.tsr"}).says("#include \"add.h\""));
  CHECK(tesserac({"--emit", "cuda", "--arch", "sm_80", "-o", "-", "--plan", "warps=2", "add.tsr"}).code == 0);
}

TEST_CASE("loops end where a relation or a condition does, unless an empty round counts") {
  const Tesserac tesserac;
  const auto cuda = [&](const std::string& loop) {
    tesserac.write("ends.tsr",
                   "kernel k(in p: f32[S, T], out y: f32[S]) {\n"
                   "  grid s in S {\n"
                   "    var total: f32 = 0;\n"
                   "    " +
                       loop +
                       "\n"
                       "    y[s] = total;\n"
                       "  }\n"
                       "}\n");
    return tesserac({"ends.tsr", "--emit=cuda", "--arch=sm_90", "-o", "-"});
  };
  const Answer causal = cuda("for t in T by auto where t <= s { total += sum[t](p[s, t]); }");
  CHECK(causal.says("t_stop = minimum(T, s + 1)"));
  CHECK(causal.says("t_first < t_stop"));
  const Answer window =
      cuda("for t in T by auto where t <= s && 2 * t > s - 8 { total += sum[t](p[s, t]); }");
  CHECK(window.says("t_begin = maximum(index{0}, integer::divide(s - 6, index{2})) / kChunk * kChunk"));
  CHECK(window.says("t_stop = minimum(T, s + 1)"));
  const Answer filtered = cuda("for t in T by auto { total += sum[t](where(t <= s, p[s, t])); }");
  CHECK(filtered.says("t_stop = minimum(T, s + 1)"));
  const Answer counted = cuda("for t in T by 8 where t <= s { total = 2 * total + sum[t](p[s, t]); }");
  CHECK_FALSE(counted.says("t_stop"));
}

TEST_CASE("the header quotes the source, and offers its defaults where C++ can") {
  const Tesserac tesserac;
  tesserac.write(
      "quoted.tsr",
      "const SIGNS = [1, -1];\n"
      "/// A shifted sum.\n"
      "kernel shift<int Q, type T: float = f32>(first: i32 = 3, in x: f32[N] periodic, out y: T[N],\n"
      "                                         scale: f32, eps: f32 = 1e-5, half: bf16 = 0.3,\n"
      "                                         flip: bool = true, top: f32 = inf)\n"
      "{\n"
      "  grid i in N by auto {\n"
      "    let sign = where(flip, 1, (SIGNS[1] * first) as f32);\n"
      "    y[i] = sign * x[i + Q] * scale + eps * (half as f32) + min(top, 1) as T;\n"
      "  }\n"
      "}\n"
      "instance shift<Q = 2> as shift_2;\n");
  const Answer header = tesserac({"quoted.tsr", "--emit=header", "-o", "-"});
  INFO(header.text);
  CHECK(header.says(
      "/// A shifted sum.\n"
      "/// instance shift<Q = 2, T = f32> as shift_2\n"
      "/// kernel shift(first: i32 = 3, in x: f32[N] periodic, out y: f32[N], scale: f32, eps: f32 = 1e-5,\n"
      "///     half: bf16 = 0.3, flip: bool = true, top: f32 = inf)\n"));
  CHECK(header.says("(int32_t first, const tessera::Tensor& x,"));
  CHECK(header.says("float eps = 1e-5f,"));
  CHECK(header.says("tessera::bf16 half = tessera::from_float<tessera::bf16>(0.3f), bool flip = true"));
  CHECK(header.says("float top = std::numeric_limits<float>::infinity()"));
  CHECK(header.says("TesseraStatus tessera_shift_2_invoke(const TesseraTensor* tensors,"));
  CHECK(header.says("const TesseraLaunch* launch);"));
  CHECK_FALSE(header.says("sm_80"));
}

TEST_CASE("launchers are the dispatcher's own, and tables without a use are not printed") {
  const Tesserac tesserac;
  tesserac.write("tables.tsr",
                 "const FOLDED = [1.0, 2.0];\n"
                 "const READ = [1.0, 2.0, 4.0];\n"
                 "kernel tables(in i: index[N], in x: f32[N], out y: f32[N]) {\n"
                 "  grid n in N by auto { y[n] = x[n] * FOLDED[1] + (READ[i[n]] ?? 0); }\n"
                 "}\n");
  const Answer cuda = tesserac({"tables.tsr", "--emit=cuda", "--arch=sm_90", "-o", "-"});
  INFO(cuda.text);
  CHECK(cuda.code == 0);
  CHECK(cuda.says("TESSERA_TABLE(float, k_tables_READ, 3)"));
  CHECK_FALSE(cuda.says("FOLDED"));
  CHECK(cuda.says("check.outputs_are_disjoint();\n"));
  CHECK(cuda.says("const auto run = [&](auto* kernel, Blocks blocks, Threads threads) {\n"));
  CHECK(cuda.says("      return run(tables<"));
  CHECK(tesserac({"tables.tsr", "-o", "out"}).code == 0);
  const std::string dispatch = tesserac.read("out/tables.dispatch.cpp");
  INFO(dispatch);
  CHECK(dispatch.find("case 90: return detail::tables_sm_90(i, x, y, options);") != std::string::npos);
  CHECK(dispatch.find("if (!i) return tessera::null_pointer(\"tables\", \"tensor\", 0, \"i\");") !=
        std::string::npos);
  CHECK(dispatch.find("if (!tensors) return tessera::null_pointer(\"tables\", \"tensors\");") !=
        std::string::npos);
}

TEST_CASE("launchers know the rows that clusters share out, and the columns that other blocks have") {
  const Tesserac tesserac;
  tesserac.write("product.tsr",
                 "kernel product(in A: bf16[M, K], in B: bf16[K, N], out C: bf16[M, N]) {\n"
                 "  grid m in M by auto, n in N by auto {\n"
                 "    var acc: f32[m, n] = 0;\n"
                 "    for k in K by auto { acc += dot(A[m, k], B[k, n]); }\n"
                 "    C[m, n] = acc as bf16;\n"
                 "  }\n"
                 "}\n");
  const Answer answer = tesserac({"product.tsr", "--emit=cuda", "--arch=sm_90", "-o", "-"});
  CHECK(answer.says("const Clusters clusters(M, boxes_of_A.is_slow() || boxes_of_B.is_slow(), N);"));
  CHECK(answer.says("const int cluster = clusters(tile.m, tile.n);"));
  CHECK(answer.says("in_clusters(ceil_divide(M, tile.m), cluster) * ceil_divide(N, tile.n)"));
}

TEST_CASE("the same input gives the same bytes, and equal files are left alone") {
  const Tesserac tesserac;
  CHECK(tesserac({"softmax.tsr", "-o", "out"}).code == 0);
  const std::string before = tesserac.read("out/softmax.sm_80.cu");
  const timespec times[] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (tesserac / "out/softmax.sm_80.cu").c_str(), times, 0);
  CHECK(tesserac({"softmax.tsr", "-o", "out"}).code == 0);
  struct stat status {};
  ::stat((tesserac / "out/softmax.sm_80.cu").c_str(), &status);
  CHECK(status.st_mtime == 1000);
  CHECK(tesserac.read("out/softmax.sm_80.cu") == before);
}

TEST_CASE("nothing is written when there are errors") {
  const Tesserac tesserac;
  tesserac.write("wrong.tsr",
                 "kernel f(in x: f32[N], out y: f32[N]) { grid i in N by auto { y[i] = x[j]; } }\n");
  CHECK(tesserac({"wrong.tsr", "-o", "out/", "-MD"}).code == 1);
  CHECK_FALSE(tesserac.exists("out"));
}

TEST_CASE("outputs that cannot be written exit with 3") {
  const Tesserac tesserac;
  tesserac.write("blocked", "a file");
  const Answer answer = tesserac({"add.tsr", "-o", "blocked/"});
  CHECK(answer.code == 3);
  CHECK(answer.says("error[T0834]: cannot write `blocked/add"));
  CHECK(tesserac({"add.tsr", "--emit=ast", "-o", "add.tsr"}).code == 2);
  CHECK(tesserac.read("add.tsr") == kAddOne);
  CHECK(tesserac({"add.tsr", "--emit=ir", "-o", "/dev/full"}).code == 3);
}

TEST_CASE("dependency files name outputs and source, escaped for make") {
  const Tesserac tesserac;
  tesserac.write("a b$.tsr", kAddOne);
  CHECK(tesserac({"a b$.tsr", "-o", "out", "--arch=sm_80", "-MD"}).code == 0);
  CHECK(tesserac.read("out/a_b_.d") == "out/a_b_.h out/a_b_.sm_80.cu out/a_b_.dispatch.cpp: a\\ b$$.tsr\n");
  CHECK(tesserac({"add.tsr", "-o", "out", "-MD", "-MF", "own.d", "-MT", "target"}).code == 0);
  CHECK(tesserac.read("own.d") == "target: add.tsr\n");
}

TEST_CASE("hostile names of files are only names") {
  const Tesserac tesserac;
  const std::string name = "$(touch pwned)`touch pwned`; '\"\n.tsr";
  tesserac.write(name, kAddOne);
  const Answer answer = tesserac({name, "-o", "out", "--emit=cuda,header,ptx", "--arch=sm_80"});
  INFO(answer.text);
  CHECK((answer.code == 0 || answer.says("T0830")));  // without nvcc there is no PTX
  CHECK_FALSE(tesserac.exists("pwned"));
}

TEST_CASE("the plan, the namespace and the times can be asked for") {
  const Tesserac tesserac;
  CHECK(tesserac({"add.tsr", "--emit=header", "-o", "-", "--namespace=my::kernels"})
            .says("namespace my::kernels"));
  CHECK(tesserac({"add.tsr", "--emit=cuda", "--arch=sm_80", "-o", "-", "--plan", "warps=2,vector=1"}).code ==
        0);
  const Answer answer = tesserac({"add.tsr", "-o", "out", "--time-report"});
  for (const char* step : {"ms  parse\n", "ms  check\n", "ms  emit\n", "ms  write\n", "ms  total\n"})
    CHECK(answer.says(step));
}

TEST_CASE("without nvcc there is no PTX, and the reason is told") {
  const Tesserac tesserac;
  const Answer answer = tesserac({"add.tsr", "--emit=ptx", "-o", "out", "--nvcc=/no/such/nvcc"});
  CHECK(answer.code == 3);
  CHECK(answer.says("error[T0830]: no nvcc was found: `/no/such/nvcc` does not exist"));
  CHECK_FALSE(tesserac.exists("out"));
}

TEST_CASE("insecure caches are refused") {
  const Tesserac tesserac;
  ::mkdir((tesserac / "open").c_str(), 0777);
  ::chmod((tesserac / "open").c_str(), 0777);
  const Answer answer = tesserac({"run", "add.tsr", "--cache-dir=open"});
  CHECK(answer.code == 3);
  CHECK(answer.says("error[T0835]"));
}

TEST_CASE("names of generated functions are one kernel's alone") {
  const Tesserac tesserac;
  const auto compile = [&](const std::string& first, const std::string& second) {
    const std::string body =
        "(in x: f32[N], out y: f32[N]) { grid i in N by auto { y[i] = T[i % 2] * x[i]; } }\n";
    tesserac.write("names.tsr", "const T = [1.0, 2.0];\nconst B_T = [1.0, 2.0];\nkernel " + first + body +
                                    "kernel " + second + body);
    return tesserac({"names.tsr", "-o", "out"});
  };
  const Answer answer = compile("f", "f_invoke");
  INFO(answer.text);
  CHECK(answer.code == 1);
  CHECK(answer.says(
      "error[T0706]: kernel `f_invoke` needs the name `tessera_f_invoke` in generated code, which "
      "is taken\n --> names.tsr:4:8\n"));
  CHECK(answer.says("kernel `f` has it"));
  CHECK(compile("and_", "and").says("`and` needs the name `and_`"));
  CHECK(compile("f", "status_message").says("= note: the runtime has a function of that name"));
  CHECK(compile("f", "runner_free").says("`tessera_runner_free`"));
  CHECK(compile("f", "f_call").code == 0);
  tesserac.write("words.tsr",
                 "kernel f(in unit_: f32[N], in unit: f32[N], out y: f32[N]) {\n"
                 "  grid i in N by auto { y[i] = unit[i] + unit_[i]; }\n"
                 "}\n");
  const Answer words = tesserac({"words.tsr", "-o", "out"});
  CHECK(words.says("error[T0706]: kernel `f` needs the name `unit_` in generated code, which is taken"));
  CHECK(words.says("= note: `unit` is a word of generated code, where `unit` is called `unit_`"));
  CHECK(words.says("name one of `unit_` and `unit` differently"));
  tesserac.write("tables.tsr",
                 "const B_T = [1.0, 2.0];\nconst T = [3.0, 4.0];\n"
                 "kernel a(out y: f32[N]) { grid i in N by auto { y[i] = B_T[i % 2]; } }\n"
                 "kernel a_B(out y: f32[N]) { grid i in N by auto { y[i] = T[i % 2]; } }\n");
  CHECK(tesserac({"tables.tsr", "-o", "out"}).says("kernel `a_B` needs the name `k_a_B_T`"));
}
