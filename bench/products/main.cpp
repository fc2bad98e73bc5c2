// SPDX-License-Identifier: Apache-2.0
// Times kernels beside cuBLASLt: products CASES KERNELS [--warm] [--seconds S] [WORD …] prints CSV, and lines for
// people to the error output. products CASES --sources [WORD …] prints the .tsr files that the cases need.
#include <cublasLt.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <set>

#include "cuda.h"
#include "measure.h"

namespace {

using bench::Case;
using bench::Device;
using bench::Row;

void print_sources(const std::vector<Case>& cases) {
  std::set<std::string> sources;
  for (const Case& one : cases) sources.insert(one.source);
  for (const std::string& source : sources) std::puts(source.c_str());
}

void print_header(const Device& device, const bench::Options& options) {
  int runtime = 0, driver = 0;
  bench::check(cudaRuntimeGetVersion(&runtime), "version");
  bench::check(cudaDriverGetVersion(&driver), "version");
  std::printf("# %s, %d multiprocessors, CUDA %d.%d, driver's CUDA %d.%d, cuBLASLt %zu\n",
              device.name.c_str(), device.multiprocessors, runtime / 1000, runtime % 1000 / 10, driver / 1000,
              driver % 1000 / 10, cublasLtGetVersion());
  std::printf("# memory %.2f TB/s by clock and width, %.2f copying; matrices %s\n",
              device.memory_bytes_per_second / 1e12, bench::copy_bytes_per_second() / 1e12,
              options.warm ? "may wait in the cache" : "come from memory");
  std::puts(
      "group,shape,orders,ours_tflops,first_tflops,best_tflops,ratio_first,ratio_best,error_ours,error_"
      "library,"
      "gigabytes_per_second,share_of_roofline,candidates,sets,library_orders,library_rows,remark");
}

std::string without_commas(std::string text) {
  for (char& letter : text) {
    if (letter == ',' || letter == '\n') letter = ';';
  }
  return text;
}

void print_row(const Case& product, const Device& device, const Row& row) {
  const bench::Shape& shape = product.shape;
  const double operations =
      2 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const auto rate = [&](double seconds) { return seconds > 0 ? operations / seconds / 1e12 : 0; };
  const double first = row.ours > 0 ? row.first / row.ours : 0, best = row.ours > 0 ? row.best / row.ours : 0;
  const double bytes = static_cast<double>(bench::bytes_of(product.type, shape));
  const bool timed = row.ours > 0;
  std::printf("%s,%s,%s,%.2f,%.2f,%.2f,%.4f,%.4f,%.2e,%.2e,%.0f,%.3f,%d,%d,%s,%lld,%s\n",
              product.group.c_str(), product.shape_text().c_str(), product.orders.text().c_str(),
              rate(row.ours), rate(row.first), rate(row.best), first, best, row.our_outcome.error,
              row.library_outcome.error, timed ? bytes / row.ours / 1e9 : 0,
              timed ? bench::least_seconds(device, product) / row.ours : 0, row.candidates, row.sets,
              row.library_orders.text().c_str(), static_cast<long long>(row.library_rows),
              without_commas(row.remark).c_str());
  std::fflush(stdout);
  std::fprintf(stderr,
               "%-48s %8.1f TFLOP/s, library %8.1f first %8.1f best, ratio %.3f %.3f, error %.1e, %s\n",
               product.name().c_str(), rate(row.ours), rate(row.first), rate(row.best), first, best,
               row.our_outcome.error, row.remark.c_str());
}

struct Arguments {
  std::string cases;
  bool sources = false;
  bench::Options options;
  std::vector<std::string> words;
};

Arguments read_arguments(int count, char** values) {
  Arguments arguments;
  std::vector<std::string> plain;
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    if (value == "--sources") {
      arguments.sources = true;
    } else if (value == "--warm") {
      arguments.options.warm = true;
    } else if (value == "--seconds" && i + 1 < count) {
      arguments.options.seconds = std::stod(values[++i]);
    } else {
      plain.push_back(value);
    }
  }
  const std::size_t needed = arguments.sources ? 1 : 2;
  if (plain.size() < needed)
    throw std::runtime_error("usage: products CASES KERNELS [--warm] [--seconds S] [WORD …]");
  arguments.cases = plain[0];
  if (!arguments.sources) arguments.options.kernels = plain[1];
  arguments.words.assign(plain.begin() + static_cast<std::ptrdiff_t>(needed), plain.end());
  return arguments;
}

/// Whether every case came out right.
bool measure_all(const std::vector<Case>& cases, const bench::Options& options) {
  const Device device = bench::current_device();
  print_header(device, options);
  const bench::Library library;
  bool right = true;
  for (const Case& one : cases) {
    const Row row = bench::measure(one, device, library, options);
    print_row(one, device, row);
    right = right && row.ok();
  }
  return right;
}

}  // namespace

int main(int count, char** values) {
  try {
    const Arguments arguments = read_arguments(count, values);
    const std::vector<Case> cases = bench::read_cases(arguments.cases, arguments.words);
    if (cases.empty()) throw std::runtime_error("no case has such a name");
    if (!arguments.sources) return measure_all(cases, arguments.options) ? 0 : 1;
    print_sources(cases);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "products: %s\n", error.what());
    return 2;
  }
}
