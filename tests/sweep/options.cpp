// SPDX-License-Identifier: Apache-2.0
// The command line of the sweeps.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "sweep/sweep.h"

namespace tessera::sweep {

namespace {

constexpr const char* kUsage =
    "Runs kernels at many sizes and layouts and compares them with the reference.\n"
    "  --kernels=A,B          only these\n"
    "  --largest=N            elements of a problem, all tensors together\n"
    "  --budget=N             elements of all problems of a kernel together; larger ones are sampled\n"
    "  --problems=N           at most so many of a kernel\n"
    "  --plans=N              at most so many plans of a kernel, where plans are tried\n"
    "  --all                  every layout of every problem, and no sampling\n"
    "  --threads=N            problems that are swept at once\n"
    "  --seconds=N            take no further problem after that time; what is left out is said, and is a "
    "failure\n"
    "  --write-digests=FILE   the bits of exact results, for a run elsewhere\n"
    "  --expect-digests=FILE  bits that exact results must have\n";

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

template <typename Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

bool take(std::string_view argument, Options& options) {
  if (argument == "--all") {
    options.all_layouts = true;
    options.budget = std::int64_t{1} << 62;
    return true;
  }
  const auto value = [&](std::string_view flag) -> std::optional<std::string_view> {
    if (!argument.starts_with(flag)) return std::nullopt;
    return argument.substr(flag.size());
  };
  if (const auto text = value("--kernels=")) return options.kernels = split(*text), true;
  if (const auto text = value("--largest=")) return parse(*text, options.largest);
  if (const auto text = value("--budget=")) return parse(*text, options.budget);
  if (const auto text = value("--problems=")) return parse(*text, options.problems);
  if (const auto text = value("--plans=")) return parse(*text, options.plans);
  if (const auto text = value("--threads=")) return parse(*text, options.threads);
  if (const auto text = value("--seconds=")) return parse(*text, options.seconds);
  if (const auto text = value("--write-digests=")) return options.write_digests = *text, true;
  if (const auto text = value("--expect-digests=")) return options.expect_digests = *text, true;
  return false;
}

}  // namespace

Options parse_options(int count, char** arguments, Options defaults) {
  for (int i = 1; i < count; ++i) {
    if (take(arguments[i], defaults)) continue;
    const bool help = std::string_view(arguments[i]) == "--help";
    std::fputs(kUsage, help ? stdout : stderr);
    std::exit(help ? 0 : 2);
  }
  return defaults;
}

}  // namespace tessera::sweep
