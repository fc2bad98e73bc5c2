// SPDX-License-Identifier: Apache-2.0
// Compilers that are missing, fail, hang or lie; real ones; and that hostile names are only names.
#include <signal.h>

#include <chrono>

#include "catch.h"
#include "scratch.h"
#include "src/driver/compile.h"
#include "src/driver/elf.h"

using namespace tessera;
using namespace tessera::driver;
using namespace tessera::driver::test;

namespace {

constexpr const char* kUnit = "extern \"C\" int answer() { return 42; }\n";

/// A request to the program at `path`, which may be a fake.
CompileRequest request_to(const std::string& path, const std::string& text = kUnit) {
  return {.compiler = {path, "1", path}, .units = {{"a.cpp", text}}, .headers = {}, .symbols = {"answer"}};
}

/// The one error of a failed compilation, its notes behind it.
std::string failure_of(const CompileRequest& request, const Cache* cache = nullptr) {
  DiagnosticSink sink;
  CHECK_FALSE(compile(request, cache, sink));
  REQUIRE(sink.error_count() == 1);
  const Diagnostic diagnostic = sink.sorted().front();
  std::string text = std::string(info(diagnostic.kind).code) + " " + diagnostic.message + "\n";
  for (const Note& note : diagnostic.notes) text += note.text + "\n";
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A fake compiler in a cache of its own; after each failure nothing may be left.
struct Fake {
  Scratch scratch;
  Variable tmpdir{"TMPDIR", scratch.folder("tmp").c_str()};
  Cache cache = [this] {
    CacheRefusal refusal;
    return *Cache::open(scratch / "cache", refusal);
  }();

  std::string failure(const std::string& body, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    auto request = request_to(scratch.script("fake", body));
    request.time_limit = limit;
    const std::string text = failure_of(request, &cache);
    CHECK(names_in(scratch / "tmp").empty());
    CHECK(names_in(scratch / "cache/v1") == std::vector<std::string>{"new", "old"});
    CHECK(names_in(scratch / "cache/v1/new").empty());
    return text;
  }
};

/// Shell text that puts the last argument, the output file, into $out.
const std::string kLast = "for out; do :; done\n";

std::string host_compiler() {
  const auto lookup = find_host_compiler("");
  REQUIRE(lookup.tool);
  return lookup.tool->path;
}

}  // namespace

TEST_CASE("the host compiler makes a shared object, the cache gives it back") {
  const Scratch scratch;
  CacheRefusal refusal;
  const auto cache = Cache::open(scratch / "cache", refusal);
  DiagnosticSink sink;
  const auto request = request_to(host_compiler());
  const auto first = compile(request, &*cache, sink);
  REQUIRE(first);
  CHECK_FALSE(elf_problem(*first, {"answer"}));
  CHECK(names_in(scratch / "cache/v1/new").empty());
  // The second time nothing is run: a compiler that would fail is not even met.
  CHECK(cache->load(*cache_key(request)));
  CHECK(compile(request, &*cache, sink) == first);
}

TEST_CASE("the runtime's headers are found without an installation") {
  DiagnosticSink sink;
  CHECK(compile(request_to(host_compiler(), "#include \"tessera/tensor.h\"\n" + std::string(kUnit)), nullptr,
                sink));
}

TEST_CASE("everything a result depends on is in the key") {
  const CompileRequest base = request_to("/usr/bin/g++");
  std::vector<std::string> keys = {*cache_key(base)};
  const auto vary = [&](auto&& change) {
    CompileRequest request = base;
    change(request);
    keys.push_back(*cache_key(request));
  };
  vary([](auto& r) { r.units[0].bytes += " "; });
  vary([](auto& r) { r.units.push_back({"b.cpp", ""}); });
  vary([](auto& r) { r.headers.push_back({"k.h", ""}); });
  vary([](auto& r) { r.headers.push_back({"k.h", "x"}); });
  vary([](auto& r) { r.compiler.identity = "another version"; });
  vary([](auto& r) { r.is_nvcc = true, r.architecture = "sm_80"; });
  vary([](auto& r) { r.is_nvcc = true, r.architecture = "sm_90"; });
  vary([](auto& r) { r.is_nvcc = true, r.architecture = "sm_90", r.product = Product::ptx; });
  vary([](auto& r) { r.is_nvcc = true, r.architecture = "sm_90", r.host_compiler.path = "/usr/bin/g++-11"; });
  vary([](auto& r) {
    r.is_nvcc = true, r.architecture = "sm_90";
    r.host_compiler = {"/usr/bin/g++-11", "11", "another file under that name"};
  });
  vary([](auto& r) { r.options = {"-g"}; });
  vary([](auto& r) { r.symbols.push_back("more"); });
  vary([](auto& r) { r.runtime_units.push_back("tools/runner.cpp"); });
  std::sort(keys.begin(), keys.end());
  CHECK(std::unique(keys.begin(), keys.end()) == keys.end());
}

TEST_CASE_METHOD(Fake, "what ptxas says of slow code is a warning") {
  const auto said_of = [&](const std::string& line) {
    DiagnosticSink sink;
    const std::string path =
        scratch.script("fake", "echo \"" + line + "\"\nexec " + host_compiler() + " \"$@\"");
    CHECK(compile(request_to(path), nullptr, sink));
    CHECK(sink.error_count() == 0);
    std::string text;
    for (const Diagnostic& diagnostic : sink.sorted())
      text += std::string(info(diagnostic.kind).code) + " " + diagnostic.notes.front().text;
    return text;
  };
  const std::string spills = "ptxas warning : Registers are spilled to local memory in function 'f', 4 bytes";
  const std::string waits =
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are";
  CHECK(said_of(spills) == "T0841 it printed:\n" + spills + "\n");
  CHECK(said_of("first\n" + waits + "\nlast") == "T0841 it printed:\n" + waits + "\n");
  CHECK(said_of("ptxas info    : 0 bytes gmem").empty());
}

TEST_CASE_METHOD(Fake, "a missing or unusable compiler") {
  const std::string text = failure_of(request_to("/no/such/nvcc"), &cache);
  CHECK(contains(text, "T0831 `/no/such/nvcc` could not be started: No such file or directory\n"));
  CHECK(contains(text, "the command was: /no/such/nvcc -std=c++20"));
  CHECK(names_in(scratch / "tmp").empty());
}

TEST_CASE_METHOD(Fake, "success without output is no success") {
  CHECK(contains(failure("exit 0"), "T0832 `" + (scratch / "fake") +
                                        "` reported success, but its output is damaged: there is none"));
  CHECK(contains(failure(kLast + ": > $out"), "damaged: the file is empty"));
  CHECK(contains(failure(kLast + "echo text > $out"), "damaged: it is not an ELF file"));
  CHECK(contains(failure(kLast + "mkdir $out"), "damaged: there is none"));
}

TEST_CASE_METHOD(Fake, "success with a truncated output is no success") {
  DiagnosticSink sink;
  const std::string whole = *compile(request_to(host_compiler()), nullptr, sink);
  for (const std::size_t size : {std::size_t{3}, std::size_t{63}, std::size_t{64}, std::size_t{4096},
                                 whole.size() / 2, whole.size() - 1}) {
    write_file(scratch / "part", whole.substr(0, size));
    CHECK(contains(failure(kLast + "cp " + (scratch / "part") + " $out"), "T0832"));
  }
  write_file(scratch / "part", whole);
  auto request = request_to(scratch.script("fake", kLast + "cp " + (scratch / "part") + " $out"));
  CHECK(compile(request, nullptr, sink));
  request.symbols = {"answer", "question"};
  CHECK(contains(failure_of(request), "it does not define `question`"));
}

TEST_CASE_METHOD(Fake, "failures are told with what was printed") {
  CHECK(contains(failure("exit 1"), "ended with exit code 1\nthe command was: "));
  CHECK(contains(failure("exit 1"), "it printed nothing\n"));
  CHECK(contains(failure("echo 'error: no' >&2; exit 2"), "it printed:\nerror: no\n"));
  CHECK(contains(failure("kill -KILL $$"), "was killed by signal 9 (Killed)"));
  CHECK(contains(failure("printf '\\377\\376bad'; exit 1"), "it printed:\n\\xff\\xfebad"));
  const std::string log = scratch / "cache/last-failure.log";
  CHECK(contains(failure("seq 1 100; exit 1"), "\n30\n… (all of it is in " + log + ")\n"));
  CHECK(read_file(log)->ends_with("\n99\n100\n"));
}

TEST_CASE_METHOD(Fake, "a compiler that hangs is killed, one that lingers is not waited for") {
  CHECK(contains(failure("sleep 1000", std::chrono::milliseconds(300)),
                 "did not end within 0.3 s and was killed"));
  const auto start = std::chrono::steady_clock::now();
  failure("setsid sleep 1000 & exit 1");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE_METHOD(Fake, "a compiler that prints a gigabyte is stopped") {
  CHECK(contains(failure("yes | head -c 1000000000"), "printed more than 16777216 bytes and was killed"));
}

TEST_CASE_METHOD(Fake, "without a folder for temporary files there is an error, not a crash") {
  if (::geteuid() == 0) return;  // every folder can be written
  const Variable missing("TMPDIR", "/no/such/folder");
  CHECK(contains(failure("exit 1"), "T0831"));  // /tmp still serves
}

TEST_CASE("hostile names reach no shell") {
  const Scratch scratch;
  const std::string folder = scratch.folder("$(touch pwned)`touch pwned`; 'a' \"b\"");
  const Variable tmpdir("TMPDIR", folder.c_str());
  const auto old = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  CacheRefusal refusal;
  const auto cache = Cache::open(folder + "/cache", refusal);
  REQUIRE(cache);
  auto request = request_to(host_compiler(), "#include \"$(touch pwned).h\"\n" + std::string(kUnit));
  request.headers = {{"$(touch pwned).h", ""}};
  DiagnosticSink sink;
  CHECK(compile(request, &*cache, sink));
  CHECK(cache->load(*cache_key(request)));
  std::filesystem::current_path(old);
  CHECK(names_in(folder) == std::vector<std::string>{"cache"});
}

TEST_CASE("tools are found, or the reason is told") {
  const Scratch scratch;
  const auto problem = [](const std::string& path) { return find_nvcc(path).problem; };
  CHECK(problem(scratch / "missing") == "`" + (scratch / "missing") + "` does not exist");
  write_file(scratch / "plain", "");
  CHECK(problem(scratch / "plain") == "`" + (scratch / "plain") + "` is not an executable file");
  CHECK(contains(problem("no-such-nvcc"), "`no-such-nvcc` is not on PATH"));
  CHECK(contains(problem(scratch.script("silent", "exit 0")), "does not answer like nvcc"));
  CHECK(contains(problem(scratch.script("broken", "exit 3")),
                 "ended with exit code 3 when asked for its version"));
  CHECK(contains(problem(scratch.script("a b$(x)", "exit 0")),
                 "characters in its path that a shell would interpret"));
  const auto good =
      find_nvcc(scratch.script("good", "echo 'Cuda compilation tools, release 13.0, V13.0.88'"));
  REQUIRE(good.tool);
  CHECK(good.tool->version == "13.0.88");
}

TEST_CASE("an empty PATH still finds the usual folders") {
  const Variable path("PATH", "");
  CHECK(find_host_compiler("").tool);
}

TEST_CASE("variables choose a compiler, flags come first") {
  const Scratch scratch;
  const std::string first = scratch.script("first", "echo 'cc 1.0'"),
                    second = scratch.script("second", "echo 'cc 2.0'");
  const Variable variable("TESSERA_CXX", first.c_str());
  CHECK(find_host_compiler("").tool->version == "cc 1.0");
  CHECK(find_host_compiler(second).tool->version == "cc 2.0");
}

TEST_CASE("nvcc's variables do not change what it makes") {
  const Variable append("NVCC_APPEND_FLAGS", "--no-such-flag"),
      prepend("NVCC_PREPEND_FLAGS", "--no-such-flag");
  const auto nvcc = find_nvcc("");
  if (!nvcc.tool) return;  // no toolkit here
  CompileRequest request{
      .product = Product::ptx,
      .compiler = *nvcc.tool,
      .is_nvcc = true,
      .architecture = "sm_80",
      .units = {{"$(touch pwned).cu", "extern \"C\" __global__ void kernel(float* x) { *x = 1; }\n"}}};
  DiagnosticSink sink;
  const auto ptx = compile(request, nullptr, sink);
  REQUIRE(ptx);
  CHECK(contains(*ptx, ".visible .entry kernel"));
  CHECK_FALSE(ptx_problem(*ptx));
  CHECK(ptx_problem(ptx->substr(0, ptx->size() / 2)));
}
